#ifndef MERGE_MERGE_STEPS_H
#define MERGE_MERGE_STEPS_H

/* What merge_state.h has no room for; it includes this file. */

/* merge_guard.c: what a run is refused for, and what it warns of. */
int merge_guard_init(struct merge_state *state, struct error *err);
int merge_guard_source(const struct merge_state *state, struct error *err);
int merge_guard_deletes(const struct merge_state *state, uint64_t deleted,
			struct error *err);
/* Rows that no clause took: of a view that borrows, and of a joined store. */
void merge_guard_untaken(struct merge_worker *worker,
			 const struct row_view *view);
void merge_guard_store(struct merge_state *state);
void merge_warn(const struct merge_state *state);

/* merge_keep.c: one row per key. init: after plan_store(). */
int merge_keep_init(struct merge_state *state, struct error *err);
/* Drop the other rows of the store. */
int merge_keep_rows(struct merge_state *state, struct error *err);
/* Are rows of a key apart by other columns than those that ON equates? */
bool merge_keep_has_own_key(const struct merge_state *state);

/* merge_changes.c: tell options->changed of rows; before their page goes. */
int merge_tell_inserted(struct merge_worker *worker, struct error *err);
int merge_tell_deleted(struct merge_worker *worker, struct error *err);
/* changed: as in merge_fetch_kept(). */
int merge_tell_updated(struct merge_worker *worker, size_t clause,
		       const uint32_t *changed, size_t count,
		       struct error *err);
#endif
