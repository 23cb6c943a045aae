#ifndef FILETARGET_CSV_RECORDS_H
#define FILETARGET_CSV_RECORDS_H
#include "io/io.h"

/*
 * The raw records of a CSV file that has been read without an error: bytes up
 * to and with the line end. Every quote changes between inside and outside,
 * which is what quotes do in a file of whole quoted fields.
 */
struct csv_records {
	struct input_file *file;
	char quote;
	uint64_t offset;	/* of what is not read yet */
	char *data;
	size_t capacity;
	size_t at;		/* of the next record in data */
	size_t length;		/* bytes in data */
};
void csv_records_init(struct csv_records *records, struct input_file *file,
		      char quote);
void csv_records_release(struct csv_records *records);
/* *length 0 at the end; valid until the next call. is_line: up to the next
 * line end, whatever the quotes. */
int csv_records_next(struct csv_records *records, bool is_line,
		     const char **data, size_t *length, struct error *err);
/* Bytes of a record before its line end. */
size_t csv_record_bytes(const char *data, size_t length);
#endif
