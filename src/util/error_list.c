/*
 * error_list.c - errors that wait for somebody who asks
 *
 * Why:    a subquery is computed before anybody knows which rows need it; what
 *         fails in it is an error only where they do.
 * How:    an array under a lock. A batch carries the number of an error.
 * Cost:   4 kB an error; only failures get here.
 */
#include "util/error_list.h"
#include "util/mem.h"
#include <string.h>

bool error_can_wait(const struct error *err)
{
	switch (err->code) {
	case ERROR_CAST:
	case ERROR_OVERFLOW:
	case ERROR_DIVISION_BY_ZERO:
	case ERROR_BAD_ARGUMENT:
	case ERROR_SUBQUERY_MULTIPLE_ROWS:
		return !*err->file;
	default:
		return false;
	}
}

void error_list_init(struct error_list *list)
{
	memset(list, 0, sizeof(*list));
	pthread_mutex_init(&list->lock, NULL);
}

void error_list_release(struct error_list *list)
{
	pthread_mutex_destroy(&list->lock);
	mem_free(list->errors);
	memset(list, 0, sizeof(*list));
}

static bool is_same(const struct error *a, const struct error *b)
{
	return a->code == b->code && a->line == b->line &&
	       a->column == b->column && !strcmp(a->text, b->text) &&
	       !strcmp(a->file, b->file) && !strcmp(a->field, b->field);
}

bool error_list_add(struct error_list *list, const struct error *kept,
		    size_t *number)
{
	bool is_added = true;
	size_t i = 0;

	pthread_mutex_lock(&list->lock);
	while (i < list->count && !is_same(&list->errors[i], kept))
		i++;
	if (i == list->count) {
		is_added = i < ERROR_LIST_LIMIT &&
			   mem_grow((void **)&list->errors, &list->capacity,
				    i, sizeof(*list->errors));
		if (is_added)
			list->errors[list->count++] = *kept;
	}
	pthread_mutex_unlock(&list->lock);
	*number = i;
	return is_added;
}

int error_list_get(struct error_list *list, size_t number, struct error *err)
{
	int rc;

	pthread_mutex_lock(&list->lock);
	rc = list->errors[number].code;
	if (err)
		*err = list->errors[number];
	pthread_mutex_unlock(&list->lock);
	return rc;
}
