/*
 * scan_explain.c - what a scan leaves out, in words
 *
 * Why:    who wonders why a statement is slow, or what it will cost, wants to
 *         see which condition rules out what.
 * How:    the reasons that file_filter.c gave, counted per column; of row
 *         groups only what is known so far.
 */
#include <inttypes.h>
#include "table/scan/scan_state.h"

/* Files that one range ruled out for one reason. */
static void explain_range(const struct table_scan *scan, size_t range,
			  enum prune_reason reason, struct text *out)
{
	const char *column =
		scan->schema->columns[scan->ranges[range].column].name;
	size_t count = 0;

	for (size_t i = 0; i < scan->files->file_count; i++)
		count += scan->reasons[i] == reason &&
			 scan->reason_ranges[i] == range;
	if (count)
		text_addf(out, ", %zu ruled out by %s of %s", count,
			  reason == PRUNE_PARTITION ? "partition" : "bounds",
			  column);
}

int table_scan_explain(struct table_scan *scan, struct text *out,
		       struct error *err)
{
	struct target_scan_stats stats;

	table_scan_stats(scan, &stats);
	text_addf(out, "files: %zu of %zu to read", scan->file_count,
		  scan->files->file_count);
	for (size_t i = 0; i < scan->range_count; i++) {
		explain_range(scan, i, PRUNE_PARTITION, out);
		explain_range(scan, i, PRUNE_BOUNDS, out);
	}
	text_addf(out, "\nrow groups: %zu to read", scan->task_count);
	if (stats.row_groups_pruned)
		text_addf(out, ", %" PRIu64 " ruled out by statistics",
			  stats.row_groups_pruned - scan->groups_bloomed);
	if (scan->groups_bloomed)
		text_addf(out, ", %" PRIu64 " by Bloom filters",
			  (uint64_t)scan->groups_bloomed);
	if (stats.pages_pruned)
		text_addf(out, "\npages: %" PRIu64 " ruled out",
			  stats.pages_pruned);
	text_add_char(out, '\n');
	return out->failed ? error_set(err, ERROR_NO_MEMORY, "explain") : 0;
}
