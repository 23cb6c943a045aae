/*
 * snappy_library.c - libsnappy, loaded when it is needed
 *
 * Why:    it is written in C++ and brings libstdc++, whose loading takes a
 *         third of the start of a program that may merge only a few rows.
 *         Our own files are not snappy; files of other writers may be.
 */
#include "codec/snappy_library.h"

#include <dlfcn.h>
#include <pthread.h>

#define LIBRARY_NAME "libsnappy.so.1"

static struct snappy_library library;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ISO C has no cast from an object to a function pointer; POSIX promises that
 * the bytes are the same. */
static bool find(void *handle, const char *name, void *function)
{
	void *symbol = dlsym(handle, name);

	memcpy(function, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static void load(void)
{
	void *handle = dlopen(LIBRARY_NAME, RTLD_NOW | RTLD_LOCAL);

	is_loaded = handle &&
		    find(handle, "snappy_compress", &library.compress) &&
		    find(handle, "snappy_uncompress", &library.uncompress) &&
		    find(handle, "snappy_max_compressed_length",
			 &library.max_compressed_length) &&
		    find(handle, "snappy_uncompressed_length",
			 &library.uncompressed_length);
}

int snappy_library_get(const struct snappy_library **out, struct error *err)
{
	*out = NULL;
	pthread_once(&once, load);
	if (!is_loaded)
		return error_set(err, ERROR_UNSUPPORTED,
				 "snappy data needs " LIBRARY_NAME
				 ", which cannot be loaded");
	*out = &library;
	return 0;
}
