#ifndef SOURCE_REJECT_LOG_H
#define SOURCE_REJECT_LOG_H
#include "util/util.h"

/*
 * The rows of a run that were set aside: raw records, and why each. Each
 * input gives its own in the order of its rows; the log gives them out input
 * by input, in the order in which the inputs were added. A record that two
 * inputs over one file refuse is there once. For one thread at a time: what
 * the inputs do is locked inside.
 */
struct reject_log;
struct reject_input;

/* directory: where it may keep temporary files. Errors: ERROR_NO_MEMORY. */
int reject_log_new(struct reject_log **out, const char *directory,
		   struct error *err);
void reject_log_free(struct reject_log *log);
/* At most so many records of each input from now on; one more is
 * ERROR_REJECT_LIMIT. UINT64_MAX, the default, is no limit. */
void reject_log_set_limit(struct reject_log *log, uint64_t row_count);
/*
 * The inputs added from now on are those of the next statement: the counts
 * begin at 0.
 */
void reject_log_begin(struct reject_log *log);
/*
 * An input over these files (names are copied) that is not read yet; it lives
 * as long as the log. Errors: ERROR_NO_MEMORY.
 */
int reject_log_add_input(struct reject_log *log, const char *const *paths,
			 size_t path_count, struct reject_input **out,
			 struct error *err);
/*
 * Records since reject_log_begin(), each once, and what the first of them is.
 * *first is set if the count is not 0. Errors: ERROR_NO_MEMORY, ERROR_IO.
 */
int reject_log_count(struct reject_log *log, uint64_t *out,
		     struct error *first, struct error *err);

/*
 * Write two files beside path, synced: all records so far, and
 * path.reasons.jsonl. publish gives them their names, each in one step;
 * undo removes them. path is kept from stage on. Errors: ERROR_IO,
 * ERROR_NO_SPACE, ERROR_NO_MEMORY; then neither is left.
 */
int reject_log_stage(struct reject_log *log, const char *path,
		     struct error *err);
int reject_log_publish(struct reject_log *log, struct error *err);
void reject_log_undo(struct reject_log *log);

/* ---- what a reader gives ---- */

/* A record that was refused; borrowed texts. */
struct reject {
	enum error_code code;
	uint64_t line;
	const char *field;		/* "" = none */
	const char *message;
	struct byte_view record;	/* as it is in the file */
	bool is_open;			/* without a line end */
};

/* Append one, packed, to a run of them. */
bool reject_pack(struct text *out, const struct reject *reject);
/*
 * What is before the first record of a file, as it is there. Given for the
 * first file of an input before anything else, for any other before its first
 * record. The bytes are copied.
 */
int reject_input_file(struct reject_input *input, const char *name,
		      struct byte_view head, bool is_open, struct error *err);
/* A run of records of the last file. Errors: ERROR_REJECT_LIMIT: the records
 * up to the one that is too many were taken; ERROR_IO, ERROR_NO_SPACE,
 * ERROR_NO_MEMORY. */
int reject_input_add(struct reject_input *input, struct byte_view run,
		     struct error *err);
/*
 * Is this the first reading? Only that one is kept; later ones, which look
 * for the reason of another failure, pass over the same records.
 */
bool reject_input_begin(struct reject_input *input);
#endif
