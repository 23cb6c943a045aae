/*
 * peer_sqlite.c - load, merge and export with SQLite, as a whole process
 *
 *	peer_sqlite [-p PRAGMA]... load DATABASE CSV
 *	peer_sqlite [-p PRAGMA]... merge DATABASE CSV
 *	peer_sqlite export DATABASE
 *
 * Why:    the sqlite3 shell would parse the batch through a temporary table;
 *         prepared statements fed by a plain CSV reader are the least work.
 * How:    one transaction. A merge is an upsert on the INTEGER PRIMARY KEY,
 *         and a DELETE for a row that says so; one that deletes nothing is
 *         not matched and inserted, as MERGE does it.
 *         Rows are taken in key order, so that a page is visited once.
 * Limits: money is kept in cents, so that it stays exact.
 */
#include "csv_rows.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char create_sql[] =
	"CREATE TABLE t (id INTEGER PRIMARY KEY, customer TEXT,"
	" purchases INTEGER, address TEXT, updated_at TEXT,"
	" is_deleted INTEGER, status TEXT, quantity INTEGER, score REAL,"
	" note TEXT)";
static const char insert_sql[] =
	"INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
static const char upsert_sql[] =
	"INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
	" ON CONFLICT (id) DO UPDATE SET customer = ?2, purchases = ?3,"
	" address = ?4, updated_at = ?5, is_deleted = ?6, status = ?7,"
	" quantity = ?8, score = ?9, note = ?10";
static const char delete_sql[] = "DELETE FROM t WHERE id = ?1";

static sqlite3 *database;

static void check(int code)
{
	if (code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE)
		return;
	fprintf(stderr, "peer_sqlite: %s\n", sqlite3_errmsg(database));
	exit(1);
}

static void execute(const char *sql)
{
	check(sqlite3_exec(database, sql, NULL, NULL, NULL));
}

static sqlite3_stmt *prepare(const char *sql)
{
	sqlite3_stmt *statement;

	check(sqlite3_prepare_v2(database, sql, -1, &statement, NULL));
	return statement;
}

static void step(sqlite3_stmt *statement)
{
	check(sqlite3_step(statement));
	check(sqlite3_reset(statement));
}

static void bind_row(sqlite3_stmt *statement, const struct csv_row *row)
{
	for (int i = 0; i < COLUMN_COUNT; i++) {
		const struct csv_field *field = &row->field[i];
		int at = i + 1, code;

		if (field->is_null)
			code = sqlite3_bind_null(statement, at);
		else if (i == COLUMN_ID || i == COLUMN_QUANTITY)
			code = sqlite3_bind_int64(statement, at,
						  csv_scaled(field, 0));
		else if (i == COLUMN_PURCHASES)
			code = sqlite3_bind_int64(statement, at,
						  csv_scaled(field, 2));
		else if (i == COLUMN_IS_DELETED)
			code = sqlite3_bind_int(statement, at,
						csv_boolean(field));
		else if (i == COLUMN_SCORE)
			code = sqlite3_bind_double(statement, at,
						   strtod(field->text, NULL));
		else
			code = sqlite3_bind_text(statement, at, field->text,
						 (int)field->length,
						 SQLITE_STATIC);
		check(code);
	}
}

static void load(const char *path)
{
	struct csv_rows *rows = csv_rows_open(path);
	sqlite3_stmt *insert;
	struct csv_row row;

	execute(create_sql);
	execute("BEGIN");
	insert = prepare(insert_sql);
	while (csv_rows_next(rows, &row)) {
		bind_row(insert, &row);
		step(insert);
	}
	sqlite3_finalize(insert);
	execute("COMMIT");
	csv_rows_close(rows);
}

/* A row with its own copy of the text. */
struct kept_row {
	long long id;
	struct csv_row row;
};

static int compare_id(const void *left, const void *right)
{
	long long a = ((const struct kept_row *)left)->id;
	long long b = ((const struct kept_row *)right)->id;

	return (a > b) - (a < b);
}

static void *must(void *memory)
{
	if (memory)
		return memory;
	fputs("peer_sqlite: out of memory\n", stderr);
	exit(1);
}

static struct kept_row *read_batch(const char *path, size_t *count)
{
	struct csv_rows *rows = csv_rows_open(path);
	struct kept_row *kept = NULL;
	size_t capacity = 0;
	struct csv_row row;

	*count = 0;
	while (csv_rows_next(rows, &row)) {
		size_t bytes = 0;
		char *text;

		if (*count == capacity) {
			capacity = capacity ? capacity * 2 : 1024;
			kept = must(realloc(kept, capacity * sizeof(*kept)));
		}
		for (int i = 0; i < COLUMN_COUNT; i++)
			bytes += row.field[i].length + 1;
		text = must(malloc(bytes));
		kept[*count].id = csv_scaled(&row.field[COLUMN_ID], 0);
		for (int i = 0; i < COLUMN_COUNT; i++) {
			struct csv_field *field = &row.field[i];

			memcpy(text, field->text, field->length + 1);
			field->text = text;
			text += field->length + 1;
		}
		kept[(*count)++].row = row;
	}
	csv_rows_close(rows);
	return kept;
}

static void merge(const char *path)
{
	size_t count;
	struct kept_row *kept = read_batch(path, &count);
	sqlite3_stmt *upsert, *delete;

	if (count)
		qsort(kept, count, sizeof(*kept), compare_id);
	execute("BEGIN IMMEDIATE");
	upsert = prepare(upsert_sql);
	delete = prepare(delete_sql);
	for (size_t i = 0; i < count; i++) {
		const struct csv_field *deleted =
			&kept[i].row.field[COLUMN_IS_DELETED];

		if (!deleted->is_null && csv_boolean(deleted)) {
			check(sqlite3_bind_int64(delete, 1, kept[i].id));
			step(delete);
			if (sqlite3_changes(database))
				continue;
		}
		bind_row(upsert, &kept[i].row);
		step(upsert);
	}
	sqlite3_finalize(upsert);
	sqlite3_finalize(delete);
	execute("COMMIT");
}

static void put_text(const char *text)
{
	if (text && (!*text || strpbrk(text, ",\"\r\n"))) {
		putchar('"');
		for (; *text; text++) {
			if (*text == '"')
				putchar('"');
			putchar(*text);
		}
		putchar('"');
	} else if (text) {
		fputs(text, stdout);
	}
}

static void export(void)
{
	sqlite3_stmt *select = prepare(
		"SELECT id, customer, printf('%d.%02d', purchases / 100,"
		" purchases % 100), address, updated_at,"
		" CASE is_deleted WHEN 1 THEN 'true' WHEN 0 THEN 'false' END,"
		" status, quantity, score, note FROM t");
	int code;

	puts("id,customer,purchases,address,updated_at,is_deleted,status,"
	     "quantity,score,note");
	while ((code = sqlite3_step(select)) == SQLITE_ROW) {
		for (int i = 0; i < COLUMN_COUNT; i++) {
			put_text((const char *)sqlite3_column_text(select, i));
			putchar(i + 1 < COLUMN_COUNT ? ',' : '\n');
		}
	}
	check(code);
	sqlite3_finalize(select);
}

static int usage(void)
{
	fputs("usage: peer_sqlite [-p PRAGMA]... load|merge|export DATABASE"
	      " [CSV]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	const char *pragma[16];
	int option, pragma_count = 0;

	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts(sqlite3_libversion());
		return 0;
	}
	while ((option = getopt(argc, argv, "+p:")) == 'p' &&
	       pragma_count < 16)
		pragma[pragma_count++] = optarg;
	argc -= optind;
	argv += optind;
	if (option != -1 || argc < 2)
		return usage();
	check(sqlite3_open(argv[1], &database));
	for (int i = 0; i < pragma_count; i++) {
		char *sql = sqlite3_mprintf("PRAGMA %s", pragma[i]);

		execute(sql);
		sqlite3_free(sql);
	}
	if (!strcmp(argv[0], "load") && argc == 3)
		load(argv[2]);
	else if (!strcmp(argv[0], "merge") && argc == 3)
		merge(argv[2]);
	else if (!strcmp(argv[0], "export") && argc == 2)
		export();
	else
		return usage();
	check(sqlite3_close(database));
	if (fflush(stdout) || ferror(stdout)) {
		perror("peer_sqlite: standard output");
		return 1;
	}
	return 0;
}
