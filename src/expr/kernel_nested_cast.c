/*
 * kernel_nested_cast.c - CAST of ROW, ARRAY and MAP
 *
 * Why:    a nested value is assigned or cast part by part: ROWs by position,
 *         ARRAYs and MAPs by element; and what a table declares NOT NULL
 *         inside is checked here.
 * How:    once per program a tree of plans, one per part that changes. A run
 *         unpacks a column into its parts, casts each part of all rows at
 *         once with the kernel of its types, and packs them again. TRY_CAST
 *         of a part gives NULL where it fails; a value with such a part is
 *         NULL as a whole.
 * Cost:   one unpacking and packing per level; parts that stay as they are
 *         are borrowed.
 * Limits: the message of a part that does not convert names the value, not
 *         where in the column it is.
 */
#include "expr/kernel_cast.h"
#include "expr/kernel_nested.h"

struct nested_cast {
	struct type from;
	struct type to;
	struct expr node;	/* CAST of a stand-in of the type */
	struct expr stand_in;
	struct expr *arg;	/* &stand_in */
	bool is_same;		/* other name, same data */
	kernel_run kernel;	/* of a part that is not nested */
	struct nested_cast *parts;	/* ROW fields; element; key, value */
	size_t part_count;
	const char *path;	/* "address.zip", for messages */
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "cast of nested values");
}

static const char *part_path(const struct nested_cast *whole, size_t i,
			     struct arena *arena)
{
	const char *name = whole->to.fields[i].name;

	if (!*name)
		return arena_printf(arena, "%s[%zu]", whole->path, i + 1);
	return arena_printf(arena, "%s%s%s", whole->path,
			    *whole->path ? "." : "", name);
}

static int plan_cast(struct nested_cast *cast, const struct expr *like,
		     struct arena *arena, struct error *err)
{
	char from[TYPE_NAME_BYTES], to[TYPE_NAME_BYTES];

	cast->stand_in.kind = EXPR_COLUMN;
	cast->stand_in.type = cast->from;
	cast->arg = &cast->stand_in;
	cast->node = *like;
	cast->node.type = cast->to;
	cast->node.args = &cast->arg;
	cast->node.arg_count = 1;
	cast->is_same = cast_is_relabel(&cast->from, &cast->to);
	if (cast->is_same)
		return 0;
	cast->kernel = cast_kernel(&cast->node);
	if (!cast->kernel)
		return error_set(err, ERROR_TYPE_MISMATCH,
				 "cannot cast %s to %s",
				 type_name(&cast->from, from),
				 type_name(&cast->to, to));
	if (cast->kernel != cast_nested)
		return 0;
	cast->part_count = cast->to.field_count;
	cast->parts = arena_zalloc_array(arena, cast->part_count,
					 sizeof(*cast->parts));
	if (!cast->parts)
		return no_memory(err);
	for (size_t i = 0; i < cast->part_count; i++) {
		struct nested_cast *part = &cast->parts[i];
		int rc;

		part->from = cast->from.fields[i].type;
		part->to = cast->to.fields[i].type;
		part->path = part_path(cast, i, arena);
		if (!part->path)
			return no_memory(err);
		rc = plan_cast(part, like, arena, err);
		if (rc)
			return rc;
	}
	return 0;
}

int nested_cast_prepare(const struct expr *node, struct arena *arena,
			void **state, struct error *err)
{
	struct nested_cast *cast = arena_zalloc(arena, sizeof(*cast));
	int rc;

	*state = NULL;
	if (!cast)
		return no_memory(err);
	cast->from = node->args[0]->type;
	cast->to = node->type;
	cast->path = node->assigned ? node->assigned : "";
	rc = plan_cast(cast, node, arena, err);
	if (!rc)
		*state = cast;
	return rc;
}

struct cast_run {
	const struct kernel_call *outer;
	struct arena *heap;
	struct error *err;
	size_t failed;		/* value of this level, SIZE_MAX = unknown */
};

/* Values of one level and their parts. */
struct cast_level {
	const struct nested_cast *cast;
	size_t count;
	const uint32_t *owner;	/* the value that a part is of; NULL = i */
	uint64_t *gone;		/* bits of values that are NULL */
};

static int cast_column(struct cast_run *run,
		       const struct nested_cast *cast,
		       const struct vector *in, struct vector *out);

/* A part that is not nested, by the kernel of its types. */
static int cast_plain(struct cast_run *run,
		      const struct nested_cast *cast, const struct vector *in,
		      struct vector *out)
{
	struct selection all = selection_all(in->count);
	struct kernel_call call = *run->outer;
	bool is_constant = false;
	int rc = vector_reserve(out, in->count, run->err);

	out->count = in->count;
	out->validity = in->validity;
	call.node = &cast->node;
	call.args = &in;
	call.is_constant = &is_constant;
	call.arg_count = 1;
	call.rows = &all;
	call.row_count = in->count;
	call.result = out;
	call.state = NULL;
	call.failed_row = SIZE_MAX;
	if (rc || !in->count)
		return rc;
	rc = cast->kernel(&call);
	run->failed = call.failed_row;
	return rc;
}

/*
 * Parts that have become NULL by TRY_CAST though they were not, or that are
 * NULL where the type says NOT NULL; of a value that is NULL itself nothing
 * is wrong.
 */
static int check_part(struct cast_run *run, const struct cast_level *level,
		      size_t i, const struct vector *old,
		      const struct vector *now)
{
	const struct nested_cast *part = &level->cast->parts[i];
	bool is_required = level->cast->to.fields[i].required;
	bool is_try = run->outer->node->kind == EXPR_TRY_CAST;

	if (!now->validity)
		return 0;
	for (size_t k = 0; k < now->count; k++) {
		size_t row = level->owner ? level->owner[k] : k;

		if (!vector_is_null(now, k) || bits_get(level->gone, row))
			continue;
		if (is_try) {
			if (is_required || !vector_is_null(old, k))
				bits_set(level->gone, row);
			continue;
		}
		if (!is_required)
			continue;
		error_set(run->err, ERROR_NOT_NULL, "NULL in %s, which is "
			  "NOT NULL", part->path);
		error_field(run->err, part->path);
		run->failed = k;
		return ERROR_NOT_NULL;
	}
	return 0;
}

/* Bits of the rows that are NULL; the caller frees it. */
static uint64_t *null_bits(const struct vector *in)
{
	size_t words = BITMAP_WORDS(in->count) + 1;
	uint64_t *bits = mem_zalloc_array(words, sizeof(*bits));

	for (size_t w = 0; bits && in->validity && w + 1 < words; w++)
		bits[w] = ~in->validity[w];
	return bits;
}

/* The inverse, in place: as validity. */
static const uint64_t *as_validity(uint64_t *bits, size_t count)
{
	for (size_t w = 0; w < BITMAP_WORDS(count); w++)
		bits[w] = ~bits[w];
	return bits;
}

static int cast_fields(struct cast_run *run, const struct cast_level *level,
		       const struct vector *in, struct vector *now)
{
	int rc = 0;

	for (size_t i = 0; i < level->cast->part_count && !rc; i++) {
		const struct nested_cast *part = &level->cast->parts[i];
		struct vector old;

		vector_init(&old, part->from);
		rc = nested_unpack_rows(in, i, &old, run->err);
		if (!rc)
			rc = cast_column(run, part, &old, &now[i]);
		if (!rc)
			rc = check_part(run, level, i, &old, &now[i]);
		/* what is borrowed of old goes with it */
		if (!rc && now[i].data != now[i].owned_data)
			rc = vector_reserve(&now[i], now[i].count, run->err);
		if (!rc && now[i].validity &&
		    now[i].validity != now[i].owned_validity)
			rc = vector_own_validity(&now[i], run->err);
		vector_release(&old);
	}
	return rc;
}

static int cast_rows(struct cast_run *run,
		     const struct nested_cast *cast, const struct vector *in,
		     struct vector *out)
{
	size_t count = cast->part_count;
	struct vector *now = mem_zalloc_array(count, sizeof(*now));
	const struct vector **fields = mem_zalloc_array(count,
							sizeof(*fields));
	struct cast_level level = { cast, in->count, NULL, null_bits(in) };
	int rc = now && fields && level.gone ? 0 : no_memory(run->err);

	for (size_t i = 0; i < count && !rc; i++) {
		vector_init(&now[i], cast->parts[i].to);
		fields[i] = &now[i];
	}
	if (!rc)
		rc = cast_fields(run, &level, in, now);
	if (!rc)
		rc = nested_pack_rows(out, fields,
				      as_validity(level.gone, in->count),
				      in->count, run->heap, run->err);
	for (size_t i = 0; now && i < count; i++)
		vector_release(&now[i]);
	mem_free(now);
	mem_free(fields);
	mem_free(level.gone);
	return rc;
}

/* Element k is of list owner[k]. */
static uint32_t *owners_of(const uint32_t *offsets, size_t count)
{
	uint32_t *owner = mem_alloc_array((size_t)offsets[count] + 1,
					  sizeof(*owner));

	for (size_t i = 0; owner && i < count; i++)
		for (uint32_t k = offsets[i]; k < offsets[i + 1]; k++)
			owner[k] = (uint32_t)i;
	return owner;
}

/* A list whose element could not be cast is gone: it has no elements. */
static int drop_gone(const struct cast_level *level, uint32_t *offsets,
		     struct vector parts[2], struct error *err)
{
	uint32_t *picks = mem_alloc_array((size_t)offsets[level->count] + 1,
					  sizeof(*picks));
	uint32_t total = 0, first = offsets[0];
	int rc = picks ? 0 : no_memory(err);

	for (size_t i = 0; i < level->count && !rc; i++) {
		uint32_t end = offsets[i + 1];

		for (uint32_t k = first; k < end; k++)
			if (!bits_get(level->gone, i))
				picks[total++] = k;
		first = end;
		offsets[i + 1] = total;
	}
	for (size_t p = 0; p < 2 && !rc; p++) {
		struct vector kept;

		vector_init(&kept, parts[p].type);
		if (parts[p].count)
			rc = vector_gather(&kept, &parts[p], picks, total,
					   NULL, err);
		vector_release(&parts[p]);
		parts[p] = kept;
	}
	mem_free(picks);
	return rc;
}

static int pack_cast(struct cast_run *run, const struct cast_level *level,
		     uint32_t *offsets, struct vector now[2],
		     struct vector *out)
{
	const uint64_t *validity;
	int rc = 0;

	if (level->cast->node.kind == EXPR_TRY_CAST)
		rc = drop_gone(level, offsets, now, run->err);
	if (rc)
		return rc;
	validity = as_validity(level->gone, level->count);
	if (level->cast->to.id == TYPE_ARRAY)
		return nested_pack_lists(out, &now[0], offsets, validity,
					 level->count, run->heap, run->err);
	return nested_pack_maps(out, &now[0], &now[1], offsets, validity,
				level->count, run->heap, run->err);
}

static int cast_lists(struct cast_run *run, const struct nested_cast *cast,
		      const struct vector *in, struct vector *out)
{
	struct cast_level level = { cast, in->count, NULL, null_bits(in) };
	struct nested_lists lists;
	uint32_t *owner = NULL;
	struct vector now[2];
	int rc = nested_lists_open(&lists, in, run->err);

	vector_init(&now[0], cast->parts[0].to);
	vector_init(&now[1], cast->parts[cast->part_count - 1].to);
	if (!rc)
		level.owner = owner = owners_of(lists.offsets, in->count);
	if (!rc && (!owner || !level.gone))
		rc = no_memory(run->err);
	for (size_t p = 0; p < cast->part_count && !rc; p++) {
		const struct vector *old = p ? &lists.values : &lists.elements;

		rc = cast_column(run, &cast->parts[p], old, &now[p]);
		if (!rc)
			rc = check_part(run, &level, p, old, &now[p]);
	}
	if (rc && owner && run->failed < lists.offsets[in->count])
		run->failed = owner[run->failed];
	if (!rc)
		rc = pack_cast(run, &level, lists.offsets, now, out);
	mem_free(owner);
	mem_free(level.gone);
	vector_release(&now[0]);
	vector_release(&now[1]);
	nested_lists_close(&lists);
	return rc;
}

static int cast_column(struct cast_run *run,
		       const struct nested_cast *cast,
		       const struct vector *in, struct vector *out)
{
	if (cast->is_same) {
		vector_reference(out, in);
		out->type = cast->to;
		return 0;
	}
	if (cast->kernel != cast_nested)
		return cast_plain(run, cast, in, out);
	return cast->to.id == TYPE_ROW ? cast_rows(run, cast, in, out)
				       : cast_lists(run, cast, in, out);
}

int cast_nested(struct kernel_call *call)
{
	struct cast_run run = { call, call->heap, call->err, SIZE_MAX };
	struct nested_rows rows;
	int rc = nested_begin(&rows, call);

	if (!rc)
		rc = cast_column(&run, call->state, rows.args[0], &rows.out);
	if (rc && run.failed < rows.count)
		call->failed_row = nested_row(&rows, run.failed);
	return nested_end(&rows, call, rc);
}
