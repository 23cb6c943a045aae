/*
 * exact_sum.c - sums of doubles that do not depend on the order
 *
 * Why:    rows come in another order with other threads, or when a join goes
 *         to disk; rounding after each addition would show that in the last
 *         digits, and a statement run twice would find rows to change.
 * How:    a double is a whole number times a power of two, so that fixed
 *         point holds it exactly. 128 bits do for values of a kind: 74 powers
 *         of two, less the bits that the sum grows by. They are laid so that
 *         values a billion times smaller and larger than the first one fit,
 *         and moved down where they have room. Whatever else there is goes to
 *         a wide sum of all 2098 bits that doubles can have, in words of 32
 *         bits whose carries wait in the upper half. Infinities and NaN are
 *         marks.
 * Cost:   a shift and an addition a value; a wide sum has 552 bytes.
 */
#include "expr/exact_sum.h"

/* The least bit of a double is 2^-1074. */
#define LEAST_BIT (-1074)
#define WORD_BITS 32
#define WIDE_WORDS 68		/* 2176 bits: 2098 and room for 2^64 values */
#define ROOM_BELOW 36		/* bits below the first value's */
#define LARGEST_PLACE (898 - SUM_LEAST_PLACE)	/* Infinity is above it */
/* So many additions leave no word without room for its carries. */
#define PENDING_LIMIT (UINT32_C(1) << 29)

enum sum_marks { SUM_POSITIVE = 1, SUM_NEGATIVE = 2, SUM_NAN = 4 };

struct exact_wide {
	int64_t words[WIDE_WORDS];	/* low first, of 2^32 each */
	uint32_t pending;		/* additions since carries moved */
};

void exact_pool_release(struct exact_pool *pool)
{
	mem_free(pool->wides);
	memset(pool, 0, sizeof(*pool));
}

void exact_pool_reset(struct exact_pool *pool)
{
	pool->count = 0;
}

size_t exact_pool_bytes(const struct exact_pool *pool)
{
	return pool->count * sizeof(*pool->wides);
}

/* Carries go up: all words but the last are 0 .. 2^32 - 1 then. */
static void move_carries(struct exact_wide *wide)
{
	int64_t carry = 0;

	for (size_t i = 0; i + 1 < WIDE_WORDS; i++) {
		int64_t word = wide->words[i] + carry;

		wide->words[i] = word & UINT32_MAX;
		carry = word >> WORD_BITS;
	}
	wide->words[WIDE_WORDS - 1] += carry;
	wide->pending = 0;
}

/* value * 2^(LEAST_BIT + place), of at most 127 bits. */
static void add_at(struct exact_wide *wide, int128_t value, unsigned place)
{
	uint128_t size = value < 0 ? -(uint128_t)value : (uint128_t)value;
	unsigned shift = place % WORD_BITS;
	size_t word = place / WORD_BITS;

	if (wide->pending++ >= PENDING_LIMIT)
		move_carries(wide);
	/* 32 bits at a time, so that none are shifted out */
	for (; size; word++) {
		uint64_t part = (uint64_t)(uint32_t)size << shift;
		int64_t low = (int64_t)(part & UINT32_MAX);
		int64_t high = (int64_t)(part >> WORD_BITS);

		wide->words[word] += value < 0 ? -low : low;
		if (high)
			wide->words[word + 1] += value < 0 ? -high : high;
		size >>= WORD_BITS;
	}
}

static int128_t bits_of(const struct exact_sum *sum)
{
	return (int128_t)((uint128_t)sum->high << 64 | sum->low);
}

static void set_bits(struct exact_sum *sum, int128_t bits)
{
	sum->low = (uint64_t)bits;
	sum->high = (uint64_t)((uint128_t)bits >> 64);
}

static int make_wide(struct exact_sum *sum, struct exact_pool *pool,
		     struct error *err)
{
	struct exact_wide *wide;

	if (sum->wide)
		return 0;
	if (pool->count == UINT32_MAX ||
	    !mem_grow((void **)&pool->wides, &pool->capacity, pool->count,
		      sizeof(*pool->wides)))
		return error_set(err, ERROR_NO_MEMORY, "sums");
	wide = &pool->wides[pool->count];
	memset(wide, 0, sizeof(*wide));
	if (sum->place)
		add_at(wide, bits_of(sum), (unsigned)
		       (sum->place + SUM_LEAST_PLACE - LEAST_BIT));
	set_bits(sum, 0);
	sum->place = 0;
	sum->wide = (uint32_t)++pool->count;
	return 0;
}

/* Does value << shift fit 127 bits and its sign? */
static bool shift_fits(int128_t value, unsigned shift, int128_t *out)
{
	if (shift > 126)
		return value == 0;
	*out = (int128_t)((uint128_t)value << shift);
	return *out >> shift == value;
}

/* value * 2^exponent to the 128 bits, the window moved if that helps; false
 * where it does not fit. */
static bool add_narrow(struct exact_sum *sum, int128_t value, int exponent)
{
	int place = exponent - SUM_LEAST_PLACE;
	int128_t total = bits_of(sum), shifted = 0;

	if (!sum->place) {
		sum->place = (uint16_t)(place < LARGEST_PLACE ? place
							      : LARGEST_PLACE);
	} else if (place < sum->place) {
		if (!shift_fits(total, (unsigned)(sum->place - place),
				&shifted))
			return false;
		total = shifted;
		shifted = 0;
	}
	if (place > sum->place) {
		if (!shift_fits(value, (unsigned)(place - sum->place),
				&shifted))
			return false;
		value = shifted;
	}
	if (__builtin_add_overflow(total, value, &total))
		return false;
	if (place < sum->place)
		sum->place = (uint16_t)place;
	set_bits(sum, total);
	return true;
}

/* The same to whatever holds it. */
static int add_bits(struct exact_sum *sum, struct exact_pool *pool,
		    int128_t value, int exponent, struct error *err)
{
	int rc;

	if (!value || (!sum->wide && add_narrow(sum, value, exponent)))
		return 0;
	rc = make_wide(sum, pool, err);
	if (!rc)
		add_at(&pool->wides[sum->wide - 1], value,
		       (unsigned)(exponent - LEAST_BIT));
	return rc;
}

int exact_sum_add_slowly(struct exact_sum *sum, struct exact_pool *pool,
			 double value, struct error *err)
{
	uint64_t bits;
	int64_t digits;
	int exponent, room;

	memcpy(&bits, &value, sizeof(bits));
	exponent = (int)(bits >> 52 & 2047);
	digits = (int64_t)(bits & ((UINT64_C(1) << 52) - 1));
	if (exponent == 2047) {
		sum->marks |= digits ? SUM_NAN
			    : bits >> 63 ? SUM_NEGATIVE : SUM_POSITIVE;
		return 0;
	}
	if (exponent)
		digits |= INT64_C(1) << 52;
	else
		exponent = 1;
	exponent -= 1075;
	if (bits >> 63)
		digits = -digits;
	if (sum->place || sum->wide || !digits)
		return add_bits(sum, pool, digits, exponent, err);
	/* the first one says where the window is */
	room = exponent - LEAST_BIT < ROOM_BELOW ? exponent - LEAST_BIT
						 : ROOM_BELOW;
	if (exponent - room > LARGEST_PLACE + SUM_LEAST_PLACE)
		room = exponent - LARGEST_PLACE - SUM_LEAST_PLACE;
	return add_bits(sum, pool, (int128_t)digits * ((int128_t)1 << room),
			exponent - room, err);
}

static int combine_wide(struct exact_sum *sum, struct exact_pool *pool,
			const struct exact_wide *from, struct error *err)
{
	struct exact_wide copy = *from;		/* the pool may move */
	struct exact_wide *wide;
	int rc = make_wide(sum, pool, err);

	if (rc)
		return rc;
	wide = &pool->wides[sum->wide - 1];
	move_carries(wide);
	move_carries(&copy);
	for (size_t i = 0; i < WIDE_WORDS; i++)
		wide->words[i] += copy.words[i];
	wide->pending = 1;
	return 0;
}

int exact_sum_combine(struct exact_sum *sum, struct exact_pool *pool,
		      const struct exact_sum *from,
		      const struct exact_pool *from_pool, struct error *err)
{
	sum->marks |= from->marks;
	if (from->wide)
		return combine_wide(sum, pool,
				    &from_pool->wides[from->wide - 1], err);
	if (!from->place)
		return 0;
	return add_bits(sum, pool, bits_of(from),
			from->place + SUM_LEAST_PLACE, err);
}

/* Make the words those of the size of the number. */
static bool take_sign(struct exact_wide *wide)
{
	move_carries(wide);
	if (wide->words[WIDE_WORDS - 1] >= 0)
		return false;
	for (size_t i = 0; i < WIDE_WORDS; i++)
		wide->words[i] = -wide->words[i];
	move_carries(wide);
	return true;
}

static double wide_value(const struct exact_wide *from)
{
	struct exact_wide wide = *from;
	bool is_negative = take_sign(&wide);
	size_t top = WIDE_WORDS;
	uint128_t bits = 0;
	double value;
	int place;

	while (top > 0 && !wide.words[top - 1])
		top--;
	if (!top)
		return 0;
	/* the upper three words and whether there is more: enough to round */
	for (size_t i = 0; i < 3; i++)
		bits = bits << WORD_BITS |
		       (top > i ? (uint64_t)wide.words[top - 1 - i] : 0);
	for (size_t i = 0; i + 3 < top; i++)
		bits |= wide.words[i] != 0;
	place = ((int)top - 3) * WORD_BITS + LEAST_BIT;
	value = ldexp((double)bits, place);
	return is_negative ? -value : value;
}

double exact_sum_value(const struct exact_sum *sum,
		       const struct exact_pool *pool)
{
	if ((sum->marks & SUM_NAN) ||
	    (sum->marks & (SUM_POSITIVE | SUM_NEGATIVE)) ==
		    (SUM_POSITIVE | SUM_NEGATIVE))
		return NAN;
	if (sum->marks)
		return sum->marks & SUM_POSITIVE ? INFINITY : -INFINITY;
	if (sum->wide)
		return wide_value(&pool->wides[sum->wide - 1]);
	return ldexp((double)bits_of(sum), sum->place + SUM_LEAST_PLACE);
}
