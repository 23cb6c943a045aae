/*
 * fuzz_metadata.c - any text as table metadata
 *
 * What can be read and written must read again and then give the same bytes;
 * a copy must give them too.
 */
#include <stdlib.h>
#include "iceberg/iceberg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

static void check_again(const struct text *first)
{
	struct table_metadata *metadata, *copy;
	struct text second = TEXT_INIT;
	struct error err;

	if (table_metadata_parse(&metadata, first->data, first->length,
				 "again", &err) ||
	    table_metadata_copy(&copy, metadata, &err))
		abort();
	table_metadata_free(metadata);
	if (table_metadata_format(copy, &second, &err) ||
	    second.length != first->length ||
	    memcmp(second.data, first->data, first->length) != 0)
		abort();
	table_metadata_free(copy);
	text_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct table_metadata *metadata;
	struct text out = TEXT_INIT;
	struct error err;

	error_init(&err);
	if (table_metadata_parse(&metadata, (const char *)data, length, "fuzz",
				 &err)) {
		if (!err.text[0])
			abort();
		return 0;
	}
	if (metadata->format_version < 2 &&
	    metadata_upgrade(metadata, 2, &err))
		abort();
	if (!table_metadata_format(metadata, &out, &err))
		check_again(&out);
	text_release(&out);
	table_metadata_free(metadata);
	return 0;
}
