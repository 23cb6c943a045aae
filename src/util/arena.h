#ifndef UTIL_ARENA_H
#define UTIL_ARENA_H
#include <stddef.h>
#include <stdint.h>

struct arena_block;
/*
 * Memory that is freed all at once: a statement's tree, a batch's strings.
 * Plain storage of the caller; zeroes are an empty arena. For one thread.
 * Blocks grow from block_bytes (0 = 1 KiB, then 8) up to 1 MiB.
 */
struct arena {
	struct arena_block *blocks;	/* newest first */
	uint8_t *next;
	uint8_t *end;
	size_t block_bytes;
	size_t total_bytes;		/* handed out since the last reset */
};

void arena_init(struct arena *arena, size_t block_bytes);
void arena_release(struct arena *arena);
/* Forget all, keep the largest block for the next use. */
void arena_reset(struct arena *arena);
/* Aligned to 16 bytes; NULL when out of memory. 0 bytes are a valid pointer. */
void *arena_alloc(struct arena *arena, size_t byte_count);
void *arena_zalloc(struct arena *arena, size_t byte_count);
/* count * size, overflow checked, zeroed. */
void *arena_zalloc_array(struct arena *arena, size_t count, size_t size);
/* Unaligned bytes, packed tightly: for strings. */
void *arena_alloc_bytes(struct arena *arena, size_t byte_count);
void *arena_copy(struct arena *arena, const void *data, size_t byte_count);
/* NUL-terminated copies. */
char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t length);
char *arena_printf(struct arena *arena, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
#endif
