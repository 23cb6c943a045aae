/*
 * bit_pack.c - words into packed integers
 *
 * Why:    the writers pack dictionary indexes, levels and deltas.
 * How:    32 values of width w make exactly 4 * w bytes; a block of 32 is
 *         unrolled for each width with all shifts constant. What is left
 *         over is gathered in one word and stored byte by byte.
 * Cost:   about a quarter of a nanosecond a value.
 * Limits: values must fit the width; it is not checked. A sanitizer's build
 *         does not unroll, see bit_unpack.c.
 */
#include "codec/bit_pack.h"

#include "codec/varint.h"

#define BLOCK 32
#define INLINE static inline __attribute__((always_inline))
#ifdef __SANITIZE_ADDRESS__
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 32")
#endif

/* Put value i of a block into *word; store it when it is full. */
INLINE void pack_value(uint64_t *word, unsigned width, unsigned i,
		       uint64_t value, uint8_t *out)
{
	unsigned shift = i * width % 64;

	*word |= value << shift;
	if (shift + width < 64)
		return;
	store_le64(out + i * width / 64 * 8, *word);
	*word = shift + width > 64 ? value >> (64 - shift) : 0;
}

/* With an odd width a block ends in half a word. */
INLINE void pack_rest(uint64_t word, unsigned width, uint8_t *out)
{
	if (width % 2)
		store_le32(out + width / 2 * 8, (uint32_t)word);
}

INLINE void pack_block32(const uint32_t *in, unsigned width, uint8_t *out)
{
	uint64_t word = 0;

	UNROLL
	for (unsigned i = 0; i < BLOCK; i++)
		pack_value(&word, width, i, in[i], out);
	pack_rest(word, width, out);
}

INLINE void pack_block64(const uint64_t *in, unsigned width, uint8_t *out)
{
	uint64_t word = 0;

	UNROLL
	for (unsigned i = 0; i < BLOCK; i++)
		pack_value(&word, width, i, in[i], out);
	pack_rest(word, width, out);
}

/* Whole blocks of one width. */
#define WIDTH32(w) \
static void pack32_##w(const uint32_t *in, size_t blocks, uint8_t *out) \
{ \
	for (; blocks > 0; blocks--, in += BLOCK, out += (w) * BLOCK / 8) \
		pack_block32(in, w, out); \
}
#define WIDTH64(w) \
static void pack64_##w(const uint64_t *in, size_t blocks, uint8_t *out) \
{ \
	for (; blocks > 0; blocks--, in += BLOCK, out += (w) * BLOCK / 8) \
		pack_block64(in, w, out); \
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

#define ENTRY32(w) pack32_##w,
#define ENTRY64(w) pack64_##w,

static void (*const blocks32[])(const uint32_t *in, size_t blocks,
				uint8_t *out) = {
	NULL, WIDTHS_TO_32(ENTRY32)
};

static void (*const blocks64[])(const uint64_t *in, size_t blocks,
				uint8_t *out) = {
	NULL, WIDTHS_TO_32(ENTRY64) WIDTHS_TO_64(ENTRY64)
};

/* Values that do not fill a block: 64 bits in hand, stored when full. */
struct bit_sink {
	uint8_t *out;
	uint64_t word;
	unsigned filled;	/* bits of word in use, below 64 */
};

static void sink_put(struct bit_sink *sink, uint64_t value, unsigned width)
{
	unsigned shift = sink->filled;

	sink->word |= value << shift;
	sink->filled += width;
	if (sink->filled < 64)
		return;
	store_le64(sink->out, sink->word);
	sink->out += 8;
	sink->filled -= 64;
	sink->word = sink->filled ? value >> (64 - shift) : 0;
}

static void sink_finish(struct bit_sink *sink)
{
	for (unsigned bit = 0; bit < sink->filled; bit += 8)
		*sink->out++ = (uint8_t)(sink->word >> bit);
}

void bit_pack32(const uint32_t *in, unsigned width, size_t count,
		uint8_t *out)
{
	size_t blocks = count / BLOCK;
	struct bit_sink sink;

	if (width == 0)
		return;
	if (blocks > 0)
		blocks32[width](in, blocks, out);
	sink = (struct bit_sink){ out + blocks * width * BLOCK / 8, 0, 0 };
	for (size_t i = blocks * BLOCK; i < count; i++)
		sink_put(&sink, in[i], width);
	sink_finish(&sink);
}

void bit_pack64(const uint64_t *in, unsigned width, size_t count,
		uint8_t *out)
{
	size_t blocks = count / BLOCK;
	struct bit_sink sink;

	if (width == 0)
		return;
	if (blocks > 0)
		blocks64[width](in, blocks, out);
	sink = (struct bit_sink){ out + blocks * width * BLOCK / 8, 0, 0 };
	for (size_t i = blocks * BLOCK; i < count; i++)
		sink_put(&sink, in[i], width);
	sink_finish(&sink);
}
