ROOM_OBJS := lexer.o sql_text.o sql_error.o ast.o parser.o parse_type.o \
	parse_nested_type.o parse_nested.o parse_literal.o parse_expr.o \
	parse_special.o parse_interval.o \
	parse_relation.o parse_query.o parse_call.o parse_select.o parse_grouping.o parse_merge.o \
	parse_change.o parse_table.o \
	parse_layout.o parse_alter.o bind_alter.o bind_evolve.o bind_names.o \
	parse_statement.o name_scope.o untyped.o coerce.o binder.o \
	bind_expr.o bind_special.o bind_nested.o bind_set.o query_node.o \
	bind_relation.o bind_query.o bind_on.o equi_split.o settle.o bind_join.o \
	outer_on.o \
	bind_aggregate.o bind_grouping.o bind_window.o bind_subquery.o attach.o \
	query_depends.o late_value.o decorrelate.o pull_up.o bind_select.o bind_lookup.o bind_lookup_source.o bind_clause.o bind_merge.o \
	bind_change.o bind_table.o sql_statement.o
ROOM_TESTS := check_lexer check_sql_text check_parse_expr check_bind_merge \
	check_bind_query check_bind_change check_bind_table \
	check_bind_alter check_bind_evolve check_bind_nested \
	check_bind_join check_bind_group check_bind_window check_bind_subquery
