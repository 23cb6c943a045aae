/*
 * cmd_log.c - rowmerge log: versions of a table, newest first
 */
#include "cli/report.h"
#include "cli/statement.h"

static void add_number(struct text *out, const char *name, int64_t value)
{
	if (value < 0)
		text_addf(out, ", \"%s\": null", name);
	else
		text_addf(out, ", \"%s\": %lld", name, (long long)value);
}

static void add_json(struct text *out, const struct table_version *version)
{
	char time[VALUE_TEXT_BYTES];
	size_t length = format_timestamp(time, version->time_ms * 1000, true);

	text_addf(out, "{\"version\": %lld, \"parent\": ",
		  (long long)version->version);
	if (version->parent > 0)
		text_addf(out, "%lld", (long long)version->parent);
	else
		text_add_str(out, "null");
	text_addf(out, ", \"time\": \"%.*s\", \"operation\": ", (int)length,
		  time);
	text_add_json(out, version->operation, strlen(version->operation));
	add_number(out, "snapshot", version->snapshot_id);
	add_number(out, "inserted", version->rows_inserted);
	add_number(out, "updated", version->rows_updated);
	add_number(out, "deleted", version->rows_deleted);
	add_number(out, "rows", version->total_rows);
	text_add_str(out, "}");
}

static void add_count(struct text *out, int64_t count, const char *word)
{
	if (count > 0)
		text_addf(out, " %lld %s", (long long)count, word);
}

static void add_line(struct text *out, const struct table_version *version)
{
	char time[VALUE_TEXT_BYTES];
	size_t length = format_timestamp(time, version->time_ms * 1000, true);

	text_addf(out, "%lld  %.*s  %s", (long long)version->version,
		  (int)length, time, version->operation);
	add_count(out, version->rows_inserted, "inserted");
	add_count(out, version->rows_updated, "updated");
	add_count(out, version->rows_deleted, "deleted");
	if (version->total_rows >= 0)
		text_addf(out, " (%lld rows)", (long long)version->total_rows);
	text_add_char(out, '\n');
}

int cmd_log(struct cli *cli, struct error *err)
{
	struct table_version *versions;
	struct text out = TEXT_INIT;
	struct arena arena;
	struct table *table;
	size_t count = 0;
	int rc = names_open_table(cli, cli->args[0], 0, &table, err);

	if (rc)
		return rc;
	arena_init(&arena, 0);
	rc = table_history(table, &arena, &versions, &count, err);
	if (count > cli->limit)
		count = (size_t)cli->limit;
	if (cli->json)
		text_add_char(&out, '[');
	for (size_t i = 0; !rc && i < count; i++) {
		if (cli->json) {
			text_add_str(&out, i ? ",\n " : "");
			add_json(&out, &versions[i]);
		} else {
			add_line(&out, &versions[i]);
		}
	}
	if (cli->json)
		text_add_str(&out, "]\n");
	if (!rc && out.failed)
		rc = error_set(err, ERROR_NO_MEMORY, "log");
	if (!rc && out.length)
		rc = print_text(out.data, out.length, err);
	text_release(&out);
	arena_release(&arena);
	table_free(table);
	return rc;
}
