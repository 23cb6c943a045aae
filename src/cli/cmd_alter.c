/*
 * cmd_alter.c - rowmerge alter, and ALTER TABLE
 *
 * Why:    a shell script should not need to quote a statement for a change.
 * How:    a subcommand is a template of the change as ALTER TABLE has it, so
 *         that both are one language: %1 and %2 are arguments, %* the rest
 *         with blanks between them, %, with commas; %q is an argument as a
 *         quoted text, %k all of them, and %p all of them, KEY=VALUE. What an
 *         argument makes beside its subcommand's change is refused.
 */
#include "cli/statement.h"

struct subcommand {
	const char *name;
	const char *usage;
	const char *text;
	enum table_change_kind kind;
	int min_args;
	int max_args;		/* -1 = any number */
};

static const struct subcommand subcommands[] = {
	{ "add-column", "NAME TYPE [NOT NULL] [DEFAULT VALUE] "
	  "[COMMENT 'TEXT'] [FIRST | AFTER NAME]", "ADD COLUMN %*",
	  TABLE_ADD_COLUMN, 1, -1 },
	{ "drop-column", "NAME...", "DROP COLUMN (%,)", TABLE_DROP_COLUMN,
	  1, -1 },
	{ "rename-column", "NAME NEW-NAME", "RENAME COLUMN %1 TO %2",
	  TABLE_RENAME_COLUMN, 2, 2 },
	{ "type", "NAME TYPE", "ALTER COLUMN %1 TYPE %*", TABLE_SET_TYPE,
	  2, -1 },
	{ "move", "NAME first | after NAME", "ALTER COLUMN %1 %*",
	  TABLE_MOVE_COLUMN, 2, 3 },
	{ "set-not-null", "NAME", "ALTER COLUMN %1 SET NOT NULL",
	  TABLE_SET_NOT_NULL, 1, 1 },
	{ "drop-not-null", "NAME", "ALTER COLUMN %1 DROP NOT NULL",
	  TABLE_DROP_NOT_NULL, 1, 1 },
	{ "default", "NAME VALUE", "ALTER COLUMN %1 SET DEFAULT %*",
	  TABLE_SET_DEFAULT, 2, -1 },
	{ "drop-default", "NAME", "ALTER COLUMN %1 DROP DEFAULT",
	  TABLE_DROP_DEFAULT, 1, 1 },
	{ "comment", "NAME TEXT", "ALTER COLUMN %1 COMMENT %q",
	  TABLE_SET_COMMENT, 2, 2 },
	{ "partition-by", "TERM...", "SET PARTITIONED BY (%,)",
	  TABLE_SET_PARTITIONING, 1, -1 },
	{ "unpartitioned", "", "RESET PARTITIONED BY", TABLE_SET_PARTITIONING,
	  0, 0 },
	{ "add-partition", "TERM [AS NAME]", "ADD PARTITION FIELD %*",
	  TABLE_ADD_PARTITION_FIELD, 1, -1 },
	{ "drop-partition", "TERM | NAME", "DROP PARTITION FIELD %*",
	  TABLE_DROP_PARTITION_FIELD, 1, -1 },
	{ "replace-partition", "TERM NEW-TERM [AS NAME]",
	  "REPLACE PARTITION FIELD %1 WITH %*",
	  TABLE_REPLACE_PARTITION_FIELD, 2, -1 },
	{ "sort-by", "TERM...", "WRITE ORDERED BY (%,)", TABLE_SET_SORT_ORDER,
	  1, -1 },
	{ "unsorted", "", "WRITE UNORDERED", TABLE_SET_SORT_ORDER, 0, 0 },
	{ "primary-key", "NAME...", "SET IDENTIFIER FIELDS (%,)",
	  TABLE_SET_IDENTIFIER, 1, -1 },
	{ "drop-primary-key", "", "DROP PRIMARY KEY", TABLE_SET_IDENTIFIER,
	  0, 0 },
	{ "set", "KEY=VALUE...", "SET PROPERTIES %p", TABLE_SET_PROPERTY,
	  1, -1 },
	{ "unset", "KEY...", "UNSET PROPERTIES (%k)", TABLE_SET_PROPERTY,
	  1, -1 },
	{ "upgrade", "", "SET PROPERTIES format_version = 3", TABLE_UPGRADE,
	  0, 0 },
};

int statement_alter(struct cli *cli, const struct sql_alter *alter,
		    struct error *err)
{
	char *directory;
	int64_t version;
	bool found;
	int rc;

	rc = catalog_find(cli->warehouse, alter->name, &cli->arena, &directory,
			  &found, err);
	if (rc)
		return rc;
	if (!found && alter->if_exists)
		return summary_skipped(cli, alter->name, "alter table",
				       "is not there", err);
	if (!found)
		return error_set(err, ERROR_UNKNOWN_TABLE, "no table named %s",
				 alter->name);
	for (size_t i = 0; i < alter->warning_count; i++)
		log_warn(&cli->log, "%s", alter->warnings[i]);
	rc = table_alter(directory, alter->changes, alter->change_count,
			 clock_now_us(), &version, err);
	return rc ? rc : summary_table(cli, alter->name, version
				       ? "alter table" : "nothing to change",
				       version, err);
}

/* Alone: it rewrites paths, no metadata that can be named. */
static int relocate(struct cli *cli, struct error *err)
{
	char *directory;
	int64_t version;
	bool found;
	int rc;

	rc = catalog_find(cli->warehouse, cli->args[0], &cli->arena,
			  &directory, &found, err);
	if (!rc && !found)
		rc = error_set(err, ERROR_UNKNOWN_TABLE, "no table named %s",
			       cli->args[0]);
	if (!rc)
		rc = table_relocate(directory, clock_now_us(), &version, err);
	return rc ? rc : summary_table(cli, cli->args[0], "relocate", version,
				       err);
}

static const struct subcommand *find_subcommand(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(subcommands); i++)
		if (!strcmp(subcommands[i].name, name))
			return &subcommands[i];
	return NULL;
}

void alter_usage(struct text *out)
{
	text_add_str(out, "\nchanges, with a lone , between several that make "
		     "one version:\n");
	for (size_t i = 0; i < ARRAY_COUNT(subcommands); i++)
		text_addf(out, "  %-18s %s\n", subcommands[i].name,
			  subcommands[i].usage);
	text_add_str(out, "alone:\n  relocate           make a copied or moved "
		     "table one of its own\n");
}

static void add_quoted(struct text *out, const char *text, size_t length)
{
	text_add_char(out, '\'');
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\'')
			text_add_char(out, '\'');
		text_add_char(out, text[i]);
	}
	text_add_char(out, '\'');
}

static void add_list(struct text *out, char **args, int from, int count,
		     char kind)
{
	for (int i = from; i < count; i++) {
		size_t key = strcspn(args[i], "=");

		if (i > from)
			text_add_str(out, kind == '*' ? " " : ", ");
		if (kind == 'k' || kind == 'p')
			add_quoted(out, args[i], kind == 'p' ? key :
				   strlen(args[i]));
		else
			text_add_str(out, args[i]);
		if (kind != 'p')
			continue;
		text_add_str(out, " = ");
		add_quoted(out, args[i] + key + 1,
			   strlen(args[i] + key + 1));
	}
}

/* The change as ALTER TABLE has it. */
static int fill_template(const struct subcommand *sub, char **args, int count,
			 struct text *out, struct error *err)
{
	int used = 0;

	for (int i = 0; i < count && !strcmp(sub->name, "set"); i++)
		if (!strchr(args[i], '=') || args[i][0] == '=')
			return error_set(err, ERROR_USAGE, "set takes "
					 "KEY=VALUE, not '%s'", args[i]);
	for (const char *at = sub->text; *at; at++) {
		if (*at != '%') {
			text_add_char(out, *at);
			continue;
		}
		at++;
		if (*at == 'q') {
			add_quoted(out, args[used], strlen(args[used]));
			used++;
		} else if (*at == '1' || *at == '2') {
			text_add_str(out, args[used++]);
		} else {
			add_list(out, args, used, count, *at);
		}
	}
	return out->failed ? error_set(err, ERROR_NO_MEMORY, "alter") : 0;
}

/* Changes that other kinds of change may become when they are bound. */
static bool is_kind(const struct table_change *change,
		    const struct subcommand *sub)
{
	return change->kind == sub->kind ||
	       (sub->kind == TABLE_SET_DEFAULT &&
		change->kind == TABLE_DROP_DEFAULT) ||
	       (sub->kind == TABLE_SET_PROPERTY &&
		(change->kind == TABLE_UPGRADE ||
		 change->kind == TABLE_SET_PARTITIONING ||
		 change->kind == TABLE_SET_SORT_ORDER));
}

static int append_changes(struct cli *cli, struct sql_alter *all,
			  const struct sql_alter *more, struct error *err)
{
	size_t count = all->change_count + more->change_count;
	size_t warnings = all->warning_count + more->warning_count;
	struct table_change *changes;
	const char **texts;

	changes = arena_zalloc_array(&cli->arena, count + 1, sizeof(*changes));
	texts = arena_zalloc_array(&cli->arena, warnings + 1, sizeof(*texts));
	if (!changes || !texts)
		return error_set(err, ERROR_NO_MEMORY, "alter");
	for (size_t i = 0; i < count; i++)
		changes[i] = i < all->change_count ? all->changes[i] :
			more->changes[i - all->change_count];
	for (size_t i = 0; i < warnings; i++)
		texts[i] = i < all->warning_count ? all->warnings[i] :
			more->warnings[i - all->warning_count];
	all->changes = changes;
	all->change_count = count;
	all->warnings = texts;
	all->warning_count = warnings;
	return 0;
}

/* One subcommand with its arguments, added to all. */
static int add_subcommand(struct cli *cli, char **args, int count,
			  struct sql_alter *all, struct error *err)
{
	struct sql_options options = { .context = cli_expr_context(cli) };
	const struct subcommand *sub = count ? find_subcommand(args[0]) : NULL;
	struct text text = TEXT_INIT;
	struct sql_alter changes;
	int rc;

	if (!sub) {
		error_set(err, ERROR_USAGE, count ? "alter knows no %s" :
			  "a change is missing%s", count ? args[0] : "");
		return error_hint(err, "rowmerge alter --help lists the "
				  "changes");
	}
	if (count - 1 < sub->min_args ||
	    (sub->max_args >= 0 && count - 1 > sub->max_args))
		return error_set(err, ERROR_USAGE, "usage: rowmerge alter "
				 "TABLE %s%s%s", sub->name,
				 *sub->usage ? " " : "", sub->usage);
	rc = fill_template(sub, args + 1, count - 1, &text, err);
	if (!rc)
		rc = sql_parse_changes(sub->name, text.data, &options,
				       &cli->arena, &changes, err);
	for (size_t i = 0; !rc && i < changes.change_count; i++)
		if (!is_kind(&changes.changes[i], sub))
			rc = error_set(err, ERROR_USAGE, "%s takes no other "
				       "change: put a lone , in front of it",
				       sub->name);
	if (rc && rc != ERROR_USAGE && !err->hint[0])
		error_hint(err, "it was read as: %s", text.data);
	text_release(&text);
	return rc ? rc : append_changes(cli, all, &changes, err);
}

int cmd_alter(struct cli *cli, struct error *err)
{
	struct sql_alter alter = { .name = cli->args[0] };
	int start = 1, rc = 0;

	if (cli->arg_count == 2 && !strcmp(cli->args[1], "relocate"))
		return relocate(cli, err);
	for (int i = 1; !rc && i <= cli->arg_count; i++) {
		if (i < cli->arg_count && strcmp(cli->args[i], ","))
			continue;
		rc = add_subcommand(cli, cli->args + start, i - start, &alter,
				    err);
		start = i + 1;
	}
	return rc ? rc : statement_alter(cli, &alter, err);
}
