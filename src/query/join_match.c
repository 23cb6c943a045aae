/*
 * join_match.c - a batch of the left input against right rows
 *
 * How:    pairs come from the probe some thousand at a time; the residual
 *         runs over the columns of them that it reads. Inner and outer joins
 *         give each lot of pairs out; the others only note which left rows
 *         have a match, and give rows once all pairs have been seen.
 * Limits: IN of nested values takes a NULL inside one for "not equal".
 */
#include "query/join_state.h"

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "join");
}

int join_match_init(struct join_match *match, struct join_source *source,
		    struct error *err)
{
	const struct query_node *node = source->query.node;
	size_t left = source->left.own_count, right = source->right.own_count;
	struct type *types;
	int rc;

	memset(match, 0, sizeof(*match));
	match->source = source;
	types = mem_alloc_array(left + right + 1, sizeof(*types));
	match->pair_columns = mem_zalloc_array(left + right + 1,
					       sizeof(*match->pair_columns));
	match->targets = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	match->sources = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint32_t));
	match->lines = mem_alloc_array(BATCH_ROW_COUNT, sizeof(uint64_t));
	match->own_flags = mem_alloc_array(BATCH_ROW_COUNT, 1);
	if (!types || !match->pair_columns || !match->targets ||
	    !match->sources || !match->lines || !match->own_flags) {
		mem_free(types);
		return no_memory(err);
	}
	if (left)
		memcpy(types, source->left.types, left * sizeof(*types));
	if (right)
		memcpy(types + left, source->right.types,
		       right * sizeof(*types));
	rc = batch_init_types(&match->pairs, types, left + right, err);
	mem_free(types);
	if (!rc)
		rc = batch_init(&match->out, node->schema, err);
	if (!rc)
		rc = join_probe_new(&match->probe, err);
	if (!rc)
		rc = selection_buffer_init(&match->passed, BATCH_ROW_COUNT,
					   err);
	if (!rc && source->join->residual)
		rc = expr_program_new(&match->residual, source->join->residual,
				      &source->query.options->context, err);
	return rc;
}

void join_match_release(struct join_match *match)
{
	join_probe_free(match->probe);
	expr_program_free(match->residual);
	selection_buffer_release(&match->passed);
	batch_release(&match->pairs);
	batch_release(&match->out);
	mem_free(match->pair_columns);
	mem_free(match->targets);
	mem_free(match->sources);
	mem_free(match->lines);
	mem_free(match->own_flags);
	mem_free(match->rest);
	memset(match, 0, sizeof(*match));
}

/* Start pairs of some rows by a table's keys, or with all rows of a store. */
static int start_probe(struct join_match *match,
		       const struct join_table *table,
		       const struct row_store *store,
		       const struct vector *const *keys,
		       const struct selection *rows, struct error *err)
{
	if (table)
		return join_probe_keys(match->probe, table, keys, rows, err);
	return join_probe_loop(match->probe, store, rows, err);
}

/* Leave the pairs for which the residual is true. */
static int filter_pairs(struct join_match *match,
			const struct row_store *store,
			struct join_pairs *pairs, struct error *err)
{
	const struct join_source *source = match->source;
	size_t left = source->left.own_count, right = source->right.own_count;
	struct selection all = selection_all(pairs->count);
	size_t failed;
	int rc = interrupt_check(err);

	if (rc || !match->residual || !pairs->count)
		return rc;
	for (size_t i = 0; !rc && i < left + right; i++) {
		struct vector *to = &match->pairs.columns[i];

		match->pair_columns[i] = to;
		if (!source->residual_columns[i])
			continue;
		if (i < left)
			rc = vector_gather(to, &match->batch->columns[i],
					   pairs->target, pairs->count, NULL,
					   err);
		else
			rc = row_store_gather(store, i - left, pairs->source,
					      pairs->count, to, err);
	}
	if (rc)
		return rc;
	rc = expr_program_filter(match->residual, match->pair_columns,
				 pairs->count, &all, &match->passed, NULL,
				 &failed, err);
	if (rc)
		return failed < pairs->count
			? query_blame(match->batch, pairs->target[failed], err)
			: rc;
	for (size_t i = 0; i < match->passed.count; i++) {
		size_t at = match->passed.rows[i];

		pairs->target[i] = pairs->target[at];
		pairs->source[i] = pairs->source[at];
	}
	pairs->count = match->passed.count;
	return 0;
}

/* Rows of the batch without any of the flags. */
static size_t rows_without(const struct join_match *match, uint8_t flags,
			   uint32_t *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < match->batch->row_count; i++) {
		rows[n] = (uint32_t)i;
		n += (match->flags[i] & flags) == 0;
	}
	return n;
}

/* Flag the rows that have a match; nothing else is asked for. */
static int flag_matches(struct join_match *match, struct error *err)
{
	const struct join_part *part = match->part;

	if (!match->residual && !part->table) {
		for (size_t i = 0; part->row_count &&
				   i < match->batch->row_count; i++)
			match->flags[i] |= JOIN_FLAG_MATCHED;
		return 0;
	}
	if (!match->residual) {
		struct join_pairs heads = join_probe_heads(match->probe);

		for (size_t i = 0; i < heads.count; i++)
			match->flags[heads.target[i]] |= JOIN_FLAG_MATCHED;
		return 0;
	}
	for (;;) {
		struct join_pairs pairs = join_probe_next(match->probe);
		int rc;

		if (!pairs.count)
			return 0;
		rc = filter_pairs(match, part->store, &pairs, err);
		if (rc)
			return rc;
		for (size_t i = 0; i < pairs.count; i++)
			match->flags[pairs.target[i]] |= JOIN_FLAG_MATCHED;
	}
}

/* Flag as unknown the rows that have a pair in what is probed. */
static int flag_unknown(struct join_match *match,
			const struct row_store *store, struct error *err)
{
	for (;;) {
		struct join_pairs pairs = join_probe_next(match->probe);
		int rc;

		if (!pairs.count)
			return 0;
		rc = filter_pairs(match, store, &pairs, err);
		if (rc)
			return rc;
		for (size_t i = 0; i < pairs.count; i++)
			match->flags[pairs.target[i]] |= JOIN_FLAG_UNKNOWN;
	}
}

/*
 * x IN (rows), not true: unknown if x is NULL and there is any row, or if
 * there is a row that is NULL, of those that correlate.
 */
static int flag_nulls(struct join_match *match,
		      const struct vector *const *keys, struct error *err)
{
	const struct join_part *part = match->part;
	const struct vector *x =
		keys[match->source->join->key_count - 1];
	size_t count = rows_without(match, JOIN_FLAG_MATCHED |
					   JOIN_FLAG_UNKNOWN, match->targets);
	struct selection rows = { match->targets, 0 };
	bool is_plain = !match->residual && !part->group_table;
	bool any_null = row_store_row_count(part->null_store) > 0;
	int rc = 0;

	for (size_t i = 0; is_plain && i < count; i++) {
		uint32_t row = match->targets[i];

		if (vector_is_null(x, row) ? part->row_count > 0 : any_null)
			match->flags[row] |= JOIN_FLAG_UNKNOWN;
	}
	if (is_plain)
		return 0;
	if (any_null) {
		rows.count = count;
		rc = start_probe(match, part->null_table, part->null_store,
				 keys, &rows, err);
		if (!rc)
			rc = flag_unknown(match, part->null_store, err);
	}
	rows.count = 0;
	count = rows_without(match, JOIN_FLAG_MATCHED | JOIN_FLAG_UNKNOWN,
			     match->targets);
	for (size_t i = 0; i < count; i++)
		if (vector_is_null(x, match->targets[i]))
			match->targets[rows.count++] = match->targets[i];
	if (rc || !rows.count)
		return rc;
	rc = start_probe(match, part->group_table, part->store, keys, &rows,
			 err);
	return rc ? rc : flag_unknown(match, part->store, err);
}

static void note_single(struct join_match *match, uint32_t target,
			uint32_t source, bool is_repeated)
{
	uint8_t *flag = &match->flags[target];

	if (match->sources[target] == STORE_ROW_NONE)
		match->sources[target] = source;
	if (match->round == JOIN_ROUND_GIVE)
		return;
	if (is_repeated || *flag & JOIN_FLAG_MATCHED)
		*flag |= JOIN_FLAG_SEVERAL;
	*flag |= JOIN_FLAG_MATCHED;
}

/* Without a residual the chains, or the number of rows, say all. */
static void find_heads(struct join_match *match)
{
	const struct join_part *part = match->part;
	struct join_pairs pairs = part->table ?
		join_probe_heads(match->probe) :
		join_probe_next(match->probe);

	for (size_t i = 0; part->table && i < pairs.count; i++)
		note_single(match, pairs.target[i], pairs.source[i],
			    join_probe_is_repeated(match->probe,
						   pairs.source[i]));
	for (size_t i = 0; !part->table && pairs.count &&
			   i < match->batch->row_count; i++)
		note_single(match, (uint32_t)i, pairs.source[0],
			    part->row_count > 1);
}

/* Find a match of each row; flags say which had one before, and which
 * have several. */
static int find_single(struct join_match *match, struct error *err)
{
	memset(match->sources, 0xff,
	       match->batch->row_count * sizeof(uint32_t));
	if (!match->residual) {
		find_heads(match);
		return 0;
	}
	for (;;) {
		struct join_pairs pairs = join_probe_next(match->probe);
		int rc;

		if (!pairs.count)
			return 0;
		rc = filter_pairs(match, match->part->store, &pairs, err);
		if (rc)
			return rc;
		for (size_t i = 0; i < pairs.count; i++)
			note_single(match, pairs.target[i], pairs.source[i],
				    false);
	}
}

int join_match_begin(struct join_match *match, const struct join_part *part,
		     const struct batch *batch,
		     const struct vector *const *keys, uint8_t *flags,
		     bool is_last, struct error *err)
{
	struct selection all = selection_all(batch->row_count);
	int rc;

	match->part = part;
	match->batch = batch;
	match->flags = flags ? flags : match->own_flags;
	match->is_last = is_last;
	match->is_probed = false;
	if (!flags)
		memset(match->own_flags, 0, batch->row_count);
	rc = start_probe(match, part->table, part->store, keys, &all, err);
	if (rc)
		return rc;
	switch (match->source->join->kind) {
	case JOIN_SEMI:
	case JOIN_ANTI:
	case JOIN_MARK:
		rc = flag_matches(match, err);
		if (!rc && part->null_store)
			rc = flag_nulls(match, keys, err);
		break;
	case JOIN_SINGLE:
		rc = find_single(match, err);
		break;
	default:
		break;
	}
	return rc;
}

static int put_place(struct join_match *match, const uint32_t *rows,
		     size_t count)
{
	const struct batch *from = match->batch;
	struct batch *out = &match->out;

	query_batch_place(out, from);
	out->row_count = count;
	out->lines = NULL;
	if (!from->lines && from->origin)
		return 0;
	for (size_t i = 0; i < count; i++)
		match->lines[i] = from->lines ? from->lines[rows[i]]
					      : from->first_row + rows[i];
	out->lines = match->lines;
	return 0;
}

/* SINGLE: how many matches a row has. */
static int put_state(struct join_match *match, const uint32_t *targets,
		     size_t count, struct vector *to, struct error *err)
{
	int32_t failed = match->source->right_state;
	int rc = vector_reserve(to, count, err);

	if (rc)
		return rc;
	to->count = count;
	for (size_t i = 0; failed && i < count; i++)
		vector_i32(to)[i] = failed;
	for (size_t i = 0; !failed && !rc && i < count; i++) {
		uint8_t flag = match->flags[targets[i]];

		vector_i32(to)[i] = flag & JOIN_FLAG_SEVERAL ? SINGLE_SEVERAL
							     : SINGLE_ONE;
		if (!(flag & JOIN_FLAG_MATCHED))
			rc = vector_set_null(to, i, err);
	}
	return rc;
}

/* Left rows, each beside a right row or STORE_ROW_NONE; sources NULL: left
 * columns alone. */
static int put_pairs(struct join_match *match, const uint32_t *targets,
		     const uint32_t *sources, size_t count, struct error *err)
{
	const struct join_source *source = match->source;
	size_t left = source->left.own_count;
	size_t state = left + source->right.own_count;
	int rc = 0;

	batch_reset(&match->out);
	put_place(match, targets, count);
	for (size_t i = 0; !rc && i < match->out.column_count; i++) {
		struct vector *to = &match->out.columns[i];

		if (!source->query.wanted[i])
			continue;
		if (i < left)
			rc = vector_gather(to, &match->batch->columns[i],
					   targets, count, NULL, err);
		else if (i == state)
			rc = put_state(match, targets, count, to, err);
		else if (sources)
			rc = row_store_gather(match->part->store, i - left,
					      sources, count, to, err);
	}
	return rc;
}

/* The next lot of pairs; false in *any: there are no more. */
static int next_pairs(struct join_match *match, bool *any, struct error *err)
{
	const struct join_source *source = match->source;

	*any = false;
	for (;;) {
		struct join_pairs pairs = join_probe_next(match->probe);
		int rc;

		if (!pairs.count)
			return 0;
		rc = filter_pairs(match, match->part->store, &pairs, err);
		if (rc)
			return rc;
		if (!pairs.count)
			continue;
		for (size_t i = 0; i < pairs.count; i++)
			match->flags[pairs.target[i]] |= JOIN_FLAG_MATCHED;
		if (join_keeps_right(source))
			row_store_mark(match->part->store, pairs.source,
				       pairs.count, STORE_MARK_MATCHED);
		*any = true;
		return put_pairs(match, pairs.target, pairs.source,
				 pairs.count, err);
	}
}

/* MARK: what the right input said of all rows. */
static int put_mark_state(struct join_match *match, struct error *err)
{
	size_t column = match->source->left.own_count + 1;
	struct vector *state = &match->out.columns[column];
	size_t count = match->batch->row_count;
	int rc;

	if (!match->source->query.wanted[column])
		return 0;
	rc = vector_reserve(state, count, err);
	if (rc)
		return rc;
	state->count = count;
	for (size_t i = 0; i < count; i++)
		vector_i32(state)[i] = match->source->right_state;
	return 0;
}

/* Left rows and whether each has a match. */
static int put_mark(struct join_match *match, struct error *err)
{
	const struct batch *batch = match->batch;
	size_t column = match->source->left.own_count;
	struct vector *mark = &match->out.columns[column];
	int rc = 0;

	batch_reset(&match->out);
	query_batch_place(&match->out, batch);
	for (size_t i = 0; i < column; i++)
		if (match->source->query.wanted[i])
			vector_reference(&match->out.columns[i],
					 &batch->columns[i]);
	if (match->source->join->waits)
		rc = put_mark_state(match, err);
	if (rc || !match->source->query.wanted[column])
		return rc;
	rc = vector_reserve(mark, batch->row_count, err);
	if (rc)
		return rc;
	mark->count = batch->row_count;
	for (size_t i = 0; !rc && i < batch->row_count; i++) {
		vector_bool(mark)[i] = match->flags[i] & JOIN_FLAG_MATCHED;
		if (match->flags[i] == JOIN_FLAG_UNKNOWN)
			rc = vector_set_null(mark, i, err);
	}
	return rc;
}

/* Rows with one match stand beside it, the others alone and with the last
 * part. */
static size_t put_singles(struct join_match *match)
{
	size_t n = 0;

	for (size_t i = 0; i < match->batch->row_count; i++) {
		bool is_single = match->flags[i] == JOIN_FLAG_MATCHED;
		uint32_t source = match->sources[i];

		match->targets[n] = (uint32_t)i;
		match->sources[n] = is_single ? source : STORE_ROW_NONE;
		n += is_single ? source != STORE_ROW_NONE : match->is_last;
	}
	return n;
}

/* Once all pairs have been seen: left rows that go by their flags. */
static int put_flagged(struct join_match *match, bool *any, struct error *err)
{
	enum join_kind kind = match->source->join->kind;
	bool wanted = kind == JOIN_SEMI;
	size_t n = 0;

	*any = false;
	if (kind == JOIN_SINGLE) {
		n = match->round == JOIN_ROUND_COUNT ? 0 : put_singles(match);
	} else if (kind == JOIN_MARK && match->is_last) {
		*any = true;
		return put_mark(match, err);
	} else if (match->is_last && (kind == JOIN_SEMI || kind == JOIN_ANTI ||
				      join_keeps_left(match->source))) {
		for (size_t i = 0; i < match->batch->row_count; i++) {
			match->targets[n] = (uint32_t)i;
			match->sources[n] = STORE_ROW_NONE;
			n += (match->flags[i] & JOIN_FLAG_MATCHED) == wanted;
		}
	}
	*any = n > 0;
	return n ? put_pairs(match, match->targets, match->sources, n, err)
		 : 0;
}

int join_match_next(struct join_match *match, struct batch **out,
		    struct error *err)
{
	enum join_kind kind = match->source->join->kind;
	bool any = false;
	int rc = 0;

	*out = NULL;
	if (match->is_probed)
		return 0;
	if (kind == JOIN_INNER || join_keeps_left(match->source) ||
	    join_keeps_right(match->source))
		rc = next_pairs(match, &any, err);
	if (!rc && !any) {
		match->is_probed = true;
		rc = put_flagged(match, &any, err);
	}
	if (!rc && any)
		*out = &match->out;
	return rc;
}

static uint64_t place_value(const struct join_match *match, size_t column,
			    uint32_t row)
{
	const struct store_chunk *chunk = row_store_chunk(
		match->part->store, store_row_chunk(row));

	return (uint64_t)vector_i64(&chunk->columns[column])
		[store_row_place(row)];
}

static bool stands_before(const struct join_match *match, uint32_t a,
			  uint32_t b)
{
	size_t column = match->source->right.column_count - 2;
	uint64_t x = place_value(match, column, a);
	uint64_t y = place_value(match, column, b);

	return x != y ? x < y : place_value(match, column + 1, a) <
				place_value(match, column + 1, b);
}

/* Rows in the order of the input, by merging: chunks are long runs. */
static int sort_rest(struct join_match *match, struct error *err)
{
	size_t count = match->rest_count;
	uint32_t *from = match->rest, *to, *spare;

	spare = to = mem_alloc_array(count + 1, sizeof(*to));
	if (!to)
		return no_memory(err);
	for (size_t width = 1; width < count; width *= 2) {
		uint32_t *swap = from;
		int rc = interrupt_check(err);

		if (rc) {
			mem_free(spare);
			match->rest = from == spare ? to : from;
			return rc;
		}
		for (size_t at = 0; at < count; at += 2 * width) {
			size_t i = at, half = at + width, end = half + width;
			size_t k, n = at;

			half = half < count ? half : count;
			end = end < count ? end : count;
			for (k = half; n < end; n++)
				to[n] = i < half && (k == end ||
					!stands_before(match, from[k],
						       from[i]))
					? from[i++] : from[k++];
		}
		from = to;
		to = swap;
	}
	match->rest = from;
	mem_free(to);
	return 0;
}

int join_match_rest_begin(struct join_match *match,
			  const struct join_part *part, struct error *err)
{
	size_t n = 0;

	mem_free(match->rest);
	match->part = part;
	match->rest_at = match->rest_count = 0;
	match->rest = mem_alloc_array((size_t)part->row_count + 1,
				      sizeof(uint32_t));
	if (!match->rest)
		return no_memory(err);
	for (size_t c = 0; c < row_store_chunk_count(part->store); c++) {
		struct store_chunk *chunk = row_store_chunk(part->store, c);

		for (size_t i = 0; i < chunk->row_count; i++)
			if (!(chunk->marks[i] & STORE_MARK_MATCHED))
				match->rest[n++] = (uint32_t)(
					c << STORE_CHUNK_BITS | i);
	}
	match->rest_count = n;
	return sort_rest(match, err);
}

static int fill_nulls(struct vector *vector, size_t count, struct error *err)
{
	int rc = vector_reserve(vector, count, err);

	if (rc)
		return rc;
	vector->count = count;
	memset(vector->data, 0, count * type_width(&vector->type));
	rc = vector_own_validity(vector, err);
	if (!rc)
		bits_clear_range(vector->validity, 0, count);
	return rc;
}

/* Rows at rest_at and those after it of the same origin. */
static size_t rest_run(struct join_match *match, struct row_place *place)
{
	const struct row_store *store = match->part->store;
	size_t n = 0;

	for (; n < BATCH_ROW_COUNT &&
	       match->rest_at + n < match->rest_count; n++) {
		struct row_place next = row_store_place(
			store, match->rest[match->rest_at + n]);

		if (n == 0)
			*place = next;
		else if (next.origin != place->origin ||
			 next.is_line != place->is_line)
			break;
		match->lines[n] = next.line;
	}
	return n;
}

int join_match_rest_next(struct join_match *match, struct batch **out,
			 struct error *err)
{
	const struct join_source *source = match->source;
	const uint32_t *rows = match->rest + match->rest_at;
	size_t left = source->left.own_count, count;
	struct row_place place = { 0 };
	int rc = 0;

	*out = NULL;
	if (match->rest_at == match->rest_count)
		return 0;
	batch_reset(&match->out);
	count = rest_run(match, &place);
	match->out.origin = place.origin;
	match->out.lines = place.is_line || !place.origin ? match->lines
							  : NULL;
	match->out.row_count = count;
	match->out.first_row = match->rest_at;
	match->rest_at += count;
	for (size_t i = 0; !rc && i < match->out.column_count; i++) {
		struct vector *to = &match->out.columns[i];

		if (!source->query.wanted[i])
			continue;
		if (i < left)
			rc = fill_nulls(to, count, err);
		else
			rc = row_store_gather(match->part->store, i - left,
					      rows, count, to, err);
	}
	if (!rc)
		*out = &match->out;
	return rc;
}
