#ifndef SQL_PARSER_H
#define SQL_PARSER_H
#include "sql/ast_query.h"
#include "sql/sql_text.h"

/*
 * Recursive descent over the tokens of one statement. Every parse_*()
 * function starts at the next token, moves past what it takes and returns 0
 * with *out set, or the error code with parser->err filled and *out NULL.
 */
struct sql_parser {
	const struct sql_script *script;
	struct arena *arena;
	size_t next;
	size_t end;
	struct sql_token end_token;
	uint32_t depth;
	uint32_t deepest;	/* expression of the query being parsed */
	uint32_t type_depth;	/* of ROW, ARRAY and MAP in a type */
	/* 1 + the token ":INT" of STRUCT<a:INT> that is read as the word
	 * behind its colon; 0 = none. */
	size_t glued_colon;
	struct error *err;
};

void parser_init(struct sql_parser *parser, const struct sql_script *script,
		 const struct sql_range *range, struct arena *arena,
		 struct error *err);

/* The token `ahead` of the next; one of TOKEN_END past the last. */
struct sql_token parser_peek(const struct sql_parser *parser, size_t ahead);
struct sql_place parser_place(const struct sql_parser *parser, size_t ahead);
bool parser_at_end(const struct sql_parser *parser);
/* Is it the unquoted word (upper case), in any case? */
bool parser_is_at(const struct sql_parser *parser, size_t ahead,
		  const char *word);
bool parser_is(const struct sql_parser *parser, const char *word);
/* Several words in a row, separated by one blank each: "NOT MATCHED". */
bool parser_is_all(const struct sql_parser *parser, const char *words);
bool parser_is_kind(const struct sql_parser *parser, uint16_t kind);
/* Move past it if it is there. */
bool parser_accept(struct sql_parser *parser, const char *words);
bool parser_accept_kind(struct sql_parser *parser, uint16_t kind);
int parser_expect(struct sql_parser *parser, const char *words);
int parser_expect_kind(struct sql_parser *parser, uint16_t kind,
		       const char *what);

/* SYNTAX at the next token: "syntax error at or near "x": expected WHAT". */
int parser_expected(const struct sql_parser *parser, const char *what);
/* UNSUPPORTED at a token: "WHAT is not supported". */
int parser_unsupported(const struct sql_parser *parser, size_t ahead,
		       const char *what);
int parser_no_memory(const struct sql_parser *parser);
/* Around everything that nests. */
int parser_enter(struct sql_parser *parser);
void parser_leave(struct sql_parser *parser);

/* Allocate a node; NULL with err set. */
void *parser_new(struct sql_parser *parser, size_t byte_count);
int parser_add(struct sql_parser *parser, struct ast_list *list, void *item);

/* Is the token `ahead` a name: quoted, or a word that is not reserved? */
bool parser_is_name(const struct sql_parser *parser, size_t ahead);
/* Is the next token a dot and then a part of a name, or a reserved word, which
 * parse_name() refuses with a hint? */
bool parser_at_part(const struct sql_parser *parser);
/* One name; what is for the message: "a column name". */
int parse_name(struct sql_parser *parser, const char *what,
	       const char **out);
int parse_dotted_name(struct sql_parser *parser, const char *what,
		      struct ast_name *out);
/* [AS] alias; *out NULL when there is none. */
int parse_alias(struct sql_parser *parser, const char **out);
/* (a, b, c) as struct ast_column_name. */
int parse_column_names(struct sql_parser *parser,
		       struct ast_column_name ***out, size_t *count_out);
/* The same as plain strings. */
int parse_name_list(struct sql_parser *parser, const char ***out,
		    size_t *count_out);
/* The text of a string token, escapes resolved. */
int parse_string(struct sql_parser *parser, struct byte_view *out);

/* parse_type.c: a type; *length is n of VARCHAR(n), else 0. */
int parse_type(struct sql_parser *parser, struct type *out,
	       uint32_t *length);
/* A type without ARRAY behind it; not ROW, ARRAY, MAP. */
int parse_plain_type(struct sql_parser *parser, struct type *out,
		     uint32_t *length);
/* Does the name of a type begin at the token `ahead`? */
bool parser_at_type(const struct sql_parser *parser, size_t ahead);
/* parse_nested_type.c: ROW(...), ARRAY(T), MAP(K, V) and their like; is one
 * at the token `ahead`? */
bool parser_at_nested_type(const struct sql_parser *parser, size_t ahead);
int parse_nested_type(struct sql_parser *parser, struct type *out,
		      uint32_t *length);
/* What is read so far, as often as ARRAY or [] stands behind it. */
int parse_array_suffix(struct sql_parser *parser, struct type *out);
/* How many tokens make a type name that a quoted text may follow, as in
 * DATE '2024-01-31'? 0 = the next tokens are no typed literal. */
size_t parser_typed_literal_tokens(const struct sql_parser *parser);

/* parse_literal.c: numbers, texts, DATE '...' ; the next token starts one. */
int parse_number(struct sql_parser *parser, bool is_negative,
		 struct literal *out);
int parse_text_literal(struct sql_parser *parser, struct literal *out);
/* out may be a TIMESTAMP for *type TIMESTAMP WITH TIME ZONE: a local time. */
int parse_typed_literal(struct sql_parser *parser, struct type *type,
			struct literal *out);

/* parse_expr.c */
int parse_expr(struct sql_parser *parser, struct ast_expr **out);
/* An operand of a comparison: no AND, OR, NOT or predicate outside ( ). */
int parse_operand(struct sql_parser *parser, struct ast_expr **out);
/* An expression or DEFAULT. */
int parse_value_or_default(struct sql_parser *parser, struct ast_expr **out);
/* A literal or a parameter, nothing else; for options and LIMIT. */
int parse_constant(struct sql_parser *parser, struct ast_expr **out);
/* parse_grouping.c: what stands behind GROUP BY. */
int parse_groups(struct sql_parser *parser, struct ast_query *query);
int parse_expr_list(struct sql_parser *parser, struct ast_list *list);
int ast_expr_new(struct sql_parser *parser, enum ast_kind kind,
		 const struct sql_place *place, const struct ast_list *args,
		 struct ast_expr **out);
/* A call of a function or operator with up to three arguments (NULL ends). */
int ast_call_new(struct sql_parser *parser, const char *name,
		 const struct sql_place *place, struct ast_expr *const args[3],
		 struct ast_expr **out);
/* parse_special.c: AT TIME ZONE, any number of them, behind *out. */
int parse_at_zone(struct sql_parser *parser, struct ast_expr **out);
/* parse_special.c: CASE, CAST, EXTRACT ...; *out stays NULL with 0 returned
 * when the next token starts none of them. */
int parse_special(struct sql_parser *parser, struct ast_expr **out);

/* parse_interval.c: INTERVAL '3' DAY; does the next token start one? */
bool parser_at_interval(const struct sql_parser *parser);
int parse_interval(struct sql_parser *parser, struct ast_expr **out);
/* An operator of which args[0] or args[1] is an interval: + and - become a
 * call of date_add(), * and the sign another interval; others are refused. */
int interval_operation(struct sql_parser *parser, const char *name,
		       const struct sql_place *place,
		       struct ast_expr *const args[3], struct ast_expr **out);

/* parse_call.c */
/* name(...) and what may stand behind it; the next token is the name. */
int parse_call(struct sql_parser *parser, struct ast_expr **out);
/* The query of a subquery: the next token is its '('. depth_out: how deep
 * the expressions in it are. */
int parse_subquery(struct sql_parser *parser, enum ast_kind kind,
		   const struct sql_place *place, struct ast_expr *value,
		   struct ast_expr **out);
/* Behind ORDER BY. */
int parse_sort_list(struct sql_parser *parser, struct ast_sort ***out,
		    size_t *count_out);
/* (...) of OVER and WINDOW. */
int parse_window(struct sql_parser *parser, struct ast_window **out);
/* How an expression is called in lower case; NULL with err set. */
char *parser_lower_name(struct sql_parser *parser, const char *name);

/* parse_nested.c */
/* ROW(...) and ARRAY[...]; the next token is the word. */
int parse_row_constructor(struct sql_parser *parser, struct ast_expr **out);
int parse_array(struct sql_parser *parser, struct ast_expr **out);
/* (a, b): the next token is the ',' behind the first value. */
int parse_row_rest(struct sql_parser *parser, struct ast_expr *first,
		   const struct sql_place *place, struct ast_expr **out);
/* [subscript] and .field behind a value, as often as they are there. */
int parse_access(struct sql_parser *parser, struct ast_expr **value);

/* parse_select.c; the next token is SELECT. */
int parse_select(struct sql_parser *parser, struct ast_query **out);
struct ast_query *ast_query_new(struct sql_parser *parser,
				enum ast_query_kind kind);
/* parse_query.c */
bool parser_at_query(const struct sql_parser *parser, size_t ahead);
int parse_query(struct sql_parser *parser, struct ast_query **out);
int parse_with(struct sql_parser *parser, struct ast_cte ***out,
	       size_t *count_out);
int parse_row(struct sql_parser *parser, bool allows_default,
	      struct ast_row **out);
/* parse_relation.c: one relation with its joins. */
int parse_relation(struct sql_parser *parser, struct ast_relation **out);
/* Several with commas between them: FROM. */
int parse_from(struct sql_parser *parser, struct ast_relation **out);

/* parse_layout.c */
int parse_column_path(struct sql_parser *parser, struct column_path *out);
/* A column or a transform of one; a bare name may be a field's. */
int parse_partition_field(struct sql_parser *parser,
			  struct partition_term *out);
/* The same with [AS name]. */
int parse_partition_term(struct sql_parser *parser,
			 struct partition_term *out);
/* The same with [ASC | DESC] [NULLS FIRST | LAST]. */
int parse_sort_term(struct sql_parser *parser, struct sort_term *out);
/* Terms with commas between them, added to layout. */
int parse_term_list(struct sql_parser *parser, bool is_sort,
		    struct ast_layout *layout);
/* (term, ...) of PARTITIONED BY. */
int parse_partitioned_by(struct sql_parser *parser,
			 struct ast_layout *layout);
/* The list after ORDERED BY, in parentheses or not. */
int parse_ordered_by(struct sql_parser *parser, struct ast_layout *layout);
/* WRITE [LOCALLY] ORDERED BY ... | WRITE UNORDERED */
int parse_write_order(struct sql_parser *parser, struct ast_layout *layout);
/* Trino's ARRAY['bucket(id, 8)'] or ARRAY['id DESC']. */
int parse_layout_array(struct sql_parser *parser, bool is_sort,
		       struct ast_layout *layout);

/* parse_alter.c */
int parse_alter(struct sql_parser *parser, struct ast_statement *out);
/* COMMENT ON TABLE | COLUMN */
int parse_comment(struct sql_parser *parser, struct ast_statement *out);
/* Does the token `ahead` start a change of ALTER TABLE? */
bool parser_at_action(const struct sql_parser *parser, size_t ahead);
/* The changes of ALTER TABLE, comma separated. */
int parse_changes(struct sql_parser *parser, struct ast_statement *out);

/* parse_merge.c, parse_change.c, parse_table.c, parse_statement.c */
int parse_merge(struct sql_parser *parser, struct ast_statement *out);
int parse_assignments(struct sql_parser *parser,
		      struct ast_assignment ***out, size_t *count_out);
int parse_update(struct sql_parser *parser, struct ast_statement *out);
int parse_delete(struct sql_parser *parser, struct ast_statement *out);
int parse_insert(struct sql_parser *parser, struct ast_statement *out);
int parse_create(struct sql_parser *parser, struct ast_statement *out);
int parse_drop(struct sql_parser *parser, struct ast_statement *out);
/* NOT NULL, DEFAULT, COMMENT and PRIMARY KEY behind a column's type. */
int parse_column_options(struct sql_parser *parser,
			 struct ast_column *column);
/* key = value, ...; partitioning and sorted_by go into layout. */
int parse_properties(struct sql_parser *parser, bool allows_default,
		     struct ast_list *list, struct ast_layout *layout);
/* A key: quoted, or a dotted name. */
int parse_property_key(struct sql_parser *parser, const char **out);
int parse_columns(struct sql_parser *parser, struct ast_statement *out);
/* Name of the table that a statement is about, into table and table_text. */
int parse_table_name(struct sql_parser *parser, struct ast_statement *out);
/* The same of a statement that changes rows: a quoted path, too. */
int parse_target_name(struct sql_parser *parser, struct ast_statement *out);
int parse_statement(struct sql_parser *parser, struct ast_statement **out);
#endif
