#ifndef UTIL_UTIL_H
#define UTIL_UTIL_H
/*
 * util: what every room needs and no room owns. Errors, memory, text, bits,
 * hashes, identifiers, clocks, threads, interruption, log sinks. It knows no
 * SQL, no file format and no files.
 */
#include "util/error.h"
#include "util/mem.h"
#include "util/arena.h"
#include "util/text.h"
#include "util/bitmap.h"
#include "util/hash.h"
#include "util/uuid.h"
#include "util/clock.h"
#include "util/interrupt.h"
#include "util/thread_pool.h"
#include "util/log.h"
#include "util/cpu.h"

#define ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#endif
