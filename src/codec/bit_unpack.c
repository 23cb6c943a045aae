/*
 * bit_unpack.c - packed integers back into words
 *
 * Why:    dictionary indexes, levels and deltas are packed; this is the
 *         hottest loop of every scan.
 * How:    32 values of width w take exactly 4 * w bytes, so a block of 32 is
 *         unrolled for each width with all shifts constant and reads no byte
 *         too many. With AVX2 eight values at a time are spread over a
 *         register by a byte shuffle, shifted and masked; it reads 16 bytes
 *         at a time, the last ones from a copy.
 * Cost:   0.11 to 0.15 ns a value with AVX2 (widths to 25), else 0.3 ns.
 * Limits: widths to 32 and 64. A sanitizer's build does not unroll: checks in
 *         each of some 3000 values take it minutes to compile.
 */
#include "codec/bit_unpack.h"

#include <stdbool.h>
#include <string.h>
#include "codec/varint.h"
#include "util/cpu.h"
#ifdef __x86_64__
#include <immintrin.h>
#endif

#define BLOCK 32
#define INLINE static inline __attribute__((always_inline))
#ifdef __SANITIZE_ADDRESS__
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

INLINE uint64_t mask_of(unsigned width)
{
	return width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
}

/* Word i of a block; with an odd width the last one is half a word. */
INLINE uint64_t block_word(const uint8_t *in, unsigned width, unsigned i)
{
	return i * 2 + 1 < width ? load_le64(in + i * 8) :
				   load_le32(in + i * 8);
}

/* Value i of a block at in; constants all once width and i are. */
INLINE uint64_t block_value(const uint8_t *in, unsigned width, unsigned i)
{
	unsigned word = i * width / 64, shift = i * width % 64;
	uint64_t value = block_word(in, width, word) >> shift;

	if (shift + width > 64)
		value |= block_word(in, width, word + 1) << (64 - shift);
	return value & mask_of(width);
}

INLINE void unpack_block32(const uint8_t *in, unsigned width, uint32_t *out)
{
	UNROLL
	for (unsigned i = 0; i < BLOCK; i++)
		out[i] = (uint32_t)block_value(in, width, i);
}

INLINE void unpack_block64(const uint8_t *in, unsigned width, uint64_t *out)
{
	UNROLL
	for (unsigned i = 0; i < BLOCK; i++)
		out[i] = block_value(in, width, i);
}

/* Whole blocks of one width. */
#define WIDTH32(w) \
static void unpack32_##w(const uint8_t *in, size_t blocks, uint32_t *out) \
{ \
	for (; blocks > 0; blocks--, in += (w) * BLOCK / 8, out += BLOCK) \
		unpack_block32(in, w, out); \
}
#define WIDTH64(w) \
static void unpack64_##w(const uint8_t *in, size_t blocks, uint64_t *out) \
{ \
	for (; blocks > 0; blocks--, in += (w) * BLOCK / 8, out += BLOCK) \
		unpack_block64(in, w, out); \
}
#define WIDTHS_TO_32(X) \
	X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) \
	X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) \
	X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) X(32)
#define WIDTHS_TO_64(X) \
	X(33) X(34) X(35) X(36) X(37) X(38) X(39) X(40) X(41) X(42) X(43) \
	X(44) X(45) X(46) X(47) X(48) X(49) X(50) X(51) X(52) X(53) X(54) \
	X(55) X(56) X(57) X(58) X(59) X(60) X(61) X(62) X(63) X(64)

WIDTHS_TO_32(WIDTH32)
WIDTHS_TO_32(WIDTH64)
WIDTHS_TO_64(WIDTH64)

#define ENTRY32(w) unpack32_##w,
#define ENTRY64(w) unpack64_##w,

static void (*const blocks32[])(const uint8_t *in, size_t blocks,
				uint32_t *out) = {
	NULL, WIDTHS_TO_32(ENTRY32)
};

static void (*const blocks64[])(const uint8_t *in, size_t blocks,
				uint64_t *out) = {
	NULL, WIDTHS_TO_32(ENTRY64) WIDTHS_TO_64(ENTRY64)
};

/* Fewer than BLOCK values: from a copy that may be read past its end. */
struct tail {
	uint8_t bytes[BLOCK * 8 + 16];
};

static void tail_copy(struct tail *tail, const uint8_t *in, unsigned width,
		      size_t count)
{
	size_t length = bit_pack_bytes(count, width);

	memcpy(tail->bytes, in, length);
	memset(tail->bytes + length, 0, 16);
}

INLINE uint64_t tail_value(const struct tail *tail, unsigned width, size_t i)
{
	size_t bit = i * width;
	unsigned shift = bit % 8;
	uint64_t value = load_le64(tail->bytes + bit / 8) >> shift;

	if (shift + width > 64)
		value |= (uint64_t)tail->bytes[bit / 8 + 8] << (64 - shift);
	return value & mask_of(width);
}

#ifdef __x86_64__
#define WIDEST_AVX2 25	/* a value and its shift fit four bytes */
#define LAST_BYTES 64	/* more than spread32() leaves, or than it reads */

/* The four bytes that hold value i of four, as a shuffle control. */
#define LANE_BYTES(w, base, i) \
	(char)(((base) + (i) * (w)) / 8), \
	(char)(((base) + (i) * (w)) / 8 + 1), \
	(char)(((base) + (i) * (w)) / 8 + 2), \
	(char)(((base) + (i) * (w)) / 8 + 3)
#define LANE_SHIFT(w, base, i) (int)(((base) + (i) * (w)) % 8)

/*
 * Eight values a step: values 0 - 3 from the 16 bytes at in, 4 - 7 from the
 * 16 bytes at in + w / 2, where they start at bit 0 or, for odd w, 4.
 * Returns how many values were unpacked before fewer than w / 2 + 16 of the
 * byte_count bytes were left.
 */
INLINE __attribute__((target("avx2")))
size_t spread32(const uint8_t *in, size_t byte_count, const unsigned w,
		size_t count, uint32_t *out)
{
	const unsigned high = w % 2 * 4;
	const __m256i shuffle = _mm256_setr_epi8(
		LANE_BYTES(w, 0, 0), LANE_BYTES(w, 0, 1),
		LANE_BYTES(w, 0, 2), LANE_BYTES(w, 0, 3),
		LANE_BYTES(w, high, 0), LANE_BYTES(w, high, 1),
		LANE_BYTES(w, high, 2), LANE_BYTES(w, high, 3));
	const __m256i shifts = _mm256_setr_epi32(
		LANE_SHIFT(w, 0, 0), LANE_SHIFT(w, 0, 1),
		LANE_SHIFT(w, 0, 2), LANE_SHIFT(w, 0, 3),
		LANE_SHIFT(w, high, 0), LANE_SHIFT(w, high, 1),
		LANE_SHIFT(w, high, 2), LANE_SHIFT(w, high, 3));
	const __m256i mask = _mm256_set1_epi32((int)mask_of(w));
	const uint8_t *end = in + byte_count;
	size_t done = 0;
	__m256i v;

	while (done + 8 <= count && (size_t)(end - in) >= w / 2 + 16) {
		v = _mm256_loadu2_m128i(
			(const __m128i *)(const void *)(in + w / 2),
			(const __m128i *)(const void *)in);
		v = _mm256_shuffle_epi8(v, shuffle);
		v = _mm256_and_si256(_mm256_srlv_epi32(v, shifts), mask);
		_mm256_storeu_si256((__m256i *)(void *)(out + done), v);
		in += w;
		done += 8;
	}
	return done;
}

#define SPREAD32(w) \
static __attribute__((target("avx2"))) \
size_t spread32_##w(const uint8_t *in, size_t byte_count, size_t count, \
		    uint32_t *out) \
{ \
	return spread32(in, byte_count, w, count, out); \
}
#define WIDTHS_TO_25(X) \
	X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) \
	X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) \
	X(24) X(25)
#define SPREAD32_ENTRY(w) spread32_##w,

WIDTHS_TO_25(SPREAD32)

static size_t (*const spreads32[])(const uint8_t *in, size_t byte_count,
				   size_t count, uint32_t *out) = {
	NULL, WIDTHS_TO_25(SPREAD32_ENTRY)
};

/* All values with vectors; false if this machine or width has none. */
static bool unpack32_vector(const uint8_t *in, unsigned width, size_t count,
			    uint32_t *out)
{
	uint8_t last[LAST_BYTES + 32];
	uint32_t spare[8];
	size_t done, byte_count = bit_pack_bytes(count, width);

	if (width == 0 || width > WIDEST_AVX2 ||
	    !cpu_has_avx2())
		return false;
	done = spreads32[width](in, byte_count, count, out);
	if (done == count)
		return true;
	/* fewer than LAST_BYTES are left, or fewer than 8 values */
	in += done / 8 * width;
	byte_count -= done / 8 * width;
	memcpy(last, in, byte_count);
	memset(last + byte_count, 0, sizeof(last) - byte_count);
	out += done;
	count -= done;
	done = spreads32[width](last, sizeof(last), count, out);
	if (done < count) {
		spreads32[width](last + done / 8 * width, LAST_BYTES, 8,
				 spare);
		memcpy(out + done, spare, (count - done) * sizeof(*out));
	}
	return true;
}
#else
static bool unpack32_vector(const uint8_t *in, unsigned width, size_t count,
			    uint32_t *out)
{
	return false;
}
#endif

void bit_unpack32_plain(const uint8_t *in, unsigned width, size_t count,
			uint32_t *out)
{
	size_t blocks = count / BLOCK;
	struct tail tail;

	if (width == 0) {
		memset(out, 0, count * sizeof(*out));
		return;
	}
	if (blocks > 0) {
		blocks32[width](in, blocks, out);
		in += blocks * width * BLOCK / 8;
		out += blocks * BLOCK;
		count %= BLOCK;
	}
	if (count == 0)
		return;
	tail_copy(&tail, in, width, count);
	for (size_t i = 0; i < count; i++)
		out[i] = (uint32_t)tail_value(&tail, width, i);
}

void bit_unpack32(const uint8_t *in, unsigned width, size_t count,
		  uint32_t *out)
{
	if (!unpack32_vector(in, width, count, out))
		bit_unpack32_plain(in, width, count, out);
}

void bit_unpack64(const uint8_t *in, unsigned width, size_t count,
		  uint64_t *out)
{
	size_t blocks = count / BLOCK;
	struct tail tail;

	if (width == 0) {
		memset(out, 0, count * sizeof(*out));
		return;
	}
	if (blocks > 0) {
		blocks64[width](in, blocks, out);
		in += blocks * width * BLOCK / 8;
		out += blocks * BLOCK;
		count %= BLOCK;
	}
	if (count == 0)
		return;
	tail_copy(&tail, in, width, count);
	for (size_t i = 0; i < count; i++)
		out[i] = tail_value(&tail, width, i);
}
