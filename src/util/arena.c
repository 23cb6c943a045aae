/*
 * arena.c - memory that is freed all at once
 *
 * Why:    a statement's tree or a batch's strings are many small objects
 *         with one lifetime; freeing each is slow and easily forgotten.
 * How:    a list of blocks, by default one of 1 KiB, as much as many ever
 *         need, and then from 8 KiB on each twice the size of the one before
 *         up to 1 MiB; allocation moves a pointer. A request that would waste
 *         what is left of the current block gets a block of its own, put
 *         behind the current one. With AddressSanitizer, bytes that are not
 *         handed out are poisoned, so use after reset is caught.
 * Cost:   24 bytes per block, up to 15 bytes per aligned allocation.
 * Limits: nothing is freed before arena_reset() or arena_release().
 */
#include "util/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "util/mem.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define poison(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define unpoison(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define poison(p, n) ((void)(p), (void)(n))
#define unpoison(p, n) ((void)(p), (void)(n))
#endif

#define ARENA_ALIGNMENT 16
#define FIRST_BLOCK_BYTES ((size_t)1024)
#define SECOND_BLOCK_BYTES ((size_t)8192)
#define LARGEST_BLOCK_BYTES ((size_t)1 << 20)

struct arena_block {
	struct arena_block *older;
	size_t byte_count;		/* of data */
	_Alignas(ARENA_ALIGNMENT) uint8_t data[];
};

void arena_init(struct arena *arena, size_t block_bytes)
{
	memset(arena, 0, sizeof(*arena));
	arena->block_bytes = block_bytes;
}

static void free_block(struct arena_block *block)
{
	unpoison(block->data, block->byte_count);
	mem_free(block);
}

void arena_release(struct arena *arena)
{
	struct arena_block *block = arena->blocks;
	struct arena_block *older;

	for (; block; block = older) {
		older = block->older;
		free_block(block);
	}
	arena->blocks = NULL;
	arena->next = NULL;
	arena->end = NULL;
	arena->total_bytes = 0;
}

void arena_reset(struct arena *arena)
{
	struct arena_block *largest = arena->blocks;
	struct arena_block *block, *older;

	for (block = arena->blocks; block; block = block->older)
		if (block->byte_count > largest->byte_count)
			largest = block;
	for (block = arena->blocks; block; block = older) {
		older = block->older;
		if (block != largest)
			free_block(block);
	}
	arena->blocks = largest;
	arena->total_bytes = 0;
	if (!largest)
		return;
	largest->older = NULL;
	poison(largest->data, largest->byte_count);
	arena->next = largest->data;
	arena->end = largest->data + largest->byte_count;
}

static struct arena_block *new_block(size_t byte_count)
{
	struct arena_block *block;
	size_t whole;

	if (!size_add(byte_count, sizeof(*block), &whole))
		return NULL;
	block = mem_alloc(whole);
	if (!block)
		return NULL;
	block->byte_count = byte_count;
	poison(block->data, byte_count);
	return block;
}

/* How large the next ordinary block is. */
static size_t next_block_bytes(const struct arena *arena)
{
	size_t first = arena->block_bytes ? arena->block_bytes :
					    FIRST_BLOCK_BYTES;
	size_t doubled;

	if (!arena->blocks)
		return first;
	doubled = arena->blocks->byte_count;
	if (doubled < LARGEST_BLOCK_BYTES)
		doubled *= 2;
	if (!arena->block_bytes && doubled < SECOND_BLOCK_BYTES)
		doubled = SECOND_BLOCK_BYTES;
	if (doubled > LARGEST_BLOCK_BYTES)
		doubled = LARGEST_BLOCK_BYTES;
	return doubled > first ? doubled : first;
}

/* The current block has no room for byte_count: get them elsewhere. */
static void *alloc_in_new_block(struct arena *arena, size_t byte_count)
{
	size_t ordinary = next_block_bytes(arena);
	struct arena_block *block;

	if (arena->blocks && byte_count > ordinary / 4) {
		block = new_block(byte_count);
		if (!block)
			return NULL;
		block->older = arena->blocks->older;
		arena->blocks->older = block;
	} else {
		block = new_block(byte_count > ordinary ? byte_count :
							  ordinary);
		if (!block)
			return NULL;
		block->older = arena->blocks;
		arena->blocks = block;
		arena->next = block->data + byte_count;
		arena->end = block->data + block->byte_count;
	}
	arena->total_bytes += byte_count;
	unpoison(block->data, byte_count);
	return block->data;
}

void *arena_alloc(struct arena *arena, size_t byte_count)
{
	size_t left = (size_t)(arena->end - arena->next);
	size_t skip = -(uintptr_t)arena->next & (ARENA_ALIGNMENT - 1);
	uint8_t *memory;

	if (!arena->next || skip > left || byte_count > left - skip)
		return alloc_in_new_block(arena, byte_count);
	memory = arena->next + skip;
	arena->next = memory + byte_count;
	arena->total_bytes += byte_count;
	unpoison(memory, byte_count);
	return memory;
}

void *arena_zalloc(struct arena *arena, size_t byte_count)
{
	void *memory = arena_alloc(arena, byte_count);

	if (memory)
		memset(memory, 0, byte_count);
	return memory;
}

void *arena_zalloc_array(struct arena *arena, size_t count, size_t size)
{
	size_t byte_count;

	if (!size_mul(count, size, &byte_count))
		return NULL;
	return arena_zalloc(arena, byte_count);
}

void *arena_alloc_bytes(struct arena *arena, size_t byte_count)
{
	uint8_t *memory = arena->next;

	if (!memory || byte_count > (size_t)(arena->end - memory))
		return alloc_in_new_block(arena, byte_count);
	arena->next = memory + byte_count;
	arena->total_bytes += byte_count;
	unpoison(memory, byte_count);
	return memory;
}

void *arena_copy(struct arena *arena, const void *data, size_t byte_count)
{
	void *memory = arena_alloc(arena, byte_count);

	if (memory && byte_count)
		memcpy(memory, data, byte_count);
	return memory;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_strndup(struct arena *arena, const char *text, size_t length)
{
	const char *nul = length ? memchr(text, '\0', length) : NULL;
	size_t byte_count;
	char *copy;

	if (nul)
		length = (size_t)(nul - text);
	if (!size_add(length, 1, &byte_count))
		return NULL;
	copy = arena_alloc_bytes(arena, byte_count);
	if (!copy)
		return NULL;
	if (length)
		memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
	va_list args;
	int length;
	char *text;

	va_start(args, fmt);
	length = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (length < 0)
		return NULL;
	text = arena_alloc_bytes(arena, (size_t)length + 1);
	if (!text)
		return NULL;
	va_start(args, fmt);
	vsnprintf(text, (size_t)length + 1, fmt, args);
	va_end(args);
	return text;
}
