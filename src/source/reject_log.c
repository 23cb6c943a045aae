/*
 * reject_log.c - the records of a run that were set aside
 *
 * Why:    a batch with a bad row may be taken without it, if the row is kept
 *         byte for byte, with the reason, and if what is kept does not depend
 *         on how the work was shared out.
 * How:    each input writes what it refuses, in the order of its rows, to a
 *         file without a name; what is kept in memory does not grow with it.
 *         Files that two inputs read are told by their path, and their
 *         records by their line.
 * Format: in the temporary file an entry is
 *
 *		offset	size	meaning
 *		0	4	length of field name
 *		4	4	length of message
 *		8	4	length of record
 *		12	2	code, negative; 0: a file follows
 *		14	2	1: the record has no line end
 *		16	8	line, from 1
 *		24		field name, message, record
 *
 *         The entry of a file has its name as message and its head as record.
 * Cost:   a record is written twice.
 */
#include "source/reject_log.h"
#include "io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES ((size_t)64 << 10)

struct entry_head {
	uint32_t field_bytes;
	uint32_t message_bytes;
	uint32_t record_bytes;
	int16_t code;
	uint16_t is_open;
	uint64_t line;
};

struct reject_input {
	struct reject_log *log;
	struct reject_input *next;
	char **paths;
	size_t path_count;
	bool is_twin;		/* a path is one of an earlier input's */
	bool has_twin;		/* or of a later one's */
	bool begun;
	uint64_t statement;
	uint64_t limit;
	uint64_t row_count;
	struct text buffer;	/* not in the file yet */
	struct temporary_file *file;
	uint64_t file_bytes;
};

struct reject_log {
	pthread_mutex_t lock;
	char *directory;
	struct reject_input *first;
	struct reject_input **end;
	uint64_t statement;
	uint64_t limit;
	struct arena arena;	/* names of what is staged */
	char *path;
	struct staged_file *staged[2];	/* NULL = not there */
	char *names[2];
};

int reject_log_new(struct reject_log **out, const char *directory,
		   struct error *err)
{
	struct reject_log *log = mem_zalloc(sizeof(*log));

	*out = NULL;
	if (log)
		log->directory = mem_strdup(directory);
	if (!log || !log->directory) {
		mem_free(log);
		return error_set(err, ERROR_NO_MEMORY, "rejects");
	}
	pthread_mutex_init(&log->lock, NULL);
	arena_init(&log->arena, 0);
	log->end = &log->first;
	log->limit = UINT64_MAX;
	*out = log;
	return 0;
}

static void input_free(struct reject_input *input)
{
	for (size_t i = 0; input->paths && i < input->path_count; i++)
		mem_free(input->paths[i]);
	mem_free(input->paths);
	temporary_file_free(input->file);
	text_release(&input->buffer);
	mem_free(input);
}

void reject_log_free(struct reject_log *log)
{
	if (!log)
		return;
	reject_log_undo(log);
	while (log->first) {
		struct reject_input *input = log->first;

		log->first = input->next;
		input_free(input);
	}
	arena_release(&log->arena);
	pthread_mutex_destroy(&log->lock);
	mem_free(log->directory);
	mem_free(log);
}

void reject_log_set_limit(struct reject_log *log, uint64_t row_count)
{
	log->limit = row_count;
}

void reject_log_begin(struct reject_log *log)
{
	log->statement++;
}

static bool reads_one_of(const struct reject_input *a,
			 const struct reject_input *b)
{
	for (size_t i = 0; i < a->path_count; i++)
		for (size_t k = 0; k < b->path_count; k++)
			if (strcmp(a->paths[i], b->paths[k]) == 0)
				return true;
	return false;
}

int reject_log_add_input(struct reject_log *log, const char *const *paths,
			 size_t path_count, struct reject_input **out,
			 struct error *err)
{
	struct reject_input *input = mem_zalloc(sizeof(*input));

	*out = NULL;
	if (input)
		input->paths = mem_zalloc_array(path_count + 1,
						sizeof(*input->paths));
	if (!input || !input->paths) {
		mem_free(input);
		return error_set(err, ERROR_NO_MEMORY, "rejects");
	}
	input->path_count = path_count;
	for (size_t i = 0; i < path_count; i++) {
		input->paths[i] = mem_strdup(paths[i]);
		if (!input->paths[i]) {
			input_free(input);
			return error_set(err, ERROR_NO_MEMORY, "rejects");
		}
	}
	input->log = log;
	input->statement = log->statement;
	input->limit = log->limit;
	for (struct reject_input *i = log->first; i; i = i->next) {
		if (!reads_one_of(i, input))
			continue;
		i->has_twin = true;
		input->is_twin = true;
	}
	*log->end = input;
	log->end = &input->next;
	*out = input;
	return 0;
}

bool reject_input_begin(struct reject_input *input)
{
	bool is_first;

	pthread_mutex_lock(&input->log->lock);
	is_first = !input->begun;
	input->begun = true;
	pthread_mutex_unlock(&input->log->lock);
	return is_first;
}

/* ---- packing ---- */

static bool pack(struct text *out, const struct entry_head *head,
		 const char *field, const char *message, const uint8_t *record)
{
	size_t length = out->length;

	if (text_add(out, head, sizeof(*head)) &&
	    text_add(out, field, head->field_bytes) &&
	    text_add(out, message, head->message_bytes) &&
	    text_add(out, record, head->record_bytes))
		return true;
	out->length = length;
	return false;
}

bool reject_pack(struct text *out, const struct reject *reject)
{
	struct entry_head head = {
		.field_bytes = (uint32_t)strlen(reject->field),
		.message_bytes = (uint32_t)strlen(reject->message),
		.record_bytes = (uint32_t)reject->record.length,
		.code = (int16_t)reject->code,
		.is_open = reject->is_open,
		.line = reject->line,
	};

	return pack(out, &head, reject->field, reject->message,
		    reject->record.data);
}

/* An entry where it lies; the texts have no NUL behind them. */
struct entry {
	struct entry_head head;
	const uint8_t *field;
	const uint8_t *message;
	const uint8_t *record;
	size_t bytes;
};

/* The entry that begins at data; false if it is not all there. */
static bool entry_at(struct entry *out, const uint8_t *data, size_t length)
{
	size_t left = length;

	if (left < sizeof(out->head))
		return false;
	memcpy(&out->head, data, sizeof(out->head));
	left -= sizeof(out->head);
	if (left < (uint64_t)out->head.field_bytes +
		    out->head.message_bytes + out->head.record_bytes)
		return false;
	out->field = data + sizeof(out->head);
	out->message = out->field + out->head.field_bytes;
	out->record = out->message + out->head.message_bytes;
	out->bytes = (size_t)(out->record + out->head.record_bytes - data);
	return true;
}

static int flush(struct reject_input *input, struct error *err)
{
	int rc = 0;

	if (!input->file)
		rc = temporary_file_new(&input->file, input->log->directory,
					err);
	if (!rc)
		rc = temporary_file_write(input->file, input->file_bytes,
					  input->buffer.data,
					  input->buffer.length, err);
	if (rc)
		return rc;
	input->file_bytes += input->buffer.length;
	text_reset(&input->buffer);
	return 0;
}

static int add_bytes(struct reject_input *input, const void *data,
		     size_t length, struct error *err)
{
	if (!text_add(&input->buffer, data, length))
		return error_set(err, ERROR_NO_MEMORY, "rejects");
	return input->buffer.length < BUFFER_BYTES ? 0 : flush(input, err);
}

int reject_input_file(struct reject_input *input, const char *name,
		      struct byte_view bytes, bool is_open, struct error *err)
{
	struct entry_head head = {
		.message_bytes = (uint32_t)strlen(name),
		.record_bytes = (uint32_t)bytes.length,
		.is_open = is_open,
	};
	struct text packed = TEXT_INIT;
	int rc;

	if (pack(&packed, &head, "", name, bytes.data))
		rc = add_bytes(input, packed.data, packed.length, err);
	else
		rc = error_set(err, ERROR_NO_MEMORY, "rejects");
	text_release(&packed);
	return rc;
}

static int refuse_more(const struct reject_input *input,
		       const struct entry *entry, struct error *err)
{
	error_set(err, ERROR_REJECT_LIMIT, "more than %" PRIu64 " row%s "
		  "cannot be read; of the one that is too many: %.*s",
		  input->limit, input->limit == 1 ? "" : "s",
		  (int)(entry->head.message_bytes < 1000
			? entry->head.message_bytes : 1000),
		  (const char *)entry->message);
	error_hint(err, "see the reasons of all beside the rejects, or raise "
		   "--max-rejects");
	return error_at(err, NULL, entry->head.line, 0);
}

int reject_input_add(struct reject_input *input, struct byte_view run,
		     struct error *err)
{
	struct entry entry, last;
	size_t at = 0;
	bool is_over = false;
	int rc;

	while (!is_over && entry_at(&entry, run.data + at, run.length - at)) {
		at += entry.bytes;
		last = entry;
		is_over = ++input->row_count > input->limit;
	}
	if (at == 0)
		return 0;
	rc = add_bytes(input, run.data, at, err);
	return !rc && is_over ? refuse_more(input, &last, err) : rc;
}

/* ---- reading what was kept ---- */

struct entry_reader {
	struct reject_input *input;
	uint64_t offset;	/* behind what is in bytes */
	struct text bytes;
	size_t used;
};

static uint64_t kept_bytes(const struct reject_input *input)
{
	return input->file_bytes + input->buffer.length;
}

/* More behind bytes. */
static int reader_fill(struct entry_reader *reader, struct error *err)
{
	struct reject_input *input = reader->input;
	size_t left = reader->bytes.length - reader->used;
	size_t want = left > BUFFER_BYTES ? left : BUFFER_BYTES;
	uint64_t there = kept_bytes(input) - reader->offset;
	int rc = 0;

	if (reader->used)
		memmove(reader->bytes.data, reader->bytes.data + reader->used,
			left);
	reader->bytes.length = left;
	reader->used = 0;
	if (reader->offset < input->file_bytes)
		there = input->file_bytes - reader->offset;
	if (want > there)
		want = (size_t)there;
	if (!text_reserve(&reader->bytes, want))
		return error_set(err, ERROR_NO_MEMORY, "rejects");
	if (reader->offset < input->file_bytes)
		rc = temporary_file_read(input->file, reader->offset,
					 reader->bytes.data + left, want, err);
	else
		memcpy(reader->bytes.data + left, input->buffer.data +
		       (reader->offset - input->file_bytes), want);
	if (rc)
		return rc;
	reader->bytes.length += want;
	reader->offset += want;
	return 0;
}

/* *more_out false at the end; the entry is valid until the next call. */
static int reader_next(struct entry_reader *reader, struct entry *out,
		       bool *more_out, struct error *err)
{
	*more_out = false;
	while (!reader->bytes.data ||
	       !entry_at(out, (const uint8_t *)reader->bytes.data +
			 reader->used, reader->bytes.length - reader->used)) {
		int rc;

		if (reader->offset == kept_bytes(reader->input))
			return 0;
		rc = reader_fill(reader, err);
		if (rc)
			return rc;
	}
	reader->used += out->bytes;
	*more_out = true;
	return 0;
}

/* ---- records that were there before ---- */

/* Hashes of file and line; open addressing, 0 = free. */
struct line_set {
	uint64_t *slots;
	size_t capacity;
	size_t count;
};

static bool set_insert(uint64_t *slots, size_t capacity, uint64_t key)
{
	for (size_t i = key & (capacity - 1);; i = (i + 1) & (capacity - 1)) {
		if (slots[i] == key)
			return false;
		if (slots[i])
			continue;
		slots[i] = key;
		return true;
	}
}

/* *new_out: it was not there yet. */
static int set_add(struct line_set *set, uint64_t key, bool *new_out,
		   struct error *err)
{
	if (set->count * 2 >= set->capacity) {
		size_t capacity = set->capacity ? set->capacity * 2 : 1024;
		uint64_t *grown = mem_zalloc_array(capacity, sizeof(*grown));

		if (!grown)
			return error_set(err, ERROR_NO_MEMORY, "rejects");
		for (size_t i = 0; i < set->capacity; i++)
			if (set->slots[i])
				set_insert(grown, capacity, set->slots[i]);
		mem_free(set->slots);
		set->slots = grown;
		set->capacity = capacity;
	}
	*new_out = set_insert(set->slots, set->capacity, key ? key : 1);
	set->count += *new_out;
	return 0;
}

/* Goes through the entries of a log, each record once. */
struct walk {
	struct reject_log *log;
	struct line_set seen;
	uint64_t file_hash;
	/* Called for each entry; a file's comes before its records. */
	int (*visit)(struct walk *walk, const struct reject_input *input,
		     const struct entry *entry, struct error *err);
	void *context;
};

static int visit_new(struct walk *walk, const struct reject_input *input,
		     const struct entry *entry, struct error *err)
{
	bool is_new = true;
	int rc;

	if (!entry->head.code) {
		walk->file_hash = hash_fast(entry->message,
					     entry->head.message_bytes);
		return walk->visit(walk, input, entry, err);
	}
	if (input->is_twin || input->has_twin) {
		rc = set_add(&walk->seen, hash_word(walk->file_hash ^
						    entry->head.line),
			     &is_new, err);
		if (rc)
			return rc;
	}
	return is_new ? walk->visit(walk, input, entry, err) : 0;
}

static int walk_entries(struct walk *walk, struct error *err)
{
	int rc = 0;

	for (struct reject_input *i = walk->log->first; i && !rc;
	     i = i->next) {
		struct entry_reader reader = { .input = i };
		struct entry entry;
		bool more = true;

		while (!rc && more) {
			rc = reader_next(&reader, &entry, &more, err);
			if (!rc && more)
				rc = visit_new(walk, i, &entry, err);
		}
		text_release(&reader.bytes);
	}
	mem_free(walk->seen.slots);
	return rc;
}

struct count_walk {
	uint64_t statement;
	uint64_t count;
	char file[ERROR_PLACE_BYTES];
	struct error *first;
};

static void copy_text(char *to, size_t capacity, const uint8_t *text,
		      size_t length)
{
	if (length >= capacity)
		length = capacity - 1;
	memcpy(to, text, length);
	to[length] = '\0';
}

static int count_entry(struct walk *walk, const struct reject_input *input,
		       const struct entry *entry, struct error *err)
{
	struct count_walk *c = walk->context;
	char field[ERROR_PLACE_BYTES];

	(void)err;
	if (input->statement != c->statement)
		return 0;
	if (!entry->head.code) {
		copy_text(c->file, sizeof(c->file), entry->message,
			  entry->head.message_bytes);
		return 0;
	}
	if (c->count++ || !c->first)
		return 0;
	error_set(c->first, (enum error_code)entry->head.code, "%.*s",
		  (int)entry->head.message_bytes,
		  (const char *)entry->message);
	copy_text(field, sizeof(field), entry->field,
		  entry->head.field_bytes);
	error_field(c->first, field);
	error_at(c->first, c->file, entry->head.line, 0);
	return 0;
}

int reject_log_count(struct reject_log *log, uint64_t *out,
		     struct error *first, struct error *err)
{
	struct count_walk count = { .statement = log->statement,
				    .first = first };
	struct walk walk = { .log = log, .visit = count_entry,
			     .context = &count };
	struct reject_input *i = log->first;
	int rc;

	*out = 0;
	while (i && (i->statement != log->statement || i->row_count == 0))
		i = i->next;
	if (!i)
		return 0;
	rc = walk_entries(&walk, err);
	if (!rc)
		*out = count.count;
	return rc;
}

/* ---- the two files ---- */

struct write_walk {
	struct output_file *records;
	struct output_file *reasons;
	struct text file_name;
	struct text head;		/* of the file */
	struct text written_head;	/* the last one in records */
	bool has_head;
	bool head_is_open;
	bool is_open;			/* the last line in records is */
	struct text line;
};

/* The bytes of a line end in the file's encoding, which its mark tells. */
static struct byte_view line_end(const struct write_walk *w)
{
	const char *mark = w->head.data;
	bool has_mark = w->head.length >= 2;

	if (has_mark && memcmp(mark, "\xff\xfe", 2) == 0)
		return byte_view("\n\0", 2);
	if (has_mark && memcmp(mark, "\xfe\xff", 2) == 0)
		return byte_view("\0\n", 2);
	return byte_view("\n", 1);
}

/* Each record, and each head, begins on a line. */
static int write_raw(struct write_walk *w, const void *data, size_t length,
		     bool is_open, struct error *err)
{
	struct byte_view end = line_end(w);
	int rc = 0;

	if (length == 0)
		return 0;
	if (w->is_open)
		rc = output_file_write(w->records, end.data, end.length, err);
	w->is_open = is_open;
	return rc ? rc : output_file_write(w->records, data, length, err);
}

static int write_head(struct write_walk *w, struct error *err)
{
	if (w->has_head && w->head.length == w->written_head.length &&
	    (w->head.length == 0 ||
	     memcmp(w->head.data, w->written_head.data, w->head.length) == 0))
		return 0;
	w->has_head = true;
	text_reset(&w->written_head);
	if (!text_add(&w->written_head, w->head.data, w->head.length))
		return error_set(err, ERROR_NO_MEMORY, "rejects");
	return write_raw(w, w->head.data, w->head.length, w->head_is_open,
			 err);
}

static int write_reason(struct write_walk *w, const struct entry *entry,
			struct error *err)
{
	struct text *line = &w->line;
	uint64_t offset = output_file_offset(w->records) +
			  (w->is_open ? line_end(w).length : 0);

	text_reset(line);
	text_add_str(line, "{\"file\": ");
	text_add_json(line, w->file_name.data, w->file_name.length);
	text_addf(line, ", \"line\": %" PRIu64 ", \"column\": ",
		  entry->head.line);
	if (entry->head.field_bytes)
		text_add_json(line, (const char *)entry->field,
			      entry->head.field_bytes);
	else
		text_add_str(line, "null");
	text_addf(line, ", \"code\": \"%s\", \"message\": ",
		  error_name((enum error_code)entry->head.code));
	text_add_json(line, (const char *)entry->message,
		      entry->head.message_bytes);
	text_addf(line, ", \"offset\": %" PRIu64 ", \"length\": %u}\n",
		  offset, entry->head.record_bytes);
	if (line->failed)
		return error_set(err, ERROR_NO_MEMORY, "rejects");
	return output_file_write(w->reasons, line->data, line->length, err);
}

static int write_entry(struct walk *walk, const struct reject_input *input,
		       const struct entry *entry, struct error *err)
{
	struct write_walk *w = walk->context;
	int rc;

	(void)input;
	if (!entry->head.code) {
		text_reset(&w->file_name);
		text_reset(&w->head);
		if (!text_add(&w->file_name, entry->message,
			      entry->head.message_bytes) ||
		    !text_add(&w->head, entry->record,
			      entry->head.record_bytes))
			return error_set(err, ERROR_NO_MEMORY, "rejects");
		w->head_is_open = entry->head.is_open;
		return w->has_head ? 0 : write_head(w, err);
	}
	rc = write_head(w, err);
	if (!rc)
		rc = write_reason(w, entry, err);
	if (!rc)
		rc = write_raw(w, entry->record, entry->head.record_bytes,
			       entry->head.is_open, err);
	return rc;
}

static int write_files(struct reject_log *log, struct write_walk *w,
		       struct error *err)
{
	struct walk walk = { .log = log, .visit = write_entry, .context = w };
	int rc = walk_entries(&walk, err);

	if (!rc)
		rc = output_file_close(w->records, true, err);
	if (!rc)
		rc = output_file_close(w->reasons, true, err);
	text_release(&w->file_name);
	text_release(&w->head);
	text_release(&w->written_head);
	text_release(&w->line);
	return rc;
}

int reject_log_stage(struct reject_log *log, const char *path,
		     struct error *err)
{
	struct write_walk w;
	int rc;

	reject_log_undo(log);
	arena_reset(&log->arena);
	memset(&w, 0, sizeof(w));
	log->names[0] = arena_strdup(&log->arena, path);
	log->names[1] = arena_printf(&log->arena, "%s.reasons.jsonl", path);
	if (!log->names[0] || !log->names[1])
		return error_set(err, ERROR_NO_MEMORY, "rejects");
	rc = staged_file_new(&log->staged[0], &w.records, log->names[0], err);
	if (!rc)
		rc = staged_file_new(&log->staged[1], &w.reasons,
				     log->names[1], err);
	if (!rc)
		rc = write_files(log, &w, err);
	for (size_t i = 0; !rc && i < 2; i++)
		rc = staged_file_complete(log->staged[i], "", err);
	output_file_free(w.records);
	output_file_free(w.reasons);
	if (rc)
		reject_log_undo(log);
	return rc;
}

int reject_log_publish(struct reject_log *log, struct error *err)
{
	int rc;

	for (size_t i = 0; i < 2; i++) {
		if (!log->staged[i])
			continue;
		rc = publish_move(staged_file_path(log->staged[i]),
				  log->names[i], err);
		if (rc)
			return rc;
		staged_file_free(log->staged[i]);
		log->staged[i] = NULL;
	}
	return 0;
}

void reject_log_undo(struct reject_log *log)
{
	for (size_t i = 0; i < 2; i++) {
		if (!log->staged[i])
			continue;
		unlink(staged_file_path(log->staged[i]));
		staged_file_free(log->staged[i]);
		log->staged[i] = NULL;
	}
}
