#ifndef TABLE_CATALOG_CATALOG_FILE_H
#define TABLE_CATALOG_CATALOG_FILE_H
#include "table/catalog/catalog.h"

/*
 * Names below metadata/, for this room only. Strings live in arena, NULL =
 * out of memory.
 */
#define METADATA_DIRECTORY "metadata"
#define HINT_NAME "version-hint.text"
#define SIDECAR_DIRECTORY "metadata/.rowmerge"
#define LOCK_NAME "metadata/.rowmerge/lock"
#define HINT_SPARE_NAME "metadata/.rowmerge/hint"
#define PIN_DIRECTORY "metadata/.rowmerge/pins"
#define LOG_DIRECTORY "metadata/.rowmerge/log"

/* Properties of a table that the catalog sets by itself. */
#define COMMIT_PROPERTY "rowmerge.commit"
#define COMMIT_LOG_PROPERTY "rowmerge.commit-log"

#define METADATA_BYTES_LIMIT ((size_t)1 << 30)
#define VERSION_LIMIT INT64_C(1000000000)

/* vN.metadata.json in one of its three spellings. */
enum version_spelling {
	SPELLING_PLAIN,		/* vN.metadata.json */
	SPELLING_GZIP,		/* vN.gz.metadata.json */
	SPELLING_OLD_GZIP,	/* vN.metadata.json.gz */
	SPELLING_COUNT,
};
char *version_path(struct arena *arena, const char *directory,
		   int64_t version, enum version_spelling spelling);
/* The path of a version that exists; *out NULL = no such version. */
int version_find(const char *directory, int64_t version, struct arena *arena,
		 char **out, struct error *err);
/* Digits at the start of text as a number, -1 if none or too many; *rest is
 * what follows them. */
int64_t version_digits(const char *text, const char **rest);
/* N of "vN.metadata.json" and its spellings, else -1. */
int64_t version_of_name(const char *name);
/* NNNNN of "NNNNN-*.metadata.json" and its spellings, else -1. */
int64_t foreign_version_of_name(const char *name);

/* All 0 when there is no such file. */
void file_identify(const char *path, struct file_identity *out);
bool file_identity_equal(const struct file_identity *a,
			 const struct file_identity *b);

/* Read and parse one metadata file, gzip or not. */
int metadata_file_load(const char *path, struct table_metadata **out,
		       struct error *err);
/* The newest version by hint, probing and listing. *out NULL = no table. */
struct version_found {
	char *path;
	int64_t version;
	bool is_foreign;
};
int version_newest(const char *directory, struct arena *arena,
		   struct version_found *out, struct error *err);

/* ERROR_FOREIGN_CATALOG when another catalog's metadata beside ours has a
 * snapshot that the table lacks. */
int catalog_check_owner(const struct catalog_table *table,
			struct arena *arena, struct error *err);

/* One record as a line of JSON, without a line end. */
int commit_record_format(const struct commit_record *record,
			 struct text *out, struct error *err);
/* ERROR_CORRUPT when the text is no record. Changes the text. */
int commit_record_parse(char *text, size_t length, struct arena *arena,
			struct commit_record *out, struct error *err);
/*
 * What the next version has to say of the log, given its base (NULL: a new
 * table): line is what must be written at offset of the log file before, "" =
 * nothing.
 */
struct commit_log_step {
	char *path;		/* of the log file */
	uint64_t offset;
	struct text line;
	bool sync;
};
int commit_log_advance(const char *directory,
		       const struct catalog_table *base,
		       struct table_metadata *next,
		       const struct commit_record *record,
		       struct arena *arena, struct commit_log_step *out,
		       struct error *err);
#endif
