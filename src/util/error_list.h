#ifndef UTIL_ERROR_LIST_H
#define UTIL_ERROR_LIST_H
#include "util/error.h"
#include <pthread.h>

/*
 * Errors that are told only if somebody asks for what they spoiled. They are
 * known by numbers from 0 on. Any thread may add and get.
 */
struct error_list {
	pthread_mutex_t lock;
	struct error *errors;
	size_t count;
	size_t capacity;
};

#define ERROR_LIST_LIMIT 1024

/* Is it an error of a value that a statement computes? Not of one in a file,
 * whose place it has, of memory and the like. */
bool error_can_wait(const struct error *err);
void error_list_init(struct error_list *list);
void error_list_release(struct error_list *list);
/*
 * Keep *kept (an equal one only once); its number. False: there are too many,
 * or no memory is left: the error is to be told at once.
 */
bool error_list_add(struct error_list *list, const struct error *kept,
		    size_t *number);
/* Copy error `number` to *err, which may be NULL. Returns its code. */
int error_list_get(struct error_list *list, size_t number,
		   struct error *err);
#endif
