/*
 * roaring_check.c - is this a well-formed Roaring bitmap?
 *
 * Why:    the library checks lengths only; unsorted values or wrong counts
 *         would give wrong answers, or worse when two sets are united.
 * How:    the portable format, little-endian:
 *             4     12346, then 4: number of containers; or low half 12347
 *                   and high half containers - 1, then a bit per container
 *                   that says it holds runs
 *             4     per container: 2 key, 2 members - 1
 *             4     per container: offset, absent in a 12347 bitmap of
 *                   fewer than 4 containers; not needed, not looked at
 *             then the containers: runs (2 count, then 2 start, 2 length - 1
 *             each), sorted values (2 each, up to 4096), or 8192 bytes of
 *             bits.
 * Cost:   one pass over the bytes.
 * Limits: runs may touch; a library that splits them is none the worse.
 */
#include "codec/roaring_check.h"

#define COOKIE_PLAIN 12346
#define COOKIE_RUNS 12347
#define MOST_CONTAINERS 65536
#define MOST_ARRAY_MEMBERS 4096
#define BITSET_BYTES 8192
#define OFFSETS_FROM 4		/* containers, in a bitmap with runs */

static bool check_array(const uint8_t *values, size_t members)
{
	for (size_t i = 1; i < members; i++)
		if (load_le16(values + 2 * i) <= load_le16(values + 2 * i - 2))
			return false;
	return true;
}

static bool check_bitset(const uint8_t *bits, size_t members)
{
	size_t ones = 0;

	for (size_t i = 0; i < BITSET_BYTES; i += 8)
		ones += (size_t)__builtin_popcountll(load_le64(bits + i));
	return ones == members;
}

static bool check_runs(struct cursor *c, size_t members)
{
	size_t total = 0, start, length, free_from = 0, run_count;
	const uint8_t *runs;

	if (!cursor_bytes(c, 2, &runs))
		return false;
	run_count = load_le16(runs);
	if (!cursor_bytes(c, run_count * 4, &runs))
		return false;
	for (size_t i = 0; i < run_count; i++, runs += 4) {
		start = load_le16(runs);
		length = (size_t)load_le16(runs + 2) + 1;
		if (start < free_from || start + length > 65536)
			return false;
		free_from = start + length;
		total += length;
	}
	return total == members;
}

static bool check_container(struct cursor *c, bool has_runs, size_t members)
{
	const uint8_t *bytes;

	if (has_runs)
		return check_runs(c, members);
	if (members <= MOST_ARRAY_MEMBERS)
		return cursor_bytes(c, members * 2, &bytes) &&
		       check_array(bytes, members);
	return cursor_bytes(c, BITSET_BYTES, &bytes) &&
	       check_bitset(bytes, members);
}

/* The words before the containers' heads. *flags NULL: no runs. */
static bool read_cookie(struct cursor *c, size_t *containers,
			const uint8_t **flags)
{
	const uint8_t *bytes;
	uint32_t cookie;

	*flags = NULL;
	if (!cursor_bytes(c, 4, &bytes))
		return false;
	cookie = load_le32(bytes);
	if ((cookie & 0xffff) == COOKIE_RUNS) {
		*containers = (size_t)(cookie >> 16) + 1;
		return cursor_bytes(c, (*containers + 7) / 8, flags);
	}
	if (cookie != COOKIE_PLAIN || !cursor_bytes(c, 4, &bytes))
		return false;
	*containers = load_le32(bytes);
	return *containers <= MOST_CONTAINERS;
}

bool roaring_check(struct cursor *c, uint64_t *members_out)
{
	const uint8_t *flags, *heads, *offsets;
	size_t containers, members;
	struct cursor at = *c;
	bool has_runs;

	*members_out = 0;
	if (!read_cookie(&at, &containers, &flags) ||
	    !cursor_bytes(&at, containers * 4, &heads))
		return false;
	if ((!flags || containers >= OFFSETS_FROM) &&
	    !cursor_bytes(&at, containers * 4, &offsets))
		return false;
	for (size_t i = 0; i < containers; i++) {
		if (i > 0 && load_le16(heads + 4 * i) <=
			     load_le16(heads + 4 * i - 4))
			return false;
		members = (size_t)load_le16(heads + 4 * i + 2) + 1;
		has_runs = flags && (flags[i / 8] >> (i % 8) & 1);
		if (!check_container(&at, has_runs, members))
			return false;
		*members_out += members;
	}
	*c = at;
	return true;
}
