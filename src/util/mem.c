/*
 * mem.c - the one place where heap memory comes from
 *
 * Why:    every allocation may fail, and a test must be able to prove that
 *         each failure is survived.
 * How:    the C library's heap behind a per-thread countdown. Aligned blocks
 *         come from aligned_alloc(), so free() takes them back as well.
 * Cost:   two thread-local words are touched per allocation.
 * Limits: libraries allocate on their own and are not counted.
 */
#include "util/mem.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define COLUMN_ALIGNMENT 64
#define FIRST_CAPACITY 8

static _Thread_local long fail_countdown = -1;
static _Thread_local long alloc_count;

/* Count one allocation; true if it has to fail, or is larger than any object
 * can be. */
static bool must_fail(size_t byte_count)
{
	alloc_count++;
	if (byte_count > PTRDIFF_MAX)
		return true;
	if (fail_countdown < 0)
		return false;
	return fail_countdown-- == 0;
}

void mem_fail_at(long nth)
{
	fail_countdown = nth < 0 ? -1 : nth;
	alloc_count = 0;
}

long mem_alloc_count(void)
{
	return alloc_count;
}

bool size_add(size_t a, size_t b, size_t *out)
{
	size_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return false;
	*out = sum;
	return true;
}

bool size_mul(size_t a, size_t b, size_t *out)
{
	size_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return false;
	*out = product;
	return true;
}

void *mem_alloc(size_t byte_count)
{
	if (must_fail(byte_count))
		return NULL;
	return malloc(byte_count ? byte_count : 1);
}

void *mem_zalloc(size_t byte_count)
{
	if (must_fail(byte_count))
		return NULL;
	return calloc(1, byte_count ? byte_count : 1);
}

void *mem_alloc_array(size_t count, size_t size)
{
	size_t byte_count;

	if (!size_mul(count, size, &byte_count))
		return NULL;
	return mem_alloc(byte_count);
}

void *mem_zalloc_array(size_t count, size_t size)
{
	size_t byte_count;

	if (!size_mul(count, size, &byte_count))
		return NULL;
	return mem_zalloc(byte_count);
}

void *mem_realloc_array(void *old, size_t count, size_t size)
{
	size_t byte_count;

	if (!size_mul(count, size, &byte_count) ||
	    must_fail(byte_count))
		return NULL;
	return realloc(old, byte_count ? byte_count : 1);
}

void *mem_alloc_aligned(size_t byte_count)
{
	size_t rounded;

	if (must_fail(byte_count) ||
	    !size_add(byte_count, COLUMN_ALIGNMENT - 1, &rounded))
		return NULL;
	rounded &= ~(size_t)(COLUMN_ALIGNMENT - 1);
	if (rounded == 0)
		rounded = COLUMN_ALIGNMENT;
	return aligned_alloc(COLUMN_ALIGNMENT, rounded);
}

char *mem_strdup(const char *text)
{
	return mem_strndup(text, strlen(text));
}

char *mem_strndup(const char *text, size_t length)
{
	const char *nul = length ? memchr(text, '\0', length) : NULL;
	size_t byte_count;
	char *copy;

	if (nul)
		length = (size_t)(nul - text);
	if (!size_add(length, 1, &byte_count))
		return NULL;
	copy = mem_alloc(byte_count);
	if (!copy)
		return NULL;
	if (length)
		memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

void mem_free(void *memory)
{
	free(memory);
}

bool mem_reserve(void **array, size_t *capacity, size_t need,
		 size_t item_bytes)
{
	size_t wanted;
	void *grown;

	if (need <= *capacity)
		return true;
	wanted = FIRST_CAPACITY;
	if (*capacity >= FIRST_CAPACITY && !size_mul(*capacity, 2, &wanted))
		return false;
	if (wanted < need)
		wanted = need;
	grown = mem_realloc_array(*array, wanted, item_bytes);
	if (!grown)
		return false;
	*array = grown;
	*capacity = wanted;
	return true;
}

bool mem_grow(void **array, size_t *capacity, size_t used, size_t item_bytes)
{
	return mem_reserve(array, capacity, used + 1, item_bytes);
}

void mem_trim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

uint64_t mem_peak_bytes(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) != 0)
		return 0;
	return (uint64_t)usage.ru_maxrss * 1024;
}
