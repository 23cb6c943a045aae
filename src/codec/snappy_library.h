#ifndef CODEC_SNAPPY_LIBRARY_H
#define CODEC_SNAPPY_LIBRARY_H
#include <snappy-c.h>
#include "util/util.h"

/* The functions of libsnappy (snappy-c.h). */
struct snappy_library {
	snappy_status (*compress)(const char *input, size_t input_length,
				  char *compressed,
				  size_t *compressed_length);
	snappy_status (*uncompress)(const char *compressed,
				    size_t compressed_length,
				    char *uncompressed,
				    size_t *uncompressed_length);
	size_t (*max_compressed_length)(size_t source_length);
	snappy_status (*uncompressed_length)(const char *compressed,
					     size_t compressed_length,
					     size_t *result);
};

/* Loaded when first asked for; any thread. Errors: ERROR_UNSUPPORTED when it
 * is not installed. */
int snappy_library_get(const struct snappy_library **out, struct error *err);
#endif
