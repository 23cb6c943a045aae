/*
 * manifest_reader.c - the entries of a manifest (iceberg.md 8 to 10)
 *
 * Why:    a scan of a big table reads thousands of entries before its first
 *         row, so entries cost no heap call and no look-up by name.
 * How:    one Avro plan decodes an entry with its data file and partition
 *         tuple into slots. The six metric maps are decoded into arrays by
 *         field id, sorted if their writer did not, and merged. Bounds,
 *         partition text and the like point into the file's bytes.
 * Cost:   some hundred ns per entry and some ten per metric.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "iceberg/manifest_schema.h"
#include "iceberg/partition_value.h"

enum entry_slot {
	SLOT_STATUS, SLOT_SNAPSHOT_ID, SLOT_SEQUENCE, SLOT_FILE_SEQUENCE,
	SLOT_DATA_FILE, SLOT_CONTENT, SLOT_PATH, SLOT_FORMAT, SLOT_PARTITION,
	SLOT_RECORD_COUNT, SLOT_FILE_SIZE, SLOT_KEY_METADATA,
	SLOT_SPLIT_OFFSETS, SLOT_EQUALITY_IDS, SLOT_SORT_ORDER,
	SLOT_FIRST_ROW_ID, SLOT_REFERENCED, SLOT_CONTENT_OFFSET,
	SLOT_CONTENT_SIZE, SLOT_METRICS, METRIC_MAPS = 6,
	ENTRY_SLOTS = SLOT_METRICS + METRIC_MAPS
};

#define OF_FILE SLOT_DATA_FILE

static const struct avro_want entry_wants[ENTRY_SLOTS] = {
	[SLOT_STATUS] = { FIELD_STATUS, "status", -1 },
	[SLOT_SNAPSHOT_ID] = { FIELD_SNAPSHOT_ID, "snapshot_id", -1 },
	[SLOT_SEQUENCE] = { FIELD_SEQUENCE_NUMBER, "sequence_number", -1 },
	[SLOT_FILE_SEQUENCE] = { FIELD_FILE_SEQUENCE_NUMBER,
				 "file_sequence_number", -1 },
	[SLOT_DATA_FILE] = { FIELD_DATA_FILE, "data_file", -1 },
	[SLOT_CONTENT] = { FIELD_CONTENT, "content", OF_FILE },
	[SLOT_PATH] = { FIELD_FILE_PATH, "file_path", OF_FILE },
	[SLOT_FORMAT] = { FIELD_FILE_FORMAT, "file_format", OF_FILE },
	[SLOT_PARTITION] = { FIELD_PARTITION, "partition", OF_FILE },
	[SLOT_RECORD_COUNT] = { FIELD_RECORD_COUNT, "record_count", OF_FILE },
	[SLOT_FILE_SIZE] = { FIELD_FILE_SIZE, "file_size_in_bytes", OF_FILE },
	[SLOT_KEY_METADATA] = { 131, "key_metadata", OF_FILE },
	[SLOT_SPLIT_OFFSETS] = { FIELD_SPLIT_OFFSETS, "split_offsets",
				 OF_FILE },
	[SLOT_EQUALITY_IDS] = { FIELD_EQUALITY_IDS, "equality_ids", OF_FILE },
	[SLOT_SORT_ORDER] = { FIELD_SORT_ORDER_ID, "sort_order_id", OF_FILE },
	[SLOT_FIRST_ROW_ID] = { FIELD_FIRST_ROW_ID, "first_row_id", OF_FILE },
	[SLOT_REFERENCED] = { FIELD_REFERENCED_FILE, "referenced_data_file",
			      OF_FILE },
	[SLOT_CONTENT_OFFSET] = { FIELD_CONTENT_OFFSET, "content_offset",
				  OF_FILE },
	[SLOT_CONTENT_SIZE] = { FIELD_CONTENT_SIZE, "content_size_in_bytes",
				OF_FILE },
	[SLOT_METRICS] = { FIELD_COLUMN_SIZES, "column_sizes", OF_FILE },
	[SLOT_METRICS + 1] = { FIELD_VALUE_COUNTS, "value_counts", OF_FILE },
	[SLOT_METRICS + 2] = { FIELD_NULL_COUNTS, "null_value_counts",
			       OF_FILE },
	[SLOT_METRICS + 3] = { FIELD_NAN_COUNTS, "nan_value_counts",
			       OF_FILE },
	[SLOT_METRICS + 4] = { FIELD_LOWER_BOUNDS, "lower_bounds", OF_FILE },
	[SLOT_METRICS + 5] = { FIELD_UPPER_BOUNDS, "upper_bounds", OF_FILE },
};

/* Field ids of key and value of the maps, in the same order. */
static const int32_t map_ids[METRIC_MAPS][2] = {
	{ 117, 118 }, { 119, 120 }, { 121, 122 },
	{ 138, 139 }, { 126, 127 }, { 129, 130 },
};

#define FIRST_BOUNDS_MAP 4	/* maps before it hold counts */

struct metric_item {
	int32_t field_id;
	int64_t count;
	struct byte_view bytes;
};

struct metric_map {
	bool usable;		/* its schema is that of a map */
	bool is_pairs;		/* in the usual shape */
	struct avro_plan plan;	/* of one item: key, value */
	struct metric_item *items;
	size_t count;
	size_t capacity;
};

struct manifest_reader {
	const char *path;
	const struct manifest_file *manifest;
	struct arena *arena;
	struct avro_reader *avro;
	struct avro_plan plan;
	const struct partition_spec *spec;
	const struct type *types;	/* of the spec's fields */
	struct avro_value *values;	/* one entry: slots, then partition */
	struct metric_map maps[METRIC_MAPS];
	struct manifest_entry *entries;
	size_t count;
	size_t capacity;
	int64_t next_row_id;	/* for files without first_row_id; -1 none */
};

static int corrupt(const struct manifest_reader *reader, const char *what,
		   struct error *err)
{
	return error_set(err, ERROR_CORRUPT, "%s: manifest entry %zu: %s",
			 reader->path, reader->count, what);
}

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "manifest entries");
}

/* A text of the file as a string; *out NULL when it is null. */
static int read_string(const struct manifest_reader *reader,
		       const struct avro_value *value, char **out,
		       struct error *err)
{
	struct byte_view bytes;

	*out = NULL;
	if (!value->type)
		return 0;
	if (value->type->kind != AVRO_STRING &&
	    value->type->kind != AVRO_BYTES)
		return corrupt(reader, "a path is not a string", err);
	bytes = value->value.bytes;
	if (memchr(bytes.data, 0, bytes.length))
		return corrupt(reader, "a path with a NUL", err);
	*out = arena_strndup(reader->arena, (const char *)bytes.data,
			     bytes.length);
	return *out ? 0 : no_memory(err);
}

static enum file_format format_of(const struct avro_value *value)
{
	static const struct {
		const char *name;
		enum file_format format;
	} known[] = {
		{ "parquet", FORMAT_PARQUET },
		{ "avro", FORMAT_AVRO },
		{ "orc", FORMAT_ORC },
		{ "puffin", FORMAT_PUFFIN },
	};
	struct byte_view name;

	if (!value->type || value->type->kind != AVRO_STRING)
		return FORMAT_OTHER;
	name = value->value.bytes;
	for (size_t i = 0; i < ARRAY_COUNT(known); i++) {
		size_t same = 0;

		if (strlen(known[i].name) != name.length)
			continue;
		while (same < name.length &&
		       (name.data[same] | 0x20) == known[i].name[same])
			same++;
		if (same == name.length)
			return known[i].format;
	}
	return FORMAT_OTHER;
}

static int compare_items(const void *a, const void *b)
{
	int32_t x = ((const struct metric_item *)a)->field_id;
	int32_t y = ((const struct metric_item *)b)->field_id;

	return (x > y) - (x < y);
}

/* The next item of a map: 1, 0 at the end, -1 malformed. */
static int next_metric(const struct metric_map *map, struct avro_items *items,
		       int32_t *field_id, struct avro_value *value)
{
	struct avro_value pair[2];
	int more;

	if (map->is_pairs)
		return avro_items_next_pair(items, field_id, value);
	more = avro_items_next(items);
	if (more <= 0)
		return more;
	if (!avro_decode(&map->plan, &items->cursor, pair) || !pair[0].type)
		return -1;
	*field_id = (int32_t)pair[0].value.integer;
	*value = pair[1];
	return 1;
}

static int read_map(struct manifest_reader *reader, struct metric_map *map,
		    const struct avro_value *array, bool is_bounds,
		    struct error *err)
{
	bool sorted = true;
	struct avro_value value;
	struct avro_items items;
	int32_t field_id;
	int more;

	map->count = 0;
	if (!array->type || !map->usable)
		return 0;
	avro_items_init(&items, array);
	while ((more = next_metric(map, &items, &field_id, &value)) > 0) {
		struct metric_item *item;

		if (!value.type)
			continue;
		if (map->count == map->capacity &&
		    !mem_grow((void **)&map->items, &map->capacity,
			      map->count, sizeof(*map->items)))
			return no_memory(err);
		item = &map->items[map->count];
		item->field_id = field_id;
		item->count = is_bounds ? -1 : value.value.integer;
		item->bytes = is_bounds ? value.value.bytes
					: byte_view(NULL, 0);
		if (map->count && item[-1].field_id >= field_id)
			sorted = false;
		map->count++;
	}
	if (more < 0)
		return corrupt(reader, "malformed metrics", err);
	if (!sorted)
		qsort(map->items, map->count, sizeof(*map->items),
		      compare_items);
	return 0;
}

static void set_metric(struct column_metrics *out, size_t map,
		       const struct metric_item *item)
{
	switch (map) {
	case 0:
		out->column_size = item->count;
		break;
	case 1:
		out->value_count = item->count;
		break;
	case 2:
		out->null_count = item->count;
		break;
	case 3:
		out->nan_count = item->count;
		break;
	case 4:
		out->lower = item->bytes;
		break;
	default:
		out->upper = item->bytes;
	}
}

/* The lowest field id that any map still has; false when all are done. */
static bool next_column(const struct manifest_reader *reader,
			const size_t at[METRIC_MAPS], int32_t *id_out)
{
	bool found = false;

	for (size_t i = 0; i < METRIC_MAPS; i++) {
		const struct metric_map *map = &reader->maps[i];

		if (at[i] == map->count ||
		    (found && map->items[at[i]].field_id >= *id_out))
			continue;
		*id_out = map->items[at[i]].field_id;
		found = true;
	}
	return found;
}

/* Step over what the maps have of a column; into out if it is not NULL. */
static void take_column(const struct manifest_reader *reader,
			size_t at[METRIC_MAPS], int32_t id,
			struct column_metrics *out)
{
	for (size_t i = 0; i < METRIC_MAPS; i++) {
		const struct metric_map *map = &reader->maps[i];

		for (; at[i] < map->count && map->items[at[i]].field_id == id;
		     at[i]++)
			if (out)
				set_metric(out, i, &map->items[at[i]]);
	}
}

/* Merge the sorted maps into one run of columns. */
static int merge_metrics(struct manifest_reader *reader,
			 struct data_file *file, struct error *err)
{
	size_t at[METRIC_MAPS] = { 0 }, count = 0;
	int32_t id;

	for (; next_column(reader, at, &id); count++)
		take_column(reader, at, id, NULL);
	if (!count)
		return 0;
	file->metrics = arena_zalloc_array(reader->arena, count,
					   sizeof(*file->metrics));
	if (!file->metrics)
		return no_memory(err);
	memset(at, 0, sizeof(at));
	while (next_column(reader, at, &id)) {
		struct column_metrics *out =
			&file->metrics[file->metrics_count++];

		out->field_id = id;
		out->column_size = -1;
		out->value_count = -1;
		out->null_count = -1;
		out->nan_count = -1;
		take_column(reader, at, id, out);
	}
	return 0;
}

static int read_metrics(struct manifest_reader *reader,
			struct data_file *file, struct error *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < METRIC_MAPS; i++)
		rc = read_map(reader, &reader->maps[i],
			      &reader->values[SLOT_METRICS + i],
			      i >= FIRST_BOUNDS_MAP, err);
	return rc ? rc : merge_metrics(reader, file, err);
}

/* An array of whole numbers; NULL in *out when it is null. */
static int read_numbers(struct manifest_reader *reader,
			const struct avro_value *array, int64_t **out,
			size_t *count_out, struct error *err)
{
	const struct avro_schema *item;
	struct avro_items items;
	size_t count;
	int more;

	*out = NULL;
	*count_out = 0;
	if (!array->type || array->type->kind != AVRO_ARRAY)
		return 0;
	item = array->type->fields[0].type;
	if (item->kind != AVRO_INT && item->kind != AVRO_LONG)
		return corrupt(reader, "a list of numbers has others", err);
	count = avro_items_count(array);
	*out = arena_zalloc_array(reader->arena, count + 1, sizeof(**out));
	if (!*out)
		return no_memory(err);
	avro_items_init(&items, array);
	while ((more = avro_items_next(&items)) > 0 && *count_out < count)
		if (!cursor_zigzag64(&items.cursor, &(*out)[(*count_out)++]))
			return corrupt(reader, "malformed list", err);
	return more < 0 ? corrupt(reader, "malformed list", err) : 0;
}

static int read_lists(struct manifest_reader *reader, struct data_file *file,
		      struct error *err)
{
	int64_t *ids;
	size_t count;
	int rc;

	rc = read_numbers(reader, &reader->values[SLOT_SPLIT_OFFSETS],
			  &file->split_offsets, &file->split_count, err);
	if (!rc)
		rc = read_numbers(reader, &reader->values[SLOT_EQUALITY_IDS],
				  &ids, &count, err);
	if (rc)
		return rc;
	/* as iceberg-java: offsets that leave the file are no offsets */
	if (file->split_count &&
	    file->split_offsets[file->split_count - 1] >= file->file_size)
		file->split_count = 0;
	if (!count)
		return 0;
	file->equality_ids = arena_zalloc_array(reader->arena, count,
						sizeof(int32_t));
	if (!file->equality_ids)
		return no_memory(err);
	file->equality_count = count;
	for (size_t i = 0; i < count; i++) {
		if (ids[i] < 0 || ids[i] > INT32_MAX)
			return corrupt(reader, "an equality id out of range",
				       err);
		file->equality_ids[i] = (int32_t)ids[i];
	}
	return 0;
}

static int read_partition(struct manifest_reader *reader,
			  struct data_file *file, struct error *err)
{
	size_t count = reader->spec->field_count;

	file->spec_id = reader->spec->spec_id;
	file->partition_count = count;
	file->partition = arena_zalloc_array(reader->arena, count + 1,
					     sizeof(*file->partition));
	if (!file->partition)
		return no_memory(err);
	for (size_t i = 0; i < count; i++) {
		if (!partition_value_decode(&reader->values[ENTRY_SLOTS + i],
					    &reader->types[i],
					    &file->partition[i]))
			return error_set(err, ERROR_CORRUPT,
				"%s: manifest entry %zu: partition value "
				"\"%s\" does not fit its type", reader->path,
				reader->count, reader->spec->fields[i].name);
	}
	return 0;
}

static int check_file(struct manifest_reader *reader,
		      const struct data_file *file, struct error *err)
{
	if (!file->path || !*file->path)
		return corrupt(reader, "no path", err);
	if (file->record_count < 0 || file->file_size < 0)
		return corrupt(reader, "no record count or file size", err);
	if (reader->manifest->is_deletes != (file->content != CONTENT_DATA))
		return corrupt(reader, "data and deletes in one manifest",
			       err);
	if (file->content == CONTENT_POSITION_DELETES &&
	    file->format == FORMAT_PUFFIN &&
	    (!file->referenced_data_file || file->content_offset < 0 ||
	     file->content_size < 0))
		return corrupt(reader, "a deletion vector without its place",
			       err);
	if (reader->values[SLOT_KEY_METADATA].type)
		return error_set(err, ERROR_UNSUPPORTED,
				 "%s: the file %s is encrypted",
				 reader->path, file->path);
	return 0;
}

static int read_file(struct manifest_reader *reader, struct data_file *file,
		     struct error *err)
{
	const struct avro_value *v = reader->values;
	int64_t content = avro_number(&v[SLOT_CONTENT], 0);
	int64_t order = avro_number(&v[SLOT_SORT_ORDER], -1);
	int rc;

	if (content < 0 || content > CONTENT_EQUALITY_DELETES)
		return corrupt(reader, "unknown content", err);
	file->content = (enum file_content)content;
	file->format = format_of(&v[SLOT_FORMAT]);
	file->record_count = avro_number(&v[SLOT_RECORD_COUNT], -1);
	file->file_size = avro_number(&v[SLOT_FILE_SIZE], -1);
	file->sort_order_id = order >= 0 && order <= INT32_MAX
				      ? (int32_t)order : -1;
	file->first_row_id = avro_number(&v[SLOT_FIRST_ROW_ID], -1);
	file->content_offset = avro_number(&v[SLOT_CONTENT_OFFSET], -1);
	file->content_size = avro_number(&v[SLOT_CONTENT_SIZE], -1);
	rc = read_string(reader, &v[SLOT_PATH], &file->path, err);
	if (!rc)
		rc = read_string(reader, &v[SLOT_REFERENCED],
				 &file->referenced_data_file, err);
	if (!rc)
		rc = check_file(reader, file, err);
	if (!rc)
		rc = read_partition(reader, file, err);
	if (!rc)
		rc = read_metrics(reader, file, err);
	return rc ? rc : read_lists(reader, file, err);
}

/* What the manifest gives to entries that leave it out (iceberg.md 9, 10). */
static int inherit(struct manifest_reader *reader,
		   struct manifest_entry *entry, struct error *err)
{
	const struct manifest_file *manifest = reader->manifest;
	bool inherits = entry->status == ENTRY_ADDED ||
			manifest->sequence_number == 0;
	struct data_file *file = &entry->file;

	if (entry->snapshot_id < 0)
		entry->snapshot_id = manifest->added_snapshot_id;
	if (entry->sequence_number < 0 &&
	    (inherits || entry->status == ENTRY_DELETED))
		entry->sequence_number = manifest->sequence_number;
	if (entry->file_sequence_number < 0 && inherits)
		entry->file_sequence_number = manifest->sequence_number;
	if (entry->sequence_number < 0)
		return corrupt(reader, "an existing file without sequence "
				       "number", err);
	if (entry->status == ENTRY_DELETED)
		return 0;
	if (reader->next_row_id < 0) {
		file->first_row_id = -1;
		return 0;
	}
	inherits = file->first_row_id < 0;
	if (inherits)
		file->first_row_id = reader->next_row_id;
	if (file->record_count > INT64_MAX - file->first_row_id)
		return corrupt(reader, "row ids run out", err);
	if (inherits)
		reader->next_row_id += file->record_count;
	return 0;
}

static int read_entry(struct manifest_reader *reader, struct error *err)
{
	const struct avro_value *v = reader->values;
	int64_t status = avro_number(&v[SLOT_STATUS], -1);
	struct manifest_entry *entry;
	int rc;

	if (!mem_grow((void **)&reader->entries, &reader->capacity,
		      reader->count, sizeof(*reader->entries)))
		return no_memory(err);
	entry = &reader->entries[reader->count];
	memset(entry, 0, sizeof(*entry));
	if (status < ENTRY_EXISTING || status > ENTRY_DELETED)
		return corrupt(reader, "unknown status", err);
	entry->status = (enum entry_status)status;
	entry->snapshot_id = avro_number(&v[SLOT_SNAPSHOT_ID], -1);
	entry->sequence_number = avro_number(&v[SLOT_SEQUENCE], -1);
	entry->file_sequence_number = avro_number(&v[SLOT_FILE_SEQUENCE], -1);
	rc = read_file(reader, &entry->file, err);
	if (!rc)
		rc = inherit(reader, entry, err);
	if (!rc)
		reader->count++;
	return rc;
}

static int read_block(struct manifest_reader *reader, struct cursor *cursor,
		      size_t count, struct error *err)
{
	int rc;

	for (size_t i = 0; i < count; i++) {
		if (!avro_decode(&reader->plan, cursor, reader->values))
			return corrupt(reader, "malformed record", err);
		rc = read_entry(reader, err);
		if (rc)
			return rc;
	}
	if (cursor_left(cursor))
		return corrupt(reader, "bytes behind the records", err);
	return 0;
}

static int make_map_plan(struct manifest_reader *reader, size_t i,
			 struct error *err)
{
	const struct avro_schema *type = reader->plan.types[SLOT_METRICS + i];
	const struct avro_want wants[] = {
		{ map_ids[i][0], "key", -1 },
		{ map_ids[i][1], "value", -1 },
	};
	struct metric_map *map = &reader->maps[i];
	int rc;

	if (!type || type->kind != AVRO_ARRAY ||
	    type->fields[0].type->kind != AVRO_RECORD)
		return 0;
	rc = avro_plan_make(&map->plan, type->fields[0].type, wants, 2,
			    reader->arena, err);
	if (rc || !map->plan.types[0] || !map->plan.types[1])
		return rc;
	map->usable = map->plan.types[0]->kind == AVRO_INT;
	map->is_pairs = avro_items_are_pairs(type) &&
			map->plan.slots[type->fields[0].type->fields[0].index]
				== 0;
	if (i >= FIRST_BOUNDS_MAP)
		map->usable &= map->plan.types[1]->kind == AVRO_BYTES;
	else
		map->usable &= map->plan.types[1]->kind == AVRO_LONG ||
			       map->plan.types[1]->kind == AVRO_INT;
	return 0;
}

static int make_plans(struct manifest_reader *reader, struct error *err)
{
	size_t count = ENTRY_SLOTS + reader->spec->field_count;
	struct avro_want *wants;
	int rc = 0;

	wants = arena_zalloc_array(reader->arena, count, sizeof(*wants));
	reader->values = arena_zalloc_array(reader->arena, count,
					    sizeof(*reader->values));
	if (!wants || !reader->values)
		return no_memory(err);
	memcpy(wants, entry_wants, sizeof(entry_wants));
	for (size_t i = 0; i < reader->spec->field_count; i++) {
		wants[ENTRY_SLOTS + i].field_id =
			reader->spec->fields[i].field_id;
		wants[ENTRY_SLOTS + i].name = reader->spec->fields[i].name;
		wants[ENTRY_SLOTS + i].parent = SLOT_PARTITION;
	}
	rc = avro_plan_make(&reader->plan, avro_reader_schema(reader->avro),
			    wants, count, reader->arena, err);
	if (rc)
		return error_prefix(err, "%s", reader->path);
	for (size_t i = 0; !rc && i < METRIC_MAPS; i++)
		rc = make_map_plan(reader, i, err);
	return rc;
}

static int32_t spec_id_of(const struct manifest_reader *reader,
			  const struct table_metadata *metadata)
{
	struct byte_view text = avro_reader_meta(reader->avro,
						 "partition-spec-id");
	int32_t id = reader->manifest->spec_id;

	if (id < 0 && (!text.data || parse_int32((const char *)text.data,
						 text.length, &id)))
		id = -1;
	return id < 0 ? metadata->default_spec_id : id;
}

static int find_spec(struct manifest_reader *reader,
		     const struct table_metadata *metadata, struct error *err)
{
	int32_t id = spec_id_of(reader, metadata);
	struct type *types;
	int rc;

	reader->spec = metadata_spec(metadata, id);
	if (!reader->spec)
		return error_set(err, ERROR_CORRUPT,
				 "%s: the table has no partition spec %d",
				 reader->path, (int)id);
	rc = metadata_partition_types(metadata, reader->spec, reader->arena,
				      &types, err);
	reader->types = types;
	return rc;
}

static int open_avro(struct manifest_reader *reader,
		     const struct manifest_source *source, struct error *err)
{
	struct avro_schema_memo **memo = source->memo;

	if (memo && !*memo) {
		*memo = arena_zalloc(reader->arena, sizeof(**memo));
		if (!*memo)
			return no_memory(err);
	}
	return avro_reader_open(&reader->avro, source->file,
				memo ? *memo : NULL, reader->arena, err);
}

int manifest_read(struct manifest_entry **out, size_t *count_out,
		  const struct manifest_source *source, struct arena *arena,
		  struct error *err)
{
	const struct manifest_file *manifest = source->manifest;
	struct manifest_reader reader;
	struct cursor cursor;
	size_t count = 0;
	int rc;

	*out = NULL;
	*count_out = 0;
	memset(&reader, 0, sizeof(reader));
	reader.path = input_file_path(source->file);
	reader.manifest = manifest;
	reader.arena = arena;
	reader.next_row_id = manifest->is_deletes ? -1
						  : manifest->first_row_id;
	rc = open_avro(&reader, source, err);
	if (!rc)
		rc = find_spec(&reader, source->metadata, err);
	if (!rc)
		rc = make_plans(&reader, err);
	while (!rc) {
		rc = avro_reader_next(reader.avro, &cursor, &count, err);
		if (rc || !count)
			break;
		rc = read_block(&reader, &cursor, count, err);
	}
	if (!rc) {
		*out = arena_copy(arena, reader.entries,
				  reader.count * sizeof(**out));
		*count_out = *out ? reader.count : 0;
		rc = *out ? 0 : no_memory(err);
	}
	for (size_t i = 0; i < METRIC_MAPS; i++)
		mem_free(reader.maps[i].items);
	mem_free(reader.entries);
	avro_reader_free(reader.avro);
	return rc;
}
