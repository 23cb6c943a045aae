/*
 * file_filter.c - files that no wanted row can be in
 *
 * Why:    most merges and queries are about a few files of many.
 * How:    each range is held against the file's partition values and against
 *         the bounds of its column. A partition field says something by its
 *         transform: identity and the ordered ones by projecting the ends of
 *         the range and its list of values, buckets by the list alone. Projections
 *         are made once per spec, field and range.
 *         A whole manifest is held against the ranges the same way, with
 *         the lowest and highest of its partition values.
 * Cost:   a comparison per file and range; bounds are decoded as met.
 * Limits: old writers stored years, months, days and hours before 1970 one
 *         too high, so the upper end is taken one higher there.
 */
#include "table/scan/manifest_scope.h"
#include "table/scan/scan_state.h"

/* Longer lists are not projected to buckets, nor are more buckets kept. */
#define BUCKET_VALUE_LIMIT 4096
#define BUCKET_LIMIT 1048576

/* What a range says of one partition field. */
struct projection {
	int32_t spec_id;
	size_t field;
	size_t range;
	bool has_min;
	bool has_max;
	struct literal min;
	struct literal max;
	uint64_t *buckets;	/* bit: may hold a value; NULL = any may */
	int32_t bucket_count;
	bool is_time;
	struct vector *list;	/* of the range's values, ascending; NULL */
	struct projection *next;
};

static bool is_time_transform(enum transform_kind kind)
{
	return kind == TRANSFORM_YEAR || kind == TRANSFORM_MONTH ||
	       kind == TRANSFORM_DAY || kind == TRANSFORM_HOUR;
}

static bool project_end(const struct transform *transform,
			const struct literal *end, struct arena *arena,
			struct literal *out)
{
	return transform_apply(transform, end, arena, out, NULL) == 0 &&
	       !out->is_null;
}

/* INTEGER and DATE both are int32. */
static void raise_negative(struct literal *max)
{
	if ((max->type.id == TYPE_INTEGER || max->type.id == TYPE_DATE) &&
	    max->value.int32 < 0)
		max->value.int32++;
}

static int project_buckets(struct table_scan *scan,
			   const struct transform *transform,
			   const struct column_range *range,
			   struct projection *out, struct error *err)
{
	size_t count = range->values ? range->value_count : 1;
	size_t buckets = (size_t)transform->parameter;

	if (!range->values &&
	    (!range->has_min || !range->has_max ||
	     literal_compare(&range->min, &range->max) != 0))
		return 0;
	if (count > BUCKET_VALUE_LIMIT || transform->parameter < 1 ||
	    buckets > BUCKET_LIMIT)
		return 0;
	out->bucket_count = transform->parameter;
	out->buckets = arena_zalloc_array(&scan->arena,
					  BITMAP_WORDS(buckets),
					  sizeof(uint64_t));
	if (!out->buckets)
		return error_set(err, ERROR_NO_MEMORY, "scan of a table");
	for (size_t i = 0; i < count; i++) {
		struct literal value = range->values
					       ? vector_get(range->values, i)
					       : range->min;
		struct literal bucket;

		if (!project_end(transform, &value, &scan->arena, &bucket) ||
		    bucket.value.int32 < 0 ||
		    bucket.value.int32 >= transform->parameter) {
			out->buckets = NULL;
			return 0;
		}
		bits_set(out->buckets, (size_t)bucket.value.int32);
	}
	return 0;
}

/* The transform keeps the order of the list. */
static int project_list(struct table_scan *scan,
			const struct transform *transform,
			const struct column_range *range,
			struct projection *out, struct error *err)
{
	struct selection all = selection_all(range->value_count);
	struct vector made;
	int rc;

	out->list = arena_zalloc(&scan->arena, sizeof(*out->list));
	if (!out->list)
		return error_set(err, ERROR_NO_MEMORY, "scan of a table");
	vector_init(&made, range->values->type);
	rc = transform_apply_vector(transform, range->values, &all, &made,
				    NULL);
	if (rc) {		/* of no use then */
		out->list = NULL;
		vector_release(&made);
		return rc == ERROR_NO_MEMORY
			       ? error_set(err, rc, "scan of a table") : 0;
	}
	vector_init(out->list, made.type);
	out->list->count = made.count;
	out->list->data = arena_copy(&scan->arena, made.data,
				     made.count * type_width(&made.type));
	vector_release(&made);
	return out->list->data
		       ? 0 : error_set(err, ERROR_NO_MEMORY, "scan of a table");
}

static bool list_has(const struct vector *list, const struct literal *value)
{
	size_t low = 0, high = list->count;
	struct literal found;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		found = vector_get(list, middle);
		if (literal_compare(&found, value) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == list->count)
		return false;
	found = vector_get(list, low);
	return literal_compare(&found, value) == 0;
}

/* Old writers stored negative times one too high. */
static bool list_may_have(const struct projection *p,
			  const struct literal *value)
{
	struct literal before = *value;

	if (p->list->type.id != value->type.id || list_has(p->list, value))
		return true;
	if (!p->is_time || value->value.int32 > 0 ||
	    value->value.int32 == INT32_MIN)
		return false;
	before.value.int32--;
	return list_has(p->list, &before);
}

static int project(struct table_scan *scan,
		   const struct partition_spec *spec, size_t field,
		   size_t range_index, struct projection **out,
		   struct error *err)
{
	const struct transform *transform = &spec->fields[field].transform;
	const struct column_range *range = &scan->ranges[range_index];
	struct projection *p;

	*out = NULL;
	for (p = scan->projections; p; p = p->next)
		if (p->spec_id == spec->spec_id && p->field == field &&
		    p->range == range_index) {
			*out = p;
			return 0;
		}
	p = arena_zalloc(&scan->arena, sizeof(*p));
	if (!p)
		return error_set(err, ERROR_NO_MEMORY, "scan of a table");
	p->spec_id = spec->spec_id;
	p->field = field;
	p->range = range_index;
	p->next = scan->projections;
	scan->projections = p;
	*out = p;
	if (transform->kind == TRANSFORM_BUCKET)
		return project_buckets(scan, transform, range, p, err);
	if (transform->kind != TRANSFORM_TRUNCATE &&
	    !is_time_transform(transform->kind))
		return 0;
	if (range->has_min)
		p->has_min = project_end(transform, &range->min, &scan->arena,
					 &p->min);
	if (range->has_max)
		p->has_max = project_end(transform, &range->max, &scan->arena,
					 &p->max);
	p->is_time = is_time_transform(transform->kind);
	if (p->has_max && p->is_time)
		raise_negative(&p->max);
	if (!range->values || range->nan_matches)
		return 0;
	return project_list(scan, transform, range, p, err);
}

/* May rows whose partition field has this value pass? */
static bool field_may_match(const struct projection *p,
			    const struct literal *value)
{
	if (p->buckets)
		return value->type.id != TYPE_INTEGER ||
		       value->value.int32 < 0 ||
		       bits_get(p->buckets, (size_t)value->value.int32);
	if (p->list && !list_may_have(p, value))
		return false;
	if (p->has_min && p->min.type.id == value->type.id &&
	    literal_compare(value, &p->min) < 0)
		return false;
	if (p->has_max && p->max.type.id == value->type.id &&
	    literal_compare(value, &p->max) > 0)
		return false;
	return true;
}

/* May the list have a value from lower to upper? */
static bool list_may_meet(const struct projection *p,
			  const struct literal *lower,
			  const struct literal *upper)
{
	size_t low = 0, high = p->list->count;
	struct literal from = *lower, found;

	if (p->list->type.id != lower->type.id)
		return true;
	/* stored one too high, as above */
	if (p->is_time && from.value.int32 <= 0 &&
	    from.value.int32 != INT32_MIN)
		from.value.int32--;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		found = vector_get(p->list, middle);
		if (literal_compare(&found, &from) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == p->list->count)
		return false;
	found = vector_get(p->list, low);
	return literal_compare(&found, upper) <= 0;
}

/* May rows pass whose partition field is from lower to upper? */
static bool interval_may_match(const struct projection *p,
			       const struct literal *lower,
			       const struct literal *upper)
{
	if (p->buckets) {
		if (lower->type.id != TYPE_INTEGER ||
		    lower->value.int32 < 0 ||
		    upper->value.int32 >= p->bucket_count)
			return true;
		for (int32_t i = lower->value.int32; i <= upper->value.int32;
		     i++)
			if (bits_get(p->buckets, (size_t)i))
				return true;
		return false;
	}
	if (p->list && !list_may_meet(p, lower, upper))
		return false;
	if (p->has_min && p->min.type.id == upper->type.id &&
	    literal_compare(upper, &p->min) < 0)
		return false;
	return !(p->has_max && p->max.type.id == lower->type.id &&
		 literal_compare(lower, &p->max) > 0);
}

static bool is_nan(const struct literal *value)
{
	if (value->type.id == TYPE_REAL)
		return value->value.real != value->value.real;
	return value->type.id == TYPE_DOUBLE &&
	       value->value.real64 != value->value.real64;
}

/* May the rows of a file pass whose values all are this one? */
bool constant_may_match(const struct column_range *range,
			const struct literal *value, int64_t row_count)
{
	struct column_stats stats = { 0 };

	stats.value_count = row_count;
	if (value->is_null) {
		stats.null_count = row_count;
	} else if (is_nan(value)) {
		return range->nan_matches;
	} else {
		stats.has_min = stats.has_max = true;
		stats.min = stats.max = *value;
	}
	return column_range_may_match(range, &stats);
}

static int partition_filter(struct table_scan *scan,
			    const struct data_file *file, size_t range_index,
			    bool *may_match, struct error *err)
{
	const struct column_range *range = &scan->ranges[range_index];
	const struct column_def *column =
		&scan->schema->columns[range->column];
	const struct partition_spec *spec =
		metadata_spec(scan->files->metadata, file->spec_id);
	int rc = 0;

	for (size_t i = 0; spec && i < spec->field_count && *may_match &&
	     i < file->partition_count; i++) {
		const struct literal *value = &file->partition[i];
		enum transform_kind kind = spec->fields[i].transform.kind;
		struct projection *p = NULL;

		if (spec->fields[i].source_id != column->field_id ||
		    kind == TRANSFORM_VOID || kind == TRANSFORM_UNKNOWN)
			continue;
		if (value->is_null || (kind == TRANSFORM_IDENTITY &&
				       type_equal(&value->type,
						  &column->type))) {
			*may_match = constant_may_match(range, value,
							file->record_count);
			continue;
		}
		rc = project(scan, spec, i, range_index, &p, err);
		if (rc)
			return rc;
		if (kind == TRANSFORM_BUCKET &&
		    !value->is_null && value->value.int32 >=
				       spec->fields[i].transform.parameter)
			continue;
		*may_match = field_may_match(p, value);
	}
	return 0;
}

/* May rows of a manifest pass by one field of its partitions? */
static int scope_filter(struct table_scan *scan,
			const struct manifest_scope *scope, size_t field,
			size_t range_index, bool *may_match,
			struct error *err)
{
	const struct column_range *range = &scan->ranges[range_index];
	const struct column_def *column =
		&scan->schema->columns[range->column];
	const struct field_scope *values = &scope->fields[field];
	const struct literal null = literal_null(column->type);
	struct column_stats stats = { 0 };
	struct projection *p;
	int rc;

	if (!values->is_known || values->may_be_nan ||
	    (values->may_be_null && constant_may_match(range, &null, 1)))
		return 0;
	if (scope->spec->fields[field].transform.kind == TRANSFORM_IDENTITY) {
		if (!type_equal(&values->lower.type, &column->type))
			return 0;
		stats.value_count = -1;
		stats.has_min = stats.has_max = true;
		stats.min = values->lower;
		stats.max = values->upper;
		*may_match = column_range_may_match(range, &stats);
		return 0;
	}
	rc = project(scan, scope->spec, field, range_index, &p, err);
	if (!rc)
		*may_match = interval_may_match(p, &values->lower,
						&values->upper);
	return rc;
}

int manifest_filter(struct table_scan *scan, size_t manifest, bool *may_match,
		    size_t *range, struct error *err)
{
	struct manifest_scope scope;
	int rc;

	*may_match = true;
	rc = manifest_scope_make(scan->files, manifest, &scan->arena, &scope,
				 err);
	for (*range = 0; !rc && scope.spec && *range < scan->range_count;
	     ++*range) {
		const struct column_def *column = &scan->schema->columns[
			scan->ranges[*range].column];

		for (size_t i = 0; !rc && *may_match &&
				   i < scope.spec->field_count; i++)
			if (scope.spec->fields[i].source_id ==
			    column->field_id)
				rc = scope_filter(scan, &scope, i, *range,
						  may_match, err);
		if (!*may_match)
			break;
	}
	return rc;
}

static bool bounds_filter(const struct column_range *range,
			  const struct column_def *column,
			  const struct data_file *file)
{
	const struct column_metrics *metrics =
		data_file_metrics(file, column->field_id);
	struct column_stats stats = { 0 };

	if (!metrics || type_is_nested(&column->type))
		return true;
	stats.null_count = metrics->null_count;
	stats.value_count = metrics->value_count;
	stats.may_have_nan = metrics->nan_count != 0;
	if (metrics->lower.data)
		stats.has_min = single_value_decode(&column->type,
						    metrics->lower,
						    &stats.min, NULL) == 0;
	if (metrics->upper.data)
		stats.has_max = single_value_decode(&column->type,
						    metrics->upper,
						    &stats.max, NULL) == 0;
	return column_range_may_match(range, &stats);
}

int file_filter(struct table_scan *scan, const struct snapshot_file *file,
		enum prune_reason *reason, size_t *range, struct error *err)
{
	const struct data_file *data = &file->entry->file;

	*reason = PRUNE_NOT;
	for (*range = 0; *range < scan->range_count; ++*range) {
		const struct column_range *r = &scan->ranges[*range];
		bool may_match = true;
		int rc;

		rc = partition_filter(scan, data, *range, &may_match, err);
		if (rc)
			return rc;
		if (!may_match) {
			*reason = PRUNE_PARTITION;
			return 0;
		}
		if (!bounds_filter(r, &scan->schema->columns[r->column],
				   data)) {
			*reason = PRUNE_BOUNDS;
			return 0;
		}
	}
	return 0;
}
