#ifndef SOURCE_CSV_CHUNK_H
#define SOURCE_CSV_CHUNK_H
#include "source/source.h"

/*
 * A run of whole records of one file, and where its fields are. Chunks are
 * cut by csv_split.c, taken apart by csv_scan.c or csv_reader.c and turned
 * into columns by csv_convert.c. Everything is private to this room.
 */

/* Readable bytes behind the last byte of a chunk and behind every view into
 * it: converters load whole words. */
#define CSV_PADDING_BYTES 64
/* A record may not be longer; offsets within a chunk are 32 bits. */
#define CSV_RECORD_BYTES_LIMIT ((size_t)256 << 20)
#define CSV_DEFAULT_CHUNK_BYTES ((size_t)12 << 20)
#define CSV_NO_FIELD SIZE_MAX
/* What a separator says besides its offset. */
#define CSV_ESCAPED (UINT32_C(1) << 31)
#define CSV_OFFSET(separator) ((separator) & ~CSV_ESCAPED)

/* One input file once its header was read. */
struct csv_file {
	const char *name;
	size_t field_count;	/* fields that every record must have */
	bool trailing_field;	/* the last of them is empty everywhere */
	const size_t *fields;	/* column -> field, or CSV_NO_FIELD */
	/* With rejects: what is before the first record, as it was read. */
	struct byte_view head;
	const char *encoding;	/* that the bytes were decoded from, or NULL */
};

/* A record that is set aside for its structure. */
struct csv_bad_record {
	size_t row;		/* rows of the chunk before it */
	size_t end;		/* of its packed form in bad_text */
};

/* One field as libcsv gave it: length bytes at offset of csv_chunk.text. */
struct csv_field {
	uint32_t offset;
	uint32_t length;
	bool quoted;
};

struct csv_chunk {
	struct csv_chunk *next;		/* of the list that it is in */
	const struct csv_file *file;
	uint64_t number;		/* in input order, from 0 */
	uint64_t first_line;		/* line of bytes[0], from 1 */
	uint64_t first_row;		/* known once is_numbered */
	unsigned references;
	bool is_numbered;
	bool is_done;			/* every row was handed out */
	bool is_replayed;		/* its rejects are queued already */

	uint8_t *bytes;
	size_t length;
	size_t capacity;		/* without CSV_PADDING_BYTES */

	size_t row_count;
	/* What is wrong behind the last row; code 0 = nothing. */
	struct error error;

	bool plain;			/* which of the two below is filled */
	/*
	 * Plain: offset of the delimiter or LF behind each field, field_count
	 * for each row, with CSV_ESCAPED added if quotes are doubled in the
	 * field. separators[-1] exists and makes the first field start at 0:
	 * a field starts at CSV_OFFSET(separator before + 1). row_starts is
	 * used only when a row does not start behind the last separator of
	 * the row before (an empty line is between).
	 */
	uint32_t *separators;
	size_t separator_capacity;
	uint32_t *row_starts;
	size_t row_start_capacity;
	bool has_row_starts;
	bool has_cr;			/* some line ends with CR LF */
	bool has_line_per_row;		/* row r is on line first_line + r */
	bool is_utf8;			/* all of the chunk is well formed */
	/* Set aside, in order, and in their packed form (reject_log.h). */
	struct csv_bad_record *bad;
	size_t bad_capacity;
	size_t bad_count;
	struct text bad_text;
	/* Not plain: libcsv's fields and values; row_starts is filled too. */
	struct csv_field *fields;
	size_t field_capacity;
	size_t field_count;
	struct text text;
};

int csv_chunk_new(struct csv_chunk **out, struct error *err);
void csv_chunk_free(struct csv_chunk *chunk);
/* Empty, memory kept. */
void csv_chunk_reset(struct csv_chunk *chunk);
/* Room for capacity bytes and the padding, the first length are kept. */
int csv_chunk_reserve(struct csv_chunk *chunk, size_t capacity,
		      struct error *err);
/* The same for separators and row starts: room for count in all. */
int csv_chunk_reserve_separators(struct csv_chunk *chunk, size_t count,
				 struct error *err);
int csv_chunk_reserve_rows(struct csv_chunk *chunk, size_t count,
			   struct error *err);

/* Offset of the first byte of a row. */
static inline size_t csv_chunk_row_start(const struct csv_chunk *chunk,
					 size_t row)
{
	if (!chunk->plain || chunk->has_row_starts)
		return chunk->row_starts[row];
	return CSV_OFFSET(chunk->separators[(ptrdiff_t)(row *
			  chunk->file->field_count) - 1] + 1);
}

/* The line on which a row starts: counted, for messages. */
uint64_t csv_chunk_row_line(const struct csv_chunk *chunk, size_t row);
/* Line of an offset. */
uint64_t csv_chunk_line(const struct csv_chunk *chunk, size_t offset);
/* An offset whose line is known. */
struct csv_place {
	size_t offset;
	uint64_t line;
};
/*
 * Lines of count rows from first_row on. place is at or before the first row
 * and moves to the last one.
 */
void csv_chunk_lines(const struct csv_chunk *chunk, size_t first_row,
		     size_t count, struct csv_place *place, uint64_t *lines);

/*
 * Behind the record that starts at offset start of bytes; 0 = it does not end
 * in them, or what follows them may belong to it. A quote that stands where
 * none may, and text behind a closing quote, make it end with the line that
 * they are on; a quote left open takes all that follows.
 */
size_t csv_record_end(struct byte_view bytes, size_t start,
		      const struct csv_options *options);
/*
 * Append the record at offset start, refused for the reason err, to a run of
 * rejects. Errors: ERROR_NO_MEMORY.
 */
int csv_chunk_pack_reject(const struct csv_chunk *chunk, size_t start,
			  const struct csv_options *options,
			  const struct error *reason, struct text *out,
			  struct error *err);

/*
 * Find the rows of a chunk of whole records: by the scanner when it is
 * provably plain, else by libcsv. A wrong record ends up in chunk->error; the
 * rows before it are kept; with options->rejects they are in chunk->bad, and all others
 * are rows. Errors: ERROR_NO_MEMORY.
 */
int csv_chunk_read(struct csv_chunk *chunk, const struct csv_options *options,
		   struct error *err);
#endif
