#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H
/*
 * plan: the contract between those who understand a statement (sql), those
 * who run it (query, merge) and those who keep rows (a table, a file). Bound
 * statements as read-only values, and the one interface by which the engine
 * knows a target. It runs nothing and stores nothing.
 */
#include "plan/table_change.h"
#include "plan/target_ops.h"
#include "plan/query_plan.h"
#include "plan/merge_plan.h"
#endif
