/*
 * window_page.c - pages of sorted rows, in memory or on disk
 *
 * How:    a page on disk is read as a whole when it is looked at; the one not
 *         looked at for longest makes room for it.
 * Cost:   calls look at few places at a time, each going one way.
 */
#include "query/window_state.h"

/* Pages from disk that are in memory at once. */
#define LOADED_PAGES 8

static int no_memory(struct error *err)
{
	return error_set(err, ERROR_NO_MEMORY, "window functions");
}

static void page_unload(struct window_stream *self, struct window_page *page)
{
	if (!page->loaded)
		return;
	for (size_t i = 0; i < self->source->shape.column_count; i++)
		vector_release(&page->loaded[i]);
	mem_free(page->loaded);
	text_release(&page->bytes);
	page->loaded = NULL;
	self->loaded_count--;
}

void window_page_free(struct window_stream *self, struct window_page *page)
{
	if (!page)
		return;
	page_unload(self, page);
	self->bytes -= page->pile.bytes;
	pile_release(&page->pile);
	run_release(&page->run);
	mem_free(page);
}

static void unload_oldest(struct window_stream *self)
{
	struct window_page *oldest = NULL;

	for (size_t i = 0; i < self->page_count; i++) {
		struct window_page *page = self->pages[i];

		if (page->loaded && (!oldest || page->used < oldest->used))
			oldest = page;
	}
	if (oldest)
		page_unload(self, oldest);
}

static int page_load(struct window_stream *self, struct window_page *page,
		     struct error *err)
{
	size_t count = self->source->shape.column_count;

	if (self->loaded_count >= LOADED_PAGES)
		unload_oldest(self);
	page->loaded = mem_zalloc_array(count, sizeof(*page->loaded));
	if (!page->loaded)
		return no_memory(err);
	self->loaded_count++;
	for (size_t i = 0; i < count; i++)
		vector_init(&page->loaded[i], self->source->types[i]);
	return run_read(&page->run.blocks[0], &self->file,
			&self->source->shape, page->loaded, &page->bytes, err);
}

int window_page_columns(struct window_stream *self, struct window_page *page,
			const struct vector **out, struct error *err)
{
	int rc = 0;

	page->used = ++self->clock;
	if (page->pile.chunk_count) {
		*out = page->pile.chunks[0]->columns;
		return 0;
	}
	if (!page->loaded)
		rc = page_load(self, page, err);
	*out = page->loaded;
	return rc;
}

static struct window_page *page_of(struct window_stream *self, size_t row)
{
	size_t low = 0, high = self->page_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (self->pages[middle]->first <= row)
			low = middle;
		else
			high = middle;
	}
	return self->pages[low];
}

int window_locate_page(struct window_stream *self, size_t row,
		       const struct vector **columns, size_t *first,
		       size_t *end, struct error *err)
{
	struct window_page *page = page_of(self, row);

	*first = page->first;
	*end = page->first + page->row_count;
	return window_page_columns(self, page, columns, err);
}

int window_locate(struct window_stream *self, size_t row, struct row_ref *out,
		  struct error *err)
{
	struct window_page *page = page_of(self, row);

	out->row = (uint32_t)(row - page->first);
	return window_page_columns(self, page, &out->columns, err);
}
