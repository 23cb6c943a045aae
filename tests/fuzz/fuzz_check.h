#ifndef TESTS_FUZZ_FUZZ_CHECK_H
#define TESTS_FUZZ_FUZZ_CHECK_H
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * What the assertions of Check call, for fuzz targets that use headers of the
 * unit tests: there is no libcheck, and a failure aborts. With -DFUZZ_MAIN the
 * inputs are the files named.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

void _mark_point(const char *file, int line)
{
}

void _ck_assert_failed(const char *file, int line, const char *expr,
		       const char *message, ...)
{
	va_list arguments;

	fprintf(stderr, "%s:%d: %s\n", file, line, expr);
	va_start(arguments, message);
	if (message)
		vfprintf(stderr, message, arguments);
	va_end(arguments);
	abort();
}

#ifdef FUZZ_MAIN
int main(int argc, char **argv)
{
	static uint8_t buffer[8192];

	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");

		if (!file)
			return EXIT_FAILURE;
		LLVMFuzzerTestOneInput(buffer, fread(buffer, 1, sizeof(buffer),
						     file));
		fclose(file);
	}
	return EXIT_SUCCESS;
}
#endif
#endif
