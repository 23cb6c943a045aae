/*
 * changes.c - the changed rows of a run as a feed
 *
 * Why:    what follows a table (a search index, a cache, another table) wants
 *         just the rows that a run changed.
 * How:    workers format their rows and write whole blocks in turn to a file
 *         beside the named one (io/staged_file.h), which is complete and
 *         synced before the commit and renamed after it. It has the version
 *         that the commit will make; where another writer was faster, the
 *         version is set in it afterwards.
 * Limits: the order of the rows is that in which they were changed, the two
 *         rows of an update together.
 */
#include "cli/changes.h"
#include <pthread.h>
#include "cli/names.h"
#include "cli/statement.h"
#include "parquet/parquet.h"

#define GROUP_ROWS 122880
#define OWN_COLUMNS 2	/* _change, _version */

struct feed_worker {
	struct vector *columns;		/* per column of the feed */
	const struct vector **list;
	uint32_t *even;			/* rows of BATCH_ROW_COUNT */
	uint32_t *odd;
	struct text text;
};

struct change_feed {
	struct cli *cli;
	enum row_format format;
	struct schema schema;
	struct staged_file *staged;
	const char *suffix;		/* of the named file */
	int64_t version;		/* 0 = none */
	struct output_file *file;
	struct parquet_options parquet;
	struct parquet_encoder *encoder;
	struct parquet_writer *writer;
	pthread_mutex_t lock;
	struct feed_worker *workers;
	size_t worker_count;
	bool is_closed;
	bool is_published;
};

static int choose_format(struct change_feed *feed, const char *path,
			 struct error *err)
{
	static const struct {
		const char *suffix;
		enum row_format format;
	} formats[] = {
		{ ".csv", ROW_FORMAT_CSV }, { ".jsonl", ROW_FORMAT_JSONL },
		{ ".ndjson", ROW_FORMAT_JSONL },
		{ ".parquet", ROW_FORMAT_PARQUET },
	};

	for (size_t i = 0; i < ARRAY_COUNT(formats); i++) {
		if (!text_ends_with(path, formats[i].suffix))
			continue;
		feed->format = formats[i].format;
		feed->suffix = formats[i].suffix;
		return 0;
	}
	return error_set(err, ERROR_USAGE, "--changes takes a name that ends "
			 "with .csv, .jsonl or .parquet, not '%s'", path);
}

static int set_schema(struct change_feed *feed, const struct schema *table,
		      struct error *err)
{
	int rc = schema_add_column(&feed->schema, "_change",
				   type_of(TYPE_VARCHAR), err);

	if (!rc)
		rc = schema_add_column(&feed->schema, "_version",
				       type_of(TYPE_BIGINT), err);
	for (size_t i = 0; !rc && i < table->column_count; i++) {
		struct column_def def = table->columns[i];

		def.required = false;
		if (schema_find(&feed->schema, def.name) >= 0)
			return error_set(err, ERROR_COLUMN_EXISTS, "the feed "
					 "of --changes has a column %s of its "
					 "own", def.name);
		rc = schema_add(&feed->schema, &def, err);
	}
	return rc;
}

static int new_workers(struct change_feed *feed, size_t count,
		       struct error *err)
{
	size_t columns = feed->schema.column_count;

	feed->workers = mem_zalloc_array(count, sizeof(*feed->workers));
	if (!feed->workers)
		return error_set(err, ERROR_NO_MEMORY, "changes");
	feed->worker_count = count;
	for (size_t w = 0; w < count; w++) {
		struct feed_worker *worker = &feed->workers[w];

		text_init(&worker->text);
		worker->columns = mem_zalloc_array(columns,
						   sizeof(*worker->columns));
		worker->list = mem_zalloc_array(columns,
						sizeof(*worker->list));
		worker->even = mem_alloc_array(BATCH_ROW_COUNT,
					       sizeof(uint32_t));
		worker->odd = mem_alloc_array(BATCH_ROW_COUNT,
					      sizeof(uint32_t));
		if (!worker->columns || !worker->list || !worker->even ||
		    !worker->odd)
			return error_set(err, ERROR_NO_MEMORY, "changes");
		for (size_t c = 0; c < columns; c++) {
			vector_init(&worker->columns[c],
				    feed->schema.columns[c].type);
			worker->list[c] = &worker->columns[c];
		}
		for (uint32_t i = 0; i < BATCH_ROW_COUNT; i++) {
			worker->even[i] = 2 * i;
			worker->odd[i] = 2 * i + 1;
		}
	}
	return 0;
}

static int open_file(struct change_feed *feed, const char *path,
		     struct error *err)
{
	struct text header = TEXT_INIT;
	int rc = staged_file_new(&feed->staged, &feed->file, path, err);

	if (rc || feed->format == ROW_FORMAT_JSONL)
		return rc;
	if (feed->format == ROW_FORMAT_CSV) {
		if (!csv_format_header(&feed->schema, &header))
			rc = error_set(err, ERROR_NO_MEMORY, "changes");
		else
			rc = output_file_write(feed->file, header.data,
					       header.length, err);
		text_release(&header);
		return rc;
	}
	parquet_options_init(&feed->parquet);
	feed->parquet.created_by = "rowmerge version " ROWMERGE_VERSION
				   " (build 0)";
	rc = parquet_encoder_new(&feed->encoder, &feed->schema,
				 &feed->parquet, err);
	if (!rc)
		rc = parquet_writer_new(&feed->writer, feed->file,
					&feed->schema, &feed->parquet, err);
	return rc;
}

static struct literal text_literal(const char *text)
{
	struct literal value = { .type = type_of(TYPE_VARCHAR) };

	value.value.bytes = byte_view(text, strlen(text));
	return value;
}

/* _change and _version of count rows; names: of even and of odd rows. */
static int fill_own(const struct change_feed *feed, struct feed_worker *worker,
		    const char *even, const char *odd, size_t count,
		    struct error *err)
{
	struct literal name = text_literal(even);
	struct literal version = { .type = type_of(TYPE_BIGINT) };
	struct vector *change = &worker->columns[0];
	int rc;

	version.is_null = feed->version == 0;
	version.value.int64 = feed->version;
	vector_reset(change);
	vector_reset(&worker->columns[1]);
	rc = vector_fill(change, &name, count, err);
	for (size_t i = 1; !rc && even != odd && i < count; i += 2)
		vector_bytes(change)[i] = byte_view(odd, strlen(odd));
	if (!rc)
		rc = vector_fill(&worker->columns[1], &version, count, err);
	return rc;
}

/* Old and new values of a column in turn. */
static int interleave(struct feed_worker *worker, struct vector *out,
		      const struct vector *old, const struct vector *new,
		      size_t count, struct error *err)
{
	int rc;

	vector_reset(out);
	rc = vector_reserve(out, 2 * count, err);
	if (rc)
		return rc;
	out->count = 2 * count;
	rc = vector_overlay(out, worker->even, old, NULL, count, err);
	if (!rc)
		rc = vector_overlay(out, worker->odd, new, NULL, count, err);
	return rc;
}

static int write_group(struct change_feed *feed, struct error *err)
{
	struct encoded_row_group *group = NULL;
	int rc = parquet_encoder_finish(feed->encoder, &group, err);

	if (rc || !group)
		return rc;
	rc = parquet_writer_append(feed->writer, group, err);
	if (rc)
		encoded_row_group_free(group);
	return rc;
}

static int write_parquet(struct change_feed *feed, struct feed_worker *worker,
			 const struct selection *rows, struct error *err)
{
	int rc = parquet_encoder_add(feed->encoder, worker->list, rows, err);

	if (!rc && parquet_encoder_rows(feed->encoder) >= GROUP_ROWS)
		rc = write_group(feed, err);
	return rc;
}

static int write_rows(struct change_feed *feed, struct feed_worker *worker,
		      size_t count, struct error *err)
{
	size_t columns = feed->schema.column_count;
	struct selection rows = selection_all(count);
	int rc = 0;

	text_reset(&worker->text);
	if (feed->format == ROW_FORMAT_CSV)
		rc = csv_format_batch(worker->list, columns, &rows,
				      &worker->text, err);
	else if (feed->format == ROW_FORMAT_JSONL)
		rc = jsonl_format_batch(&feed->schema, worker->list, columns,
					&rows, &worker->text, err);
	if (rc)
		return rc;
	pthread_mutex_lock(&feed->lock);
	if (feed->format == ROW_FORMAT_PARQUET)
		rc = write_parquet(feed, worker, &rows, err);
	else
		rc = output_file_write(feed->file, worker->text.data,
				       worker->text.length, err);
	pthread_mutex_unlock(&feed->lock);
	return rc;
}

static int feed_changed(void *context, const struct merge_changed_rows *rows,
			struct error *err)
{
	struct change_feed *feed = context;
	struct feed_worker *worker = &feed->workers[rows->worker];
	bool is_update = rows->old_values && rows->new_values;
	size_t count = is_update ? 2 * rows->row_count : rows->row_count;
	const char *name = rows->old_values ? "delete" : "insert";
	int rc;

	if (count == 0)
		return 0;
	rc = fill_own(feed, worker, is_update ? "update_before" : name,
		      is_update ? "update_after" : name, count, err);
	for (size_t c = OWN_COLUMNS; !rc && c < feed->schema.column_count;
	     c++) {
		const struct vector *old = NULL, *new = NULL;

		if (rows->old_values)
			old = rows->old_values[c - OWN_COLUMNS];
		if (rows->new_values)
			new = rows->new_values[c - OWN_COLUMNS];
		worker->list[c] = &worker->columns[c];
		if (is_update)
			rc = interleave(worker, &worker->columns[c], old, new,
					rows->row_count, err);
		else
			worker->list[c] = old ? old : new;
	}
	return rc ? rc : write_rows(feed, worker, count, err);
}

static int feed_complete(void *context, struct error *err)
{
	struct change_feed *feed = context;
	int rc = 0;

	if (feed->format == ROW_FORMAT_PARQUET) {
		rc = write_group(feed, err);
		if (!rc)
			rc = parquet_writer_finish(feed->writer, err);
	}
	if (!rc)
		rc = output_file_close(feed->file, true, err);
	feed->is_closed = !rc;
	if (!rc)
		rc = staged_file_complete(feed->staged, feed->suffix, err);
	if (rc)
		return error_prefix(err, "--changes");
	return 0;
}

int change_feed_new(struct change_feed **out, struct cli *cli,
		    const struct merge_plan *plan,
		    struct merge_options *options, struct error *err)
{
	const struct target_ops *ops = plan->target->ops;
	struct change_feed *feed;
	int rc;

	*out = NULL;
	if (!cli->changes || cli->dry_run)
		return 0;
	feed = mem_zalloc(sizeof(*feed));
	if (!feed)
		return error_set(err, ERROR_NO_MEMORY, "changes");
	feed->cli = cli;
	pthread_mutex_init(&feed->lock, NULL);
	schema_init(&feed->schema);
	if (ops->next_version)
		feed->version = ops->next_version(plan->target);
	rc = choose_format(feed, cli->changes, err);
	if (!rc)
		rc = set_schema(feed, ops->schema(plan->target), err);
	if (!rc)
		rc = new_workers(feed, options->thread_count
					       ? options->thread_count : 1,
				 err);
	if (!rc)
		rc = open_file(feed, cli->changes, err);
	if (rc) {
		change_feed_free(feed);
		return rc;
	}
	options->changed = feed_changed;
	options->before_commit = feed_complete;
	options->changed_context = feed;
	*out = feed;
	return 0;
}

/* Of JSON Lines: the number behind "_version": in each line. */
static int renumber_lines(const char *path, int64_t version,
			  struct error *err)
{
	static const char member[] = "\"_version\":";
	struct arena arena;
	struct text all = TEXT_INIT, out = TEXT_INIT;
	char *spare;
	int rc = input_file_read_all(path, SIZE_MAX / 4, &all, err);

	arena_init(&arena, 0);
	spare = arena_printf(&arena, "%s.new", path);
	for (size_t at = 0; !rc && at < all.length;) {
		char *line = all.data + at;
		char *end = memchr(line, '\n', all.length - at);
		size_t length = end ? (size_t)(end - line) + 1
				    : all.length - at;
		char *number = memmem(line, length, member,
				      sizeof(member) - 1);

		at += length;
		if (number) {
			number += sizeof(member) - 1;
			text_add(&out, line, (size_t)(number - line));
			text_addf(&out, "%lld", (long long)version);
			while (*number >= '0' && *number <= '9')
				number++;
			length -= (size_t)(number - line);
			line = number;
		}
		if (!text_add(&out, line, length))
			rc = error_set(err, ERROR_NO_MEMORY, "changes");
	}
	if (!rc && !spare)
		rc = error_set(err, ERROR_NO_MEMORY, "changes");
	if (!rc)
		rc = publish_replace(spare, path, out.data, out.length, true,
				     err);
	text_release(&all);
	text_release(&out);
	arena_release(&arena);
	return rc;
}

/* UPDATE of the feed, which is a file as any other. */
static int renumber_file(struct change_feed *feed, int64_t version,
			 struct error *err)
{
	struct text sql = TEXT_INIT;
	int rc;

	text_add_str(&sql, "UPDATE '");
	for (const char *at = staged_file_path(feed->staged); *at; at++) {
		if (*at == '\'')
			text_add_char(&sql, '\'');
		text_add_char(&sql, *at);
	}
	text_addf(&sql, "' SET _version = %lld", (long long)version);
	rc = sql.failed ? error_set(err, ERROR_NO_MEMORY, "changes")
			: statement_run_own(feed->cli, sql.data, err);
	text_release(&sql);
	return rc;
}

int change_feed_publish(struct change_feed *feed,
			const struct merge_outcome *outcome,
			struct error *err)
{
	int rc = 0;

	if (!feed)
		return 0;
	if (feed->version && outcome->version_after != feed->version &&
	    outcome->version_after != outcome->version_before)
		rc = feed->format == ROW_FORMAT_JSONL
			? renumber_lines(staged_file_path(feed->staged),
					 outcome->version_after, err)
			: renumber_file(feed, outcome->version_after, err);
	if (!rc)
		rc = publish_move(staged_file_path(feed->staged),
				  feed->cli->changes, err);
	feed->is_published = true;	/* or kept for the user */
	if (rc)
		error_hint(err, "the statement took effect; its changes are in "
			   "'%s'", staged_file_path(feed->staged));
	return rc;
}

void change_feed_free(struct change_feed *feed)
{
	struct error ignored;

	if (!feed)
		return;
	for (size_t w = 0; feed->workers && w < feed->worker_count; w++) {
		struct feed_worker *worker = &feed->workers[w];

		for (size_t c = 0; worker->columns &&
				   c < feed->schema.column_count; c++)
			vector_release(&worker->columns[c]);
		mem_free(worker->columns);
		mem_free(worker->list);
		mem_free(worker->even);
		mem_free(worker->odd);
		text_release(&worker->text);
	}
	mem_free(feed->workers);
	parquet_writer_free(feed->writer);
	parquet_encoder_free(feed->encoder);
	output_file_free(feed->file);
	if (feed->is_closed && !feed->is_published)
		path_remove(staged_file_path(feed->staged), &ignored);
	staged_file_free(feed->staged);
	schema_release(&feed->schema);
	pthread_mutex_destroy(&feed->lock);
	mem_free(feed);
}
