#ifndef SOURCE_BYTE_INPUT_H
#define SOURCE_BYTE_INPUT_H
#include "io/io.h"
#include "codec/codec.h"

/*
 * The bytes of one input from start to end: a file, a pipe, standard input
 * ("-"), decompressed when they begin as gzip or zstd does. For one thread.
 */
struct byte_input;

/* path is copied. Errors: ERROR_IO. */
int byte_input_open(struct byte_input **out, const char *path,
		    struct error *err);
/* From now on the bytes are given as UTF-8 (source/text_encoding.h). Errors:
 * ERROR_USAGE (an unknown encoding). */
int byte_input_decode(struct byte_input *input, const char *encoding,
		      struct error *err);
/* What they are decoded from, once some were read; NULL = nothing. */
const char *byte_input_encoding(const struct byte_input *input);
void byte_input_free(struct byte_input *input);
/*
 * Fill buffer; less than capacity only at the end. Errors: ERROR_IO,
 * ERROR_CORRUPT (damaged or cut short).
 */
int byte_input_read(struct byte_input *input, void *buffer, size_t capacity,
		    size_t *length_out, struct error *err);
/* Bytes taken from the file so far, before decompression. */
uint64_t byte_input_taken(const struct byte_input *input);
/* Can the path be opened a second time and give the same? A regular file. */
bool byte_input_is_file(const char *path);
/*
 * Size of the input if it is a file that can be asked and is not compressed,
 * else 0. Opens nothing that could block.
 */
uint64_t byte_input_size(const char *path);
#endif
