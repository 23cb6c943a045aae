#ifndef SQL_BINDER_H
#define SQL_BINDER_H
#include "sql/ast_query.h"
#include "sql/name_scope.h"
#include "sql/untyped.h"

/* An expression while its surroundings may still decide its type. */
struct bound_value {
	struct expr *expr;	/* type UNKNOWN while not decided */
	struct origin *origins;
	const char *parameter;	/* text given to :NAME, not typed yet */
	const char *parameter_name;
	struct sql_place place;
	/*
	 * Of ROW(...), ARRAY[...] and MAP(a, b): the arguments of the call
	 * that expr is, so that a type asked of the whole reaches them.
	 */
	struct bound_value *parts;
	size_t part_count;
};

/* A query with what is known of its columns. */
struct bound_query {
	struct query_node *node;
	struct origin **origins;	/* one per column */
};

struct cte_scope {
	const struct ast_cte *cte;
	struct cte_scope *outer;	/* what its query sees */
	const struct name_scope *around;	/* where it is defined */
	struct outer_list *refs;
	struct bound_query query;	/* once used; node: shared */
	bool is_used;
};

struct bound_relation {
	struct relation *relation;
	struct untyped_column **columns;	/* NULL where typed */
};

/* Binds one statement, in several passes if columns are untyped. */
struct binder {
	struct arena *arena;
	const char *file;
	const struct sql_options *options;
	struct sql_statement *statement;
	struct target *target;		/* once resolved */
	struct bound_relation *untyped_target;	/* NULL: typed by itself */
	struct origin **target_origins;
	const struct schema *types;	/* of the write target, or NULL */
	struct cte_scope *ctes;
	/* Of the subquery that is being bound; NULL = none. */
	const struct name_scope *around;
	struct outer_list *refs;
	size_t outer_count;		/* values of queries around */
	struct ast_list shared;		/* struct shared_node */
	struct ast_list relations;	/* struct bound_relation, as resolved */
	struct ast_list owned;		/* struct relation, the same */
	struct ast_list warnings;
	struct untyped_column *text_order;	/* text that is ordered */
	bool keeps_calls;		/* of current_date and the like */
	bool evolves;			/* WITH SCHEMA EVOLUTION */
	unsigned pass_count;
	size_t next_relation;		/* in this pass */
	size_t node_count;		/* bound in this pass */
	size_t node_limit;
	uint32_t depth;
	struct error *err;
};

void *binder_alloc(struct binder *binder, size_t count, size_t size);
int binder_no_memory(struct binder *binder);
/* Count something bound; refuses statements that grow without bound. */
int binder_count(struct binder *binder, const struct sql_place *place);
int binder_enter(struct binder *binder, const struct sql_place *place);
void binder_leave(struct binder *binder);
int binder_warn(struct binder *binder, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* coerce.c: all change value->expr in place. */
/* To a type that it coerces to implicitly. is_weak: see untyped_column. */
int value_coerce(struct binder *binder, struct bound_value *value,
		 const struct type *type, bool is_weak);
/* As a value of SET or VALUES for a column. */
int value_assign(struct binder *binder, struct bound_value *value,
		 const struct type *type, const char *column);
int value_cast(struct binder *binder, struct bound_value *value,
	       const struct type *type, bool is_try);
/* A condition; what is for the message: "the condition of ON". */
int value_condition(struct binder *binder, struct bound_value *value,
		    const char *what);
/* Nothing will decide it: a parameter becomes VARCHAR. */
int value_settle(struct binder *binder, struct bound_value *value);
/* The common type of several; UNKNOWN when none has a type. */
int values_common_type(struct binder *binder,
		       const struct bound_value *values, size_t count,
		       const char *what, struct type *out);
/* Coerce all to their common type. */
int values_unify(struct binder *binder, struct bound_value *values,
		 size_t count, const char *what, struct type *out);
/* Wrap in a CAST; is_assignment: for `column`, else NULL. */
int value_cast_to(struct binder *binder, struct bound_value *value,
		  enum expr_kind kind, const struct type *type,
		  const char *column);
bool value_is_number_literal(const struct bound_value *value);

/* bind_nested.c */
enum push_rule {
	PUSH_COERCE,
	PUSH_ASSIGN,
	PUSH_CAST,
};
/* Has it parts, and can they take the types that are inside this one? */
bool value_has_parts(const struct bound_value *value,
		     const struct type *type);
/* Give each part its type, then the whole. column: for messages. */
int value_push(struct binder *binder, struct bound_value *value,
	       const struct type *type, enum push_rule rule,
	       const char *column);
/* Parameters among the parts become VARCHAR. */
int value_settle_parts(struct binder *binder, struct bound_value *value);
/* value becomes its field. */
int value_field(struct binder *binder, struct bound_value *value,
		const char *name, const struct sql_place *place);
int bind_row(struct binder *binder, const struct name_scope *scope,
	     const struct ast_expr *ast, struct bound_value *out);
/* ROW(args) whose fields are called like those of a ROW with as many. */
int bind_row_of(struct binder *binder, struct expr **args,
		const struct type *like, const struct sql_place *place,
		struct expr **out);
int bind_array(struct binder *binder, const struct name_scope *scope,
	       const struct ast_expr *ast, struct bound_value *out);
int bind_field(struct binder *binder, const struct name_scope *scope,
	       const struct ast_expr *ast, struct bound_value *out);
/* row[2]; *is_field false: bind it as a call. */
int bind_row_subscript(struct binder *binder, struct bound_value *args,
		       const struct sql_place *place, bool *is_field,
		       struct bound_value *out);
/* = and <> of two row constructors, field by field; out->expr NULL: it is
 * none, bind it as a call. */
int bind_row_equality(struct binder *binder, const char *name,
		      const struct sql_place *place, struct bound_value *args,
		      struct bound_value *out);
/* ROW fields of a column of a table: all have names, none twice. */
int check_column_type(struct binder *binder, const char *column,
		      const struct type *type, const struct sql_place *place);

/* bind_expr.c, bind_special.c */
int bind_value(struct binder *binder, const struct name_scope *scope,
	       const struct ast_expr *ast, struct bound_value *out);
int bind_values(struct binder *binder, const struct name_scope *scope,
		struct ast_expr *const *asts, size_t count,
		struct bound_value **out);
/* A call of an operator or function with bound arguments. */
int bind_call(struct binder *binder, const char *name,
	      const struct sql_place *place, struct bound_value *args,
	      size_t arg_count, struct bound_value *out);
int bind_special(struct binder *binder, const struct name_scope *scope,
		 const struct ast_expr *ast, struct bound_value *out);
/* COALESCE, NULLIF, IF; *is_special false when it is none of them. */
int bind_conditional(struct binder *binder, const struct name_scope *scope,
		     const struct ast_expr *ast, bool *is_special,
		     struct bound_value *out);
/* NULL as an expression of a type. */
struct expr *null_expr(struct binder *binder, const struct type *type);
int expr_node(struct binder *binder, enum expr_kind kind, struct type type,
	      size_t arg_count, const struct sql_place *place,
	      struct expr **out);
/* A condition, folded; *out NULL when ast is NULL or always true. */
int bind_condition(struct binder *binder, const struct name_scope *scope,
		   const struct ast_expr *ast, const char *what,
		   struct expr **out);
/* A value for a column, folded. */
int bind_assigned(struct binder *binder, const struct name_scope *scope,
		  const struct ast_expr *ast, const struct column_def *column,
		  struct expr **out);
int binder_fold(struct binder *binder, struct expr **expr);
/* The text of an option, a property: a literal or a parameter. */
int bind_constant_text(struct binder *binder, const struct ast_expr *ast,
		       const char **out);

/* bind_query.c, bind_relation.c */
int bind_query(struct binder *binder, const struct ast_query *ast,
	       struct bound_query *out);
int bind_ctes(struct binder *binder, struct ast_cte *const *ctes,
	      size_t count);
int check_unused_ctes(struct binder *binder, const struct cte_scope *until);
int bind_relation(struct binder *binder, const struct ast_relation *ast,
		  struct bound_query *out);
/* query_node.c */
int query_node_new(struct binder *binder, enum query_kind kind,
		   size_t column_count, struct query_node **out);
int query_rename(struct binder *binder, const char *const *names,
		 size_t count, const struct sql_place *place,
		 struct bound_query *query);
/* What a query reads as it is, for messages; NULL = nothing such. */
const struct relation *query_relation(const struct query_node *node);
/* Wrap in a projection that gives the columns these types. */
int query_coerce(struct binder *binder, const struct type *types,
		 const struct sql_place *place, struct bound_query *query);
int query_input(struct binder *binder, struct query_node *node,
		struct query_node *input);

/* bind_merge.c, bind_clause.c, bind_set.c, bind_change.c, bind_table.c */
int bind_target(struct binder *binder, const struct ast_statement *ast,
		struct merge_plan **out);
/* Learn the columns of the target (again). */
int bind_target_schema(struct binder *binder, struct merge_plan *plan);
int bind_merge(struct binder *binder, const struct ast_statement *ast);
int bind_on(struct binder *binder, struct merge_plan *plan, struct expr *on);
int bind_clause(struct binder *binder, struct name_scope *scope,
		const struct merge_plan *plan, const struct ast_when *ast,
		struct merge_clause *out);
int find_target_column(struct binder *binder, const struct merge_plan *plan,
		       const char *name, const struct sql_place *place,
		       size_t *out);
int bind_assignments(struct binder *binder, struct name_scope *scope,
		     const struct merge_plan *plan,
		     struct ast_assignment *const *asts, size_t count,
		     struct merge_clause *out);
/* Table ordinals of an INSERT list (count 0 = all); *out has *count_out. */
int bind_insert_columns(struct binder *binder, const struct merge_plan *plan,
			struct ast_column_name *const *names, size_t count,
			size_t **out, size_t *count_out);
/* The DEFAULT of a column, or NULL of its type. */
struct expr *default_expr(struct binder *binder,
			  const struct column_def *column);
int fill_defaults(struct binder *binder, const struct merge_plan *plan,
		  struct merge_clause *clause);
void mark_source_used(struct merge_plan *plan);
/* Is a table that the statement reads the one that it changes? */
bool reads_target(const struct binder *binder);
const struct schema *plan_schema(const struct merge_plan *plan);
int bind_update(struct binder *binder, const struct ast_statement *ast);
int bind_delete(struct binder *binder, const struct ast_statement *ast);
int bind_insert(struct binder *binder, const struct ast_statement *ast);
int bind_create(struct binder *binder, const struct ast_statement *ast);
/* Type, options and default of one column. */
int bind_column_def(struct binder *binder, const struct ast_column *ast,
		    struct column_def *def);
/* Name and text of a property; *value NULL = DEFAULT. */
int bind_property(struct binder *binder, const struct ast_property *ast,
		  const char **key, const char **value);
bool is_format_version(const char *key);
int bind_format_version(struct binder *binder, const struct ast_property *ast,
			const char *value, int *out);
/* bind_names.c: make a ROW one of the type, fields paired by name where their
 * order differs. What it lacks is the field of old, NULL = none: NULL. */
int value_by_name(struct binder *binder, struct bound_value *value,
		  const struct type *type, struct expr *old);
/* bind_evolve.c: what the source has and the target lacks is added to it; the
 * plan then knows the new columns. */
int evolve_for_merge(struct binder *binder, const struct ast_statement *ast,
		     const struct bound_query *source,
		     struct merge_plan *plan);
int evolve_for_insert(struct binder *binder, const struct ast_statement *ast,
		      const struct bound_query *source,
		      struct merge_plan *plan);
/* bind_alter.c */
int bind_alter(struct binder *binder, const struct ast_statement *ast);
int bind_changes(struct binder *binder, const struct ast_statement *ast,
		 struct sql_alter *out);
int bind_columns(struct binder *binder, const struct ast_statement *ast,
		 struct schema *out);
#endif
