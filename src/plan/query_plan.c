/*
 * query_plan.c - the end of a relation
 *
 * A relation belongs to the statement that resolved it, but its memory to
 * the one who made it: only he knows how to free it.
 */
#include "plan/query_plan.h"

void relation_free(struct relation *relation)
{
	if (relation && relation->free)
		relation->free(relation);
}
