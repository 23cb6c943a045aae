#ifndef EXPR_EXPR_H
#define EXPR_EXPR_H
/*
 * expr: typed expressions over batches. The tree that the binder makes, the
 * table of functions and operators with their types, compilation, evaluation
 * under a selection, constant folding, what an expression says about ranges
 * of a column, and aggregate functions over the groups of many rows. It knows no names and no SQL text.
 */
#include "expr/expr_node.h"
#include "expr/function_table.h"
#include "expr/aggregate.h"
#include "expr/expr_run.h"
#include "expr/stat_bounds.h"
#endif
