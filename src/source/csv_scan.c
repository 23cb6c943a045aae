/*
 * csv_scan.c - where the separators of plain records are
 *
 * Why:    libcsv looks at one byte at a time, which alone takes longer than
 *         everything else that a load does.
 * How:    64 bytes become four bit masks: quotes, delimiters, LF, CR. The
 *         prefix sum of the quote bits says which bytes are inside quotes;
 *         delimiters and LF outside are the separators. That the quotes mean
 *         what the prefix sum takes them for is checked with the same masks:
 *         each opening one is at the start of a field or doubles the one
 *         before it, each closing one is at an end. The separators are then
 *         checked to form rows of the same number of fields.
 * Cost:   0.25 ns per byte with AVX2, 4 bytes written per field.
 * Limits: says only "not plain", never why; libcsv then finds what is wrong.
 */
#include "source/csv_scan.h"
#include "codec/codec.h"

#include <stdatomic.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86 1
#include <immintrin.h>
#else
#define HAVE_X86 0
#endif

#define BLOCK_BYTES 64
/* Blocks scanned between two looks at the room for separators. */
#define STRIDE_BYTES ((size_t)32 << 10)
#define ALWAYS_INLINE inline __attribute__((always_inline))

struct scan_state {
	const uint8_t *bytes;
	uint8_t delimiter;
	uint8_t quote;
	bool has_quote;
	uint32_t *next;		/* where the next separator is written */
	uint64_t line_ends;	/* LF anywhere */
	uint64_t row_ends;	/* LF outside quotes */
	uint64_t broken;	/* a bit is set: not plain */
	uint64_t high;		/* a bit is set: not all ASCII */
	uint64_t cr;		/* a bit is set: CR outside quotes */
	/* the block before, as masks of bit 0 */
	uint64_t inside;	/* all ones: it ended inside quotes */
	uint64_t after_separator;
	uint64_t after_closing;
	uint64_t after_cr;
	uint32_t escaped;	/* CSV_ESCAPED for the next separator, or 0 */
};

struct block_masks {
	uint64_t quote, delimiter, lf, cr, high;
};

/* Bit i = xor of the bits 0 .. i. */
static ALWAYS_INLINE uint64_t prefix_xor(uint64_t x)
{
	x ^= x << 1;
	x ^= x << 2;
	x ^= x << 4;
	x ^= x << 8;
	x ^= x << 16;
	x ^= x << 32;
	return x;
}

static ALWAYS_INLINE uint32_t *write_bits(uint32_t *out, uint64_t bits,
					  uint32_t base)
{
	size_t count = (size_t)__builtin_popcountll(bits);

	/* four at a time, the surplus is overwritten by the next block */
	for (size_t i = 0; i < count; i += 4) {
		for (size_t j = 0; j < 4; j++) {
			out[i + j] = base +
				(bits ? (uint32_t)__builtin_ctzll(bits) : 0);
			bits &= bits - 1;
		}
	}
	return out + count;
}

/*
 * Quotes are doubled at the bits of escapes: mark the separators behind them.
 * first is where the separators of the block were written.
 */
static void mark_escaped(struct scan_state *s, uint32_t *first,
			 uint64_t separators, uint64_t escapes)
{
	if (s->escaped && separators) {
		*first |= s->escaped;
		s->escaped = 0;
	}
	for (; escapes; escapes &= escapes - 1) {
		uint64_t before = separators & ((escapes & -escapes) - 1);
		uint32_t *at = first + __builtin_popcountll(before);

		if (at < s->next)
			*at |= CSV_ESCAPED;
		else
			s->escaped = CSV_ESCAPED;
	}
}

static ALWAYS_INLINE void scan_masks(struct scan_state *s, uint32_t base,
				     const struct block_masks *m,
				     uint64_t toggles)
{
	uint64_t inside = toggles ^ s->inside;
	uint64_t opening = m->quote & inside;
	uint64_t closing = m->quote & ~inside;
	uint64_t separators = (m->delimiter | m->lf) & ~inside;
	uint64_t cr = m->cr & ~inside;
	uint64_t after_separator = separators << 1 | s->after_separator;
	uint64_t after_closing = closing << 1 | s->after_closing;
	uint64_t after_cr = cr << 1 | s->after_cr;
	uint64_t escapes = opening & after_closing;
	uint32_t *first = s->next;

	s->broken |= opening & ~(after_separator | after_closing);
	s->broken |= after_closing & ~(separators | m->quote | cr);
	s->broken |= after_cr & ~m->lf;
	s->high |= m->high;
	s->cr |= cr;
	s->line_ends += (uint64_t)__builtin_popcountll(m->lf);
	s->row_ends += (uint64_t)__builtin_popcountll(m->lf & ~inside);
	s->inside = (uint64_t)0 - (inside >> 63);
	s->after_separator = separators >> 63;
	s->after_closing = closing >> 63;
	s->after_cr = cr >> 63;
	s->next = write_bits(first, separators, base);
	if (__builtin_expect((escapes | s->escaped) != 0, 0))
		mark_escaped(s, first, separators, escapes);
}

static void scan_portable(struct scan_state *s, size_t first, size_t end)
{
	for (size_t at = first; at < end; at += BLOCK_BYTES) {
		const uint8_t *p = s->bytes + at;
		struct block_masks m = { 0, 0, 0, 0, 0 };

		for (unsigned i = 0; i < BLOCK_BYTES; i++) {
			m.quote |= (uint64_t)(p[i] == s->quote) << i;
			m.delimiter |= (uint64_t)(p[i] == s->delimiter) << i;
			m.lf |= (uint64_t)(p[i] == '\n') << i;
			m.cr |= (uint64_t)(p[i] == '\r') << i;
			m.high |= (uint64_t)(p[i] >> 7) << i;
		}
		if (!s->has_quote)
			m.quote = 0;
		scan_masks(s, (uint32_t)at, &m, prefix_xor(m.quote));
	}
}

#if HAVE_X86
static ALWAYS_INLINE uint64_t equal_sse2(const __m128i v[4], __m128i x)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < 4; i++)
		bits |= (uint64_t)(uint16_t)_mm_movemask_epi8(
				_mm_cmpeq_epi8(v[i], x)) << (16 * i);
	return bits;
}

static void scan_sse2(struct scan_state *s, size_t first, size_t end)
{
	const __m128i quote = _mm_set1_epi8((char)s->quote);
	const __m128i delimiter = _mm_set1_epi8((char)s->delimiter);
	const __m128i lf = _mm_set1_epi8('\n');
	const __m128i cr = _mm_set1_epi8('\r');

	for (size_t at = first; at < end; at += BLOCK_BYTES) {
		const uint8_t *p = s->bytes + at;
		struct block_masks m;
		__m128i v[4];

		for (unsigned i = 0; i < 4; i++)
			v[i] = _mm_loadu_si128((const __m128i *)(p + 16 * i));
		m.quote = s->has_quote ? equal_sse2(v, quote) : 0;
		m.delimiter = equal_sse2(v, delimiter);
		m.lf = equal_sse2(v, lf);
		m.cr = equal_sse2(v, cr);
		m.high = (uint64_t)_mm_movemask_epi8(
			_mm_or_si128(_mm_or_si128(v[0], v[1]),
				     _mm_or_si128(v[2], v[3])));
		scan_masks(s, (uint32_t)at, &m, prefix_xor(m.quote));
	}
}

#define TARGET_AVX2 __attribute__((target("avx2,pclmul,popcnt,bmi,bmi2")))

static ALWAYS_INLINE TARGET_AVX2 uint64_t equal_avx2(__m256i a, __m256i b,
						     __m256i x)
{
	return (uint64_t)(uint32_t)_mm256_movemask_epi8(
		       _mm256_cmpeq_epi8(a, x)) |
	       (uint64_t)(uint32_t)_mm256_movemask_epi8(
		       _mm256_cmpeq_epi8(b, x)) << 32;
}

TARGET_AVX2 static void scan_avx2(struct scan_state *s, size_t first,
				  size_t end)
{
	const __m256i quote = _mm256_set1_epi8((char)s->quote);
	const __m256i delimiter = _mm256_set1_epi8((char)s->delimiter);
	const __m256i lf = _mm256_set1_epi8('\n');
	const __m256i cr = _mm256_set1_epi8('\r');
	const __m128i ones = _mm_set1_epi8((char)0xff);
	struct scan_state state = *s;	/* in registers */

	for (size_t at = first; at < end; at += BLOCK_BYTES) {
		const uint8_t *p = state.bytes + at;
		__m256i a = _mm256_loadu_si256((const __m256i *)p);
		__m256i b = _mm256_loadu_si256((const __m256i *)(p + 32));
		struct block_masks m;
		uint64_t toggles;

		m.quote = state.has_quote ? equal_avx2(a, b, quote) : 0;
		m.delimiter = equal_avx2(a, b, delimiter);
		m.lf = equal_avx2(a, b, lf);
		m.cr = equal_avx2(a, b, cr);
		m.high = (uint32_t)_mm256_movemask_epi8(
			_mm256_or_si256(a, b));
		toggles = (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(
			_mm_set_epi64x(0, (int64_t)m.quote), ones, 0));
		scan_masks(&state, (uint32_t)at, &m, toggles);
	}
	*s = state;
}

TARGET_AVX2 static size_t count_avx2(const uint8_t *bytes, size_t blocks,
				     uint8_t byte)
{
	const __m256i x = _mm256_set1_epi8((char)byte);
	size_t count = 0;

	for (size_t i = 0; i < blocks; i++) {
		const uint8_t *p = bytes + i * BLOCK_BYTES;
		__m256i a = _mm256_loadu_si256((const __m256i *)p);
		__m256i b = _mm256_loadu_si256((const __m256i *)(p + 32));

		count += (size_t)__builtin_popcountll(equal_avx2(a, b, x));
	}
	return count;
}

static size_t count_sse2(const uint8_t *bytes, size_t blocks, uint8_t byte)
{
	const __m128i x = _mm_set1_epi8((char)byte);
	size_t count = 0;

	for (size_t i = 0; i < blocks; i++) {
		const uint8_t *p = bytes + i * BLOCK_BYTES;
		__m128i v[4];

		for (unsigned j = 0; j < 4; j++)
			v[j] = _mm_loadu_si128((const __m128i *)(p + 16 * j));
		count += (size_t)__builtin_popcountll(equal_sse2(v, x));
	}
	return count;
}
#endif

/* The level in use; CSV_SCAN_BEST = the processor was not asked yet. */
static atomic_int current_level = CSV_SCAN_BEST;

static enum csv_scan_level scan_level(void)
{
	int level = atomic_load_explicit(&current_level, memory_order_relaxed);

	if (level != CSV_SCAN_BEST)
		return (enum csv_scan_level)level;
	level = HAVE_X86 ? CSV_SCAN_SSE2 : CSV_SCAN_PORTABLE;
	if (cpu_has_avx2())
		level = CSV_SCAN_AVX2;
	atomic_store_explicit(&current_level, level, memory_order_relaxed);
	return (enum csv_scan_level)level;
}

bool csv_scan_force(enum csv_scan_level level)
{
	if ((level == CSV_SCAN_AVX2 && !cpu_has_avx2()) ||
	    (level == CSV_SCAN_SSE2 && !HAVE_X86))
		return false;
	atomic_store_explicit(&current_level, level, memory_order_relaxed);
	return true;
}

size_t csv_count_byte(const uint8_t *bytes, size_t length, uint8_t byte)
{
	size_t blocks = length / BLOCK_BYTES;
	size_t count = 0;

#if HAVE_X86
	enum csv_scan_level level = blocks ? scan_level() : CSV_SCAN_PORTABLE;

	if (level == CSV_SCAN_AVX2)
		count = count_avx2(bytes, blocks, byte);
	else if (level == CSV_SCAN_SSE2)
		count = count_sse2(bytes, blocks, byte);
	else
		blocks = 0;
#else
	blocks = 0;
#endif
	for (size_t i = blocks * BLOCK_BYTES; i < length; i++)
		count += bytes[i] == byte;
	return count;
}

static void scan_blocks(enum csv_scan_level level, struct scan_state *s,
			size_t first, size_t end)
{
#if HAVE_X86
	if (level == CSV_SCAN_AVX2) {
		scan_avx2(s, first, end);
		return;
	}
	if (level == CSV_SCAN_SSE2) {
		scan_sse2(s, first, end);
		return;
	}
#endif
	scan_portable(s, first, end);
}

/* All separators of the chunk, the padding included. */
static int find_separators(struct csv_chunk *chunk, struct scan_state *s,
			   size_t length, size_t *count_out,
			   struct error *err)
{
	enum csv_scan_level level = scan_level();
	size_t count = 0;

	for (size_t at = 0; at < length && !s->broken; at += STRIDE_BYTES) {
		size_t end = at + STRIDE_BYTES;
		int rc;

		if (end > length)
			end = length;
		/* 4: what write_bits() writes too much */
		rc = csv_chunk_reserve_separators(chunk, count + (end - at) +
						  BLOCK_BYTES + 4, err);
		if (rc)
			return rc;
		s->next = chunk->separators + count;
		scan_blocks(level, s, at, end);
		count = (size_t)(s->next - chunk->separators);
	}
	*count_out = count;
	return 0;
}

/* Does each row have field_count fields, without an empty line between? */
static bool rows_are_even(const struct csv_chunk *chunk, size_t rows)
{
	size_t fields = chunk->file->field_count;
	const uint32_t *end = chunk->separators + fields - 1;
	unsigned wrong = 0;

	for (size_t r = 0; r < rows; r++)
		wrong |= chunk->bytes[CSV_OFFSET(end[r * fields])] ^
			 (unsigned)'\n';
	return wrong == 0;
}

/*
 * Empty lines are between: take their separators out and note where each row
 * starts. False if a row has another number of fields.
 */
static int drop_empty_lines(struct csv_chunk *chunk, size_t count,
			    bool *even_out, struct error *err)
{
	size_t fields = chunk->file->field_count;
	const uint8_t *bytes = chunk->bytes;
	uint32_t *separators = chunk->separators;
	size_t kept = 0, row_fields = 0;
	uint32_t start = 0;
	int rc;

	*even_out = false;
	for (size_t i = 0; i < count; i++) {
		uint32_t at = CSV_OFFSET(separators[i]);
		bool is_end = bytes[at] == '\n';

		if (is_end && row_fields == 0 &&
		    (at == start ||
		     (at == start + 1 && bytes[start] == '\r'))) {
			start = at + 1;
			continue;
		}
		separators[kept++] = separators[i];
		if (++row_fields > fields || (is_end && row_fields != fields))
			return 0;
		if (!is_end)
			continue;
		rc = csv_chunk_reserve_rows(chunk, chunk->row_count + 1, err);
		if (rc)
			return rc;
		chunk->row_starts[chunk->row_count++] = start;
		row_fields = 0;
		start = at + 1;
	}
	chunk->has_row_starts = true;
	*even_out = row_fields == 0;
	return 0;
}

/* Is the last of the fields bare and empty in each row? */
static bool last_fields_are_empty(const struct csv_chunk *chunk)
{
	size_t fields = chunk->file->field_count;
	const uint32_t *last = chunk->separators + fields - 2;

	for (size_t r = 0; r < chunk->row_count; r++) {
		uint32_t start = CSV_OFFSET(last[r * fields] + 1);
		uint32_t length = CSV_OFFSET(last[r * fields + 1]) - start;

		if (length > 1 ||
		    (length == 1 && chunk->bytes[start] != '\r'))
			return false;
	}
	return true;
}

static int find_rows(struct csv_chunk *chunk, const struct scan_state *s,
		     size_t count, bool *plain_out, struct error *err)
{
	size_t fields = chunk->file->field_count;
	int rc;

	chunk->has_row_starts = false;
	chunk->row_count = 0;
	if (count == s->row_ends * fields &&
	    rows_are_even(chunk, (size_t)s->row_ends)) {
		chunk->row_count = (size_t)s->row_ends;
	} else {
		bool even;

		if (fields == 1)
			return 0;
		rc = drop_empty_lines(chunk, count, &even, err);
		if (rc || !even)
			return rc;
	}
	*plain_out = !chunk->file->trailing_field ||
		     last_fields_are_empty(chunk);
	return 0;
}

int csv_scan_chunk(struct csv_chunk *chunk, const struct csv_options *options,
		   bool *plain_out, struct error *err)
{
	struct scan_state s = {
		.bytes = chunk->bytes,
		.delimiter = (uint8_t)options->delimiter,
		.quote = (uint8_t)options->quote,
		.has_quote = options->quote != 0,
		.after_separator = 1,
	};
	size_t length = chunk->length;
	size_t count;
	int rc;

	*plain_out = false;
	memset(chunk->bytes + length, 0, CSV_PADDING_BYTES);
	if (length && chunk->bytes[length - 1] == '\r')
		return 0;
	/* a last line without its end gets one, in the padding */
	if (length && chunk->bytes[length - 1] != '\n')
		chunk->bytes[length++] = '\n';
	rc = find_separators(chunk, &s, length, &count, err);
	if (rc)
		return rc;
	if (s.broken || s.inside)
		return 0;
	rc = find_rows(chunk, &s, count, plain_out, err);
	if (rc || !*plain_out)
		return rc;
	chunk->plain = true;
	chunk->has_cr = s.cr != 0;
	chunk->has_line_per_row = s.line_ends == chunk->row_count;
	chunk->is_utf8 = s.high == 0 ||
			 utf8_is_valid(chunk->bytes, chunk->length);
	chunk->error.code = ERROR_NONE;
	return 0;
}
