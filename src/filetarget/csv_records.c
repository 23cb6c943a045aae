/*
 * csv_records.c - the raw records of a CSV file
 *
 * Why:    a row that does not change is copied byte for byte.
 * How:    a window over the file that grows to the longest record.
 * Cost:   one look at each byte.
 */
#include "filetarget/csv_records.h"

#define WINDOW_BYTES ((size_t)1 << 20)

void csv_records_init(struct csv_records *records, struct input_file *file,
		      char quote)
{
	memset(records, 0, sizeof(*records));
	records->file = file;
	records->quote = quote;
}

void csv_records_release(struct csv_records *records)
{
	mem_free(records->data);
}

/* More bytes behind those of the record at hand; *got false at the end. */
static int fill(struct csv_records *records, bool *got, struct error *err)
{
	uint64_t left = input_file_size(records->file) - records->offset;
	size_t kept = records->length - records->at;
	size_t more = left < WINDOW_BYTES ? (size_t)left : WINDOW_BYTES;
	int rc;

	*got = more > 0;
	if (!more)
		return 0;
	if (kept && records->at)
		memmove(records->data, records->data + records->at, kept);
	records->length = kept;
	records->at = 0;
	if (records->capacity < kept + more) {
		char *data = mem_realloc_array(records->data,
					       2 * kept + more, 1);

		if (!data)
			return error_set(err, ERROR_NO_MEMORY, "CSV");
		records->data = data;
		records->capacity = 2 * kept + more;
	}
	rc = input_file_read(records->file, records->offset,
			     records->data + kept, more, err);
	if (rc)
		return rc;
	records->offset += more;
	records->length += more;
	return 0;
}

int csv_records_next(struct csv_records *records, bool is_line,
		     const char **data, size_t *length, struct error *err)
{
	bool inside = false, got = true;
	size_t seen = 0;
	int rc;

	*length = 0;
	for (;;) {
		const char *at = records->data + records->at;
		size_t left = records->length - records->at;

		for (; seen < left; seen++) {
			char c = at[seen];

			inside ^= !is_line && records->quote &&
				  c == records->quote;
			if (c == '\n' && !inside)
				break;
		}
		if (seen < left || !got) {
			*data = at;
			*length = seen < left ? seen + 1 : seen;
			records->at += *length;
			return 0;
		}
		rc = fill(records, &got, err);
		if (rc)
			return rc;
	}
}

size_t csv_record_bytes(const char *data, size_t length)
{
	if (length && data[length - 1] == '\n')
		length--;
	if (length && data[length - 1] == '\r')
		length--;
	return length;
}
