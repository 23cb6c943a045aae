#ifndef SOURCE_DEBEZIUM_H
#define SOURCE_DEBEZIUM_H
#include "source/source.h"

/*
 * A change event of Debezium as a line of JSON: the envelope with before,
 * after, op and ts_ms, alone or as the payload beside its schema. Its row is
 * after, or before for a delete.
 */
struct debezium_event {
	char op[8];		/* as JSON text: "\"u\"" */
	char ts_ms[32];		/* as JSON text */
	char *row;		/* an object, NUL behind it */
	size_t row_length;
	bool is_tombstone;	/* says nothing: no row */
};
/* The columns that an event adds to those of its row. */
#define DEBEZIUM_OP "_op"

/* text[length] is a NUL; text is changed, and out points into it. Errors:
 * ERROR_CAST: no such event, or one that is about no row. */
int debezium_read(struct debezium_event *out, char *text, size_t length,
		  struct error *err);
/* Is a line a tombstone: null, or an envelope that ends with a payload of
 * null? */
bool debezium_is_tombstone(const uint8_t *line, size_t length);
#endif
