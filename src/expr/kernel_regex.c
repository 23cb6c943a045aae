/*
 * kernel_regex.c - regular expressions, by PCRE2
 *
 * Why:    Trino's regexp_ functions.
 * How:    a pattern is compiled once and kept until another one comes, which
 *         for a constant pattern never happens; the just-in-time compiler is
 *         used where there is one. Matches are found one after the other as
 *         in Trino: after an empty match the next search starts one character
 *         later. VARCHAR is well-formed, so UTF-8 is not checked again.
 * Cost:   10-100 ns a row for usual patterns.
 * Limits: the syntax is that of PCRE2, nearly all of Java's and more. One
 *         search may take MATCH_LIMIT steps and HEAP_KIB of memory, a pattern
 *         PATTERN_BYTES: then the row is refused rather than waited for.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <inttypes.h>
#include <pcre2.h>
#include <stdio.h>
#include "expr/kernel_nested.h"
#include "expr/kernel_regex.h"
#include "expr/text_utf8.h"

#define MATCH_LIMIT 10000000
#define DEPTH_LIMIT 100000
#define HEAP_KIB (32 * 1024)
#define PATTERN_BYTES (32 * 1024)
#define JIT_STACK_FIRST (32 * 1024)
#define JIT_STACK_LIMIT (1024 * 1024)

struct regex {
	void (*release)(void *state);	/* first: see FUNCTION_RELEASE */
	pcre2_general_context *general;
	pcre2_compile_context *compiling;
	pcre2_match_context *matching;
	pcre2_jit_stack *stack;
	pcre2_code *code;
	pcre2_match_data *data;
	uint32_t group_count;
	struct text pattern;		/* that code is of */
	struct text built;		/* a result under way */
};

/* One search after the other through a text. */
struct search {
	struct byte_view text;
	size_t at;		/* where the next one starts */
	const size_t *ends;	/* begin and end of the match and its groups */
};

static void *regex_malloc(size_t bytes, void *context)
{
	(void)context;
	return mem_alloc(bytes);
}

static void regex_free(void *memory, void *context)
{
	(void)context;
	mem_free(memory);
}

static void forget_code(struct regex *regex)
{
	pcre2_match_data_free(regex->data);
	pcre2_code_free(regex->code);
	regex->data = NULL;
	regex->code = NULL;
}

static void regex_release(void *state)
{
	struct regex *regex = state;

	forget_code(regex);
	pcre2_jit_stack_free(regex->stack);
	pcre2_match_context_free(regex->matching);
	pcre2_compile_context_free(regex->compiling);
	pcre2_general_context_free(regex->general);
	text_release(&regex->pattern);
	text_release(&regex->built);
}

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "regular expression");
}

int regex_prepare(const struct expr *node, struct arena *arena, void **state,
		  struct error *err)
{
	struct regex *regex = arena_zalloc(arena, sizeof(*regex));

	(void)node;
	*state = NULL;
	if (!regex)
		return no_memory(err);
	regex->release = regex_release;
	regex->general = pcre2_general_context_create(regex_malloc,
						      regex_free, NULL);
	if (regex->general) {
		regex->compiling =
			pcre2_compile_context_create(regex->general);
		regex->matching = pcre2_match_context_create(regex->general);
	}
	if (!regex->compiling || !regex->matching) {
		regex_release(regex);
		return no_memory(err);
	}
	pcre2_set_max_pattern_length(regex->compiling, PATTERN_BYTES);
	pcre2_set_match_limit(regex->matching, MATCH_LIMIT);
	pcre2_set_depth_limit(regex->matching, DEPTH_LIMIT);
	pcre2_set_heap_limit(regex->matching, HEAP_KIB);
	*state = regex;
	return 0;
}

static int refuse(struct kernel_call *call, size_t row, const char *what)
{
	error_set(call->err, ERROR_BAD_ARGUMENT, "%s: %s",
		  call->node->function->name, what);
	return kernel_failed(call, row, ERROR_BAD_ARGUMENT);
}

static int refuse_pattern(struct kernel_call *call, size_t row,
			  struct byte_view pattern, int code, size_t offset)
{
	PCRE2_UCHAR message[200];

	if (code == PCRE2_ERROR_HEAP_FAILED || code == PCRE2_ERROR_NOMEMORY)
		return no_memory(call->err);
	if (pcre2_get_error_message(code, message, sizeof(message)) < 0)
		message[0] = '\0';
	error_set(call->err, ERROR_BAD_ARGUMENT, "%s: the pattern '%.*s' is "
		  "not valid at byte %zu: %s", call->node->function->name,
		  (int)(pattern.length < 100 ? pattern.length : 100),
		  (const char *)pattern.data, offset, (char *)message);
	return kernel_failed(call, row, ERROR_BAD_ARGUMENT);
}

/* The just-in-time compiler, where it helps; without it matches go on. */
static void compile_further(struct regex *regex)
{
	if (pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE) ||
	    regex->stack)
		return;
	regex->stack = pcre2_jit_stack_create(JIT_STACK_FIRST,
					      JIT_STACK_LIMIT,
					      regex->general);
	if (regex->stack)
		pcre2_jit_stack_assign(regex->matching, NULL, regex->stack);
}

static int compile(struct kernel_call *call, size_t row,
		   struct byte_view pattern)
{
	struct regex *regex = call->state;
	PCRE2_SIZE offset = 0;
	int code = 0;

	forget_code(regex);
	text_reset(&regex->pattern);
	if (!text_add(&regex->pattern, pattern.length ?
		      (const void *)pattern.data : "", pattern.length))
		return no_memory(call->err);
	regex->code = pcre2_compile((PCRE2_SPTR)(regex->pattern.data ?
						 regex->pattern.data : ""),
				    pattern.length, PCRE2_UTF |
				    PCRE2_NO_UTF_CHECK |
				    PCRE2_NEVER_BACKSLASH_C, &code, &offset,
				    regex->compiling);
	if (!regex->code)
		return refuse_pattern(call, row, pattern, code, offset);
	compile_further(regex);
	regex->data = pcre2_match_data_create_from_pattern(regex->code,
							   regex->general);
	if (!regex->data) {
		forget_code(regex);
		return no_memory(call->err);
	}
	pcre2_pattern_info(regex->code, PCRE2_INFO_CAPTURECOUNT,
			   &regex->group_count);
	return 0;
}

/* The pattern of a row, compiled. */
static int use_pattern(struct kernel_call *call, size_t row,
		       struct byte_view pattern)
{
	struct regex *regex = call->state;

	if (regex->code && regex->pattern.length == pattern.length &&
	    (!pattern.length ||
	     memcmp(regex->pattern.data, pattern.data, pattern.length) == 0))
		return 0;
	return compile(call, row, pattern);
}

static void search_begin(struct search *search, struct byte_view text)
{
	static const uint8_t empty[1];

	search->text = text;
	search->at = 0;
	search->ends = NULL;
	if (!text.length)
		search->text.data = empty;
}

/* 1 a match, 0 none, or an error. */
static int search_next(struct kernel_call *call, size_t row,
		       struct search *search)
{
	struct regex *regex = call->state;
	const struct byte_view *text = &search->text;
	uint32_t options = PCRE2_NO_UTF_CHECK;
	size_t end;
	int rc;

	if (search->at > text->length)
		return 0;
	rc = pcre2_match(regex->code, text->data, text->length, search->at,
			 options, regex->data, regex->matching);
	if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
		rc = pcre2_match(regex->code, text->data, text->length,
				 search->at, options | PCRE2_NO_JIT,
				 regex->data, regex->matching);
	if (rc == PCRE2_ERROR_NOMATCH)
		return 0;
	if (rc == PCRE2_ERROR_NOMEMORY)
		return no_memory(call->err);
	if (rc < 0)
		return refuse(call, row, "matching takes too many steps or "
					 "too much memory");
	search->ends = pcre2_get_ovector_pointer(regex->data);
	end = search->ends[1];
	if (search->ends[0] > end)	/* \K in a lookahead */
		return refuse(call, row, "the match ends before it starts");
	if (end > search->ends[0])
		search->at = end;
	else if (end < text->length)
		search->at = end + utf8_step(text->data + end,
					     text->length - end);
	else
		search->at = end + 1;
	return 1;
}

static bool group_is_set(const struct search *search, size_t group)
{
	return search->ends[2 * group] != PCRE2_UNSET;
}

static struct byte_view group_text(const struct search *search, size_t group)
{
	size_t from = search->ends[2 * group];
	size_t to = search->ends[2 * group + 1];

	return byte_view(search->text.data + from, to > from ? to - from : 0);
}

/* Pattern and text of a row, ready to search. */
static int begin_row(struct kernel_call *call, size_t row,
		     struct search *search)
{
	search_begin(search, vector_bytes(call->args[0])[row]);
	return use_pattern(call, row, vector_bytes(call->args[1])[row]);
}

int regex_like(struct kernel_call *call)
{
	KERNEL_ROWS(call, i) {
		struct search search;
		int rc = begin_row(call, i, &search);

		if (!rc)
			rc = search_next(call, i, &search);
		if (rc < 0)
			return rc;
		vector_bool(call->result)[i] = (uint8_t)rc;
	}
	return 0;
}

static int check_group(struct kernel_call *call, size_t row, int64_t group)
{
	const struct regex *regex = call->state;
	char text[80];

	if (group >= 0 && group <= (int64_t)regex->group_count)
		return 0;
	snprintf(text, sizeof(text), "the pattern has no group %" PRId64,
		 group);
	return refuse(call, row, text);
}

int regex_extract(struct kernel_call *call)
{
	KERNEL_ROWS(call, i) {
		struct search search;
		int64_t group = call->arg_count > 2
			? vector_i64(call->args[2])[i] : 0;
		int rc = begin_row(call, i, &search);

		if (!rc)
			rc = check_group(call, i, group);
		if (!rc)
			rc = search_next(call, i, &search);
		if (rc > 0 && group_is_set(&search, (size_t)group)) {
			vector_bytes(call->result)[i] =
				group_text(&search, (size_t)group);
			continue;
		}
		if (rc >= 0)
			rc = kernel_set_null(call, i);
		if (rc)
			return rc;
	}
	return 0;
}

int regex_count(struct kernel_call *call)
{
	KERNEL_ROWS(call, i) {
		struct search search;
		int64_t count = 0;
		int rc = begin_row(call, i, &search);

		if (rc)
			return rc;
		while ((rc = search_next(call, i, &search)) > 0)
			count++;
		if (rc)
			return rc;
		vector_i64(call->result)[i] = count;
	}
	return 0;
}

/* Position of the match number `occurrence` from character start on. */
static int position_row(struct kernel_call *call, size_t i, int64_t start,
			int64_t occurrence)
{
	struct search search;
	int64_t position = -1;
	int rc = begin_row(call, i, &search);

	if (!rc && start < 1)
		rc = refuse(call, i, "the start must be 1 or more");
	if (!rc && occurrence < 1)
		rc = refuse(call, i, "the occurrence must be 1 or more");
	if (rc)
		return rc;
	if ((uint64_t)start - 1 > utf8_count(search.text.data,
					     search.text.length)) {
		vector_i64(call->result)[i] = -1;
		return 0;
	}
	search.at = utf8_offset(search.text.data, search.text.length,
				(size_t)start - 1);
	do
		rc = search_next(call, i, &search);
	while (rc > 0 && --occurrence);
	if (rc < 0)
		return rc;
	if (rc > 0)
		position = 1 + (int64_t)utf8_count(search.text.data,
						   search.ends[0]);
	vector_i64(call->result)[i] = position;
	return 0;
}

int regex_position(struct kernel_call *call)
{
	KERNEL_ROWS(call, i) {
		int64_t start = call->arg_count > 2
			? vector_i64(call->args[2])[i] : 1;
		int64_t occurrence = call->arg_count > 3
			? vector_i64(call->args[3])[i] : 1;
		int rc = position_row(call, i, start, occurrence);

		if (rc)
			return rc;
	}
	return 0;
}

/* The group that $1 or ${name} at data names; *used its bytes after $. */
static int named_group(struct kernel_call *call, size_t row,
		       struct byte_view after, size_t *used, size_t *group)
{
	struct regex *regex = call->state;
	char name[40];
	size_t length = 0;
	int number = 0;

	if (after.length && after.data[0] >= '0' && after.data[0] <= '9') {
		/* As many digits as still name a group, like Java. */
		for (*used = 0; *used < after.length &&
		     after.data[*used] >= '0' && after.data[*used] <= '9';
		     ++*used) {
			int longer = number * 10 + after.data[*used] - '0';

			if (*used && longer > (int)regex->group_count)
				break;
			number = longer;
		}
		*group = (size_t)number;
		return check_group(call, row, number);
	}
	if (!after.length || after.data[0] != '{')
		return refuse(call, row, "$ in the replacement must name a "
					 "group: $1, ${name}; write \\$");
	while (length + 1 < after.length && length < sizeof(name) - 1 &&
	       after.data[length + 1] != '}') {
		name[length] = (char)after.data[length + 1];
		length++;
	}
	name[length] = '\0';
	if (length + 1 >= after.length || after.data[length + 1] != '}' ||
	    !length)
		return refuse(call, row, "a ${name} in the replacement is "
					 "not closed");
	number = pcre2_substring_number_from_name(regex->code,
						  (PCRE2_SPTR)name);
	if (number < 0)
		return refuse(call, row, "the replacement names a group that "
					 "the pattern does not have");
	*group = (size_t)number;
	*used = length + 2;
	return 0;
}

/* The replacement of one match to built. */
static int add_replacement(struct kernel_call *call, size_t row,
			   const struct search *search, struct byte_view with)
{
	struct regex *regex = call->state;
	size_t at = 0;

	while (at < with.length) {
		size_t from = at, used, group;
		struct byte_view text;
		int rc;

		while (at < with.length && with.data[at] != '$' &&
		       with.data[at] != '\\')
			at++;
		if (!text_add(&regex->built, with.data + from, at - from))
			return no_memory(call->err);
		if (at == with.length)
			break;
		if (with.data[at++] == '\\') {
			if (at == with.length)
				return refuse(call, row, "the replacement "
					      "ends in a backslash");
			if (!text_add(&regex->built, with.data + at++, 1))
				return no_memory(call->err);
			continue;
		}
		rc = named_group(call, row, byte_view(with.data + at,
						      with.length - at),
				 &used, &group);
		if (rc)
			return rc;
		at += used;
		if (!group_is_set(search, group))
			continue;
		text = group_text(search, group);
		if (!text_add(&regex->built, text.data, text.length))
			return no_memory(call->err);
	}
	return 0;
}

static int replace_row(struct kernel_call *call, size_t i,
		       struct byte_view with)
{
	struct regex *regex = call->state;
	struct search search;
	size_t kept = 0;
	uint8_t *out;
	int rc = begin_row(call, i, &search);

	text_reset(&regex->built);
	while (!rc && (rc = search_next(call, i, &search)) > 0) {
		rc = 0;
		if (search.ends[0] < kept)
			continue;
		if (!text_add(&regex->built, search.text.data + kept,
			      search.ends[0] - kept))
			return no_memory(call->err);
		rc = add_replacement(call, i, &search, with);
		kept = search.ends[1];
		if (!rc && regex->built.length > INT32_MAX)
			rc = refuse(call, i, "the result is too long");
	}
	if (rc)
		return rc;
	if (!kept && !regex->built.length) {
		vector_bytes(call->result)[i] = search.text;
		return 0;
	}
	if (!text_add(&regex->built, search.text.data + kept,
		      search.text.length - kept))
		return no_memory(call->err);
	out = arena_alloc_bytes(call->heap, regex->built.length);
	if (!out)
		return no_memory(call->err);
	if (regex->built.length)
		memcpy(out, regex->built.data, regex->built.length);
	vector_bytes(call->result)[i] = byte_view(out, regex->built.length);
	return 0;
}

int regex_replace(struct kernel_call *call)
{
	KERNEL_ROWS(call, i) {
		struct byte_view with = byte_view(NULL, 0);
		int rc;

		if (call->arg_count > 2)
			with = vector_bytes(call->args[2])[i];
		rc = replace_row(call, i, with);
		if (rc)
			return rc;
	}
	return 0;
}

/* The pieces of one text: its matches, or what is between them. */
static int list_row(struct kernel_call *call, size_t row,
		    struct search *search, int64_t group,
		    struct piece_list *list)
{
	bool is_split = call->node->function->variant == REGEX_SPLIT;
	size_t kept = 0;
	int rc;

	while ((rc = search_next(call, row, search)) > 0) {
		struct byte_view piece = byte_view(NULL, 0);

		if (is_split)
			piece = byte_view(search->text.data + kept,
					  search->ends[0] < kept ? 0 :
					  search->ends[0] - kept);
		else if (group_is_set(search, (size_t)group))
			piece = group_text(search, (size_t)group);
		kept = search->ends[1];
		rc = pieces_add(list, piece);
		if (rc)
			return rc;
	}
	if (!rc && is_split)
		rc = pieces_add(list, byte_view(search->text.data + kept,
						search->text.length - kept));
	return rc;
}

int regex_list(struct kernel_call *call)
{
	struct nested_rows rows;
	struct piece_list list = { .offsets = NULL };
	int rc = nested_begin(&rows, call);

	if (!rc)
		rc = pieces_init(&list, rows.count, call->err);
	for (size_t i = 0; i < rows.count && !rc; i++) {
		struct search search;
		size_t row = nested_row(&rows, i);
		int64_t group = rows.arg_count > 2
			? vector_i64(rows.args[2])[i] : 0;

		search_begin(&search, vector_bytes(rows.args[0])[i]);
		rc = use_pattern(call, row, vector_bytes(rows.args[1])[i]);
		if (!rc)
			rc = check_group(call, row, group);
		if (!rc)
			rc = list_row(call, row, &search, group, &list);
		pieces_end_row(&list, i);
	}
	if (!rc)
		rc = nested_pack_lists(&rows.out, &list.pieces, list.offsets,
				       NULL, rows.count, call->heap,
				       call->err);
	pieces_release(&list);
	return nested_end(&rows, call, rc);
}
