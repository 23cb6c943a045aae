/*
 * sorter_first.c - writers agree on the first rows of partitions
 *
 * Why:    where only the first row of each partition is wanted, each writer
 *         has one; to sort those that lose against another writer's, and to
 *         move them, is half of the work.
 * How:    writers that are done wait until all are. group_match.c says which
 *         of their partitions are the same; the least key of each circle
 *         stays, the entries of others go. Then the writers sort, a thread
 *         each. If some rows are on disk the table that this takes would be
 *         too much: then all stay, and the reader leaves out what it meets.
 * Cost:   20 bytes a partition while it lasts; some 50 ns each.
 */
#include "query/group_match.h"
#include "query/sorter_state.h"

struct settling {
	struct row_sorter *sorter;
	struct group_match match;
	uint8_t **lost;		/* [writer][partition] */
	size_t count;		/* of writers */
	size_t next;		/* atomic */
};

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "first rows of partitions");
}

int sorter_wait(struct sorter_writer *writer, struct error *err)
{
	struct row_sorter *sorter = writer->sorter;
	struct sorter_writer *held = mem_zalloc(sizeof(*held));
	int rc = held ? 0 : no_memory(err);

	pthread_mutex_lock(&sorter->lock);
	if (!rc && !mem_grow((void **)&sorter->waiting,
			     &sorter->waiting_capacity, sorter->waiting_count,
			     sizeof(struct sorter_writer *)))
		rc = no_memory(err);
	if (!rc) {
		held->sorter = sorter;
		held->sorted = writer->sorted;
		held->entry_capacity = writer->entry_capacity;
		held->first = writer->first;
		held->columns = writer->columns;
		sorter->waiting[sorter->waiting_count++] = held;
		memset(&writer->sorted, 0, sizeof(writer->sorted));
		pile_init(&writer->sorted.pile, &sorter->shape);
		writer->entry_capacity = 0;
		writer->first = NULL;
		writer->columns = NULL;
	}
	pthread_mutex_unlock(&sorter->lock);
	if (rc)
		mem_free(held);
	return rc;
}

/* Is the row that a writer keeps of a partition before another's? */
static bool is_before(const struct row_sorter *sorter, struct group_ref a,
		      struct group_ref b)
{
	const struct sorter_writer *one = sorter->waiting[a.table];
	const struct sorter_writer *two = sorter->waiting[b.table];
	const struct first_rank *left = &one->first->ranks[a.group];
	const struct first_rank *right = &two->first->ranks[b.group];
	struct byte_view x, y;

	if (left->high != right->high)
		return left->high < right->high;
	if (left->low != right->low)
		return left->low < right->low;
	x = sorter_key_of(one, one->sorted.entries[a.group].row);
	y = sorter_key_of(two, two->sorted.entries[b.group].row);
	return memcmp(x.data, y.data,
		      x.length < y.length ? x.length : y.length) < 0;
}

/* Which partitions another writer has a better row of. */
static int mark_lost(struct settling *settling, size_t w, struct error *err)
{
	const struct row_sorter *sorter = settling->sorter;
	struct group_ref **next = settling->match.next;
	size_t count = sorter->waiting[w]->sorted.count;
	uint8_t *lost = mem_zalloc_array(count + 1, 1);

	settling->lost[w] = lost;
	if (!lost)
		return no_memory(err);
	for (size_t g = 0; g < count; g++) {
		struct group_ref own = { (uint32_t)w, (uint32_t)g };
		struct group_ref other;

		for (other = next[w][g]; other.table != w && !lost[g];
		     other = next[other.table][other.group])
			lost[g] = is_before(sorter, other, own);
	}
	return 0;
}

static int mark_all(void *context, size_t worker, struct error *err)
{
	struct settling *settling = context;
	int rc = 0;

	(void)worker;
	while (!rc) {
		size_t w = __atomic_fetch_add(&settling->next, 1,
					      __ATOMIC_RELAXED);

		if (w >= settling->count)
			break;
		rc = mark_lost(settling, w, err);
		if (!rc)
			rc = interrupt_check(err);
	}
	return rc;
}

static void drop_lost(struct sorted_pile *sorted, const uint8_t *lost)
{
	size_t n = 0;

	for (size_t i = 0; i < sorted->count; i++) {
		sorted->entries[n] = sorted->entries[i];
		n += !lost[i];
	}
	sorted->count = n;
}

static int finish_all(void *context, size_t worker, struct error *err)
{
	struct settling *settling = context;
	int rc = 0;

	(void)worker;
	while (!rc) {
		size_t w = __atomic_fetch_add(&settling->next, 1,
					      __ATOMIC_RELAXED);
		struct sorter_writer *writer;

		if (w >= settling->count)
			break;
		writer = settling->sorter->waiting[w];
		if (settling->lost[w])
			drop_lost(&writer->sorted, settling->lost[w]);
		rc = sorter_finish_sorted(writer, err);
	}
	return rc;
}

static int match_writers(struct settling *settling, struct error *err)
{
	const struct row_sorter *sorter = settling->sorter;
	const struct group_table **tables =
		mem_alloc_array(settling->count, sizeof(*tables));
	int rc;

	if (!tables)
		return no_memory(err);
	for (size_t w = 0; w < settling->count; w++)
		tables[w] = &sorter->waiting[w]->first->table;
	rc = group_match_init(&settling->match, tables, settling->count,
			      settling->count, err);
	mem_free(tables);
	if (!rc)
		rc = thread_run(settling->count, mark_all, settling, err);
	group_match_release(&settling->match);
	return rc;
}

int sorter_settle(struct row_sorter *sorter, struct error *err)
{
	struct settling settling = { .sorter = sorter,
				     .count = sorter->waiting_count };
	int rc = 0;

	if (!settling.count)
		return 0;
	settling.lost = mem_zalloc_array(settling.count,
					 sizeof(*settling.lost));
	if (!settling.lost)
		return no_memory(err);
	if (settling.count > 1 && !sorter->run_count)
		rc = match_writers(&settling, err);
	settling.next = 0;
	if (!rc)
		rc = thread_run(settling.count, finish_all, &settling, err);
	for (size_t w = 0; w < settling.count; w++) {
		mem_free(settling.lost[w]);
		sorter_writer_free(sorter->waiting[w]);
	}
	sorter->waiting_count = 0;
	mem_free(settling.lost);
	return rc;
}
