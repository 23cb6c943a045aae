/*
 * fuzz_csv.c - any bytes: libcsv, the scanner and the model agree
 *
 * Build:  clang -fsanitize=fuzzer,address,undefined, linked with the rooms
 *         under source; no libcheck, whose failures abort here.
 * Input:  a byte that picks the dialect, a byte that picks the types, the
 *         file. With -DFUZZ_MAIN it is read from the files named.
 */
#include "unit/csv_compare.h"
#include "fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length)
{
	struct type types[SAMPLE_TYPES];
	struct comparison c;

	if (length < 2 || length > 4096)
		return 0;
	if (length >= 5 && (memcmp(data + 2, "\x1f\x8b\x08", 3) == 0 ||
			    memcmp(data + 2, "\x28\xb5\x2f", 3) == 0))
		return 0;	/* would be unpacked, the model cannot */
	memset(&c, 0, sizeof(c));
	csv_options_init(&c.options);
	c.options.delimiter = ",;\t|"[data[0] & 3];
	c.options.quote = "\"'\"\0"[data[0] >> 2 & 3];
	c.options.has_header = !(data[0] & 0x10);
	c.options.null_texts[0] = "NULL";
	c.options.null_text_count = (data[0] & 0x20) != 0;
	sample_types(types);
	if (data[1] & 1) {
		c.types = types;
		c.type_count = SAMPLE_TYPES;
	}
	c.seed = data[1] >> 1;
	c.data = data + 2;
	c.length = length - 2;
	compare_all_ways(&c);
	return 0;
}
