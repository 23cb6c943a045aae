/*
 * peer_duckdb.c - run a SQL file in DuckDB, as a whole process
 *
 *	peer_duckdb FILE [DATABASE]
 *	peer_duckdb --version
 *
 * Why:    driven from Python or Node, the interpreter's start-up and memory
 *         would count against DuckDB.
 * How:    linked with the libduckdb.so of DuckDB's own package. Without
 *         DATABASE the statements run in memory.
 * Limits: results of queries are dropped; a statement that wants to say
 *         something writes it with COPY.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The package has no header; these are DuckDB's stable C interface. */
typedef struct duckdb_database_handle *duckdb_database;
typedef struct duckdb_connection_handle *duckdb_connection;
typedef struct {
	uint64_t column_count;
	uint64_t row_count;
	uint64_t rows_changed;
	void *columns;
	char *error_message;
	void *internal_data;
} duckdb_result;

extern int duckdb_open(const char *path, duckdb_database *out);
extern void duckdb_close(duckdb_database *database);
extern int duckdb_connect(duckdb_database database, duckdb_connection *out);
extern void duckdb_disconnect(duckdb_connection *connection);
extern int duckdb_query(duckdb_connection connection, const char *sql,
			duckdb_result *out);
extern const char *duckdb_result_error(duckdb_result *result);
extern void duckdb_destroy_result(duckdb_result *result);
extern const char *duckdb_library_version(void);

static char *file_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	long size;

	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END) && (size = ftell(file)) >= 0) {
		rewind(file);
		size_t bytes = (size_t)size;

		text = calloc(1, bytes + 1);
		if (text && fread(text, 1, bytes, file) != bytes) {
			free(text);
			text = NULL;
		}
	}
	fclose(file);
	return text;
}

int main(int argc, char **argv)
{
	duckdb_connection connection;
	duckdb_database database;
	duckdb_result result;
	char *sql;
	int failed;

	if (argc < 2 || argc > 3) {
		fputs("usage: peer_duckdb FILE [DATABASE]\n", stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--version")) {
		puts(duckdb_library_version());
		return 0;
	}
	sql = file_text(argv[1]);
	if (!sql) {
		perror(argv[1]);
		return 1;
	}
	if (duckdb_open(argc > 2 ? argv[2] : NULL, &database) ||
	    duckdb_connect(database, &connection)) {
		fputs("peer_duckdb: cannot open the database\n", stderr);
		return 1;
	}
	failed = duckdb_query(connection, sql, &result);
	if (failed)
		fprintf(stderr, "peer_duckdb: %s: %s\n", argv[1],
			duckdb_result_error(&result));
	duckdb_destroy_result(&result);
	duckdb_disconnect(&connection);
	duckdb_close(&database);
	free(sql);
	return failed ? 1 : 0;
}
