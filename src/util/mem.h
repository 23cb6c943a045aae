#ifndef UTIL_MEM_H
#define UTIL_MEM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * All heap memory of the program comes from here, so that a test can make
 * each allocation fail and a run can report its peak. Every function returns
 * NULL when memory (or an injected failure) says so; mem_free(NULL) is fine.
 * Thread safe.
 */
void *mem_alloc(size_t byte_count);
void *mem_zalloc(size_t byte_count);
/* count * size with overflow checked; uninitialised / zeroed. */
void *mem_alloc_array(size_t count, size_t size);
void *mem_zalloc_array(size_t count, size_t size);
void *mem_realloc_array(void *old, size_t count, size_t size);
/* Aligned to 64 bytes, for column data; freed by mem_free() too. */
void *mem_alloc_aligned(size_t byte_count);
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t length);
void mem_free(void *memory);
/*
 * Make room for one more in an array that doubles: *array has *capacity
 * items of item_bytes, used of them in use. Returns false if out of memory
 * (nothing changed). `if (!mem_grow((void **)&a, &cap, used, sizeof(*a)))`
 */
bool mem_grow(void **array, size_t *capacity, size_t used, size_t item_bytes);
/* The same for need items in all. */
bool mem_reserve(void **array, size_t *capacity, size_t need,
		 size_t item_bytes);

/* Tests: let the nth allocation from now (from 0) of this thread fail, once;
 * a negative n switches it off. mem_alloc_count() counts since then. */
void mem_fail_at(long nth);
long mem_alloc_count(void);
/*
 * Give freed memory back to the system: after much was freed at once, when
 * what comes next is others' (threads do not share their heaps).
 */
void mem_trim(void);
/* Peak resident size of the process in bytes (getrusage). */
uint64_t mem_peak_bytes(void);

/* Arithmetic on sizes that cannot wrap; false on overflow, *out untouched. */
bool size_add(size_t a, size_t b, size_t *out);
bool size_mul(size_t a, size_t b, size_t *out);
#endif
