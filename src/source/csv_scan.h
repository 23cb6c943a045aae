#ifndef SOURCE_CSV_SCAN_H
#define SOURCE_CSV_SCAN_H
#include "source/csv_chunk.h"

/*
 * The structural scanner: where the separators of plain records are, 64 bytes
 * at a time. Plain means that libcsv in strict mode would find the same
 * fields: a quote opens only at the start of a field and closes only at its
 * end, quotes inside are doubled, a CR outside quotes is followed by LF, and
 * each record has the expected number of fields.
 */
enum csv_scan_level {
	CSV_SCAN_BEST,		/* what the processor has */
	CSV_SCAN_PORTABLE,
	CSV_SCAN_SSE2,
	CSV_SCAN_AVX2,
};

/* Tests: use this level from now on. False if the processor lacks it. */
bool csv_scan_force(enum csv_scan_level level);

/*
 * Fill the plain half of the chunk. *plain_out is false, and nothing of the
 * chunk is to be used, when the records are not provably plain. Errors:
 * ERROR_NO_MEMORY.
 */
int csv_scan_chunk(struct csv_chunk *chunk, const struct csv_options *options,
		   bool *plain_out, struct error *err);

/* How often a byte occurs; memory speed. */
size_t csv_count_byte(const uint8_t *bytes, size_t length, uint8_t byte);
#endif
