/*
 * scan_explain.c - what a scan skipped, in words
 */
#include <inttypes.h>
#include "table/scan/scan_state.h"

int table_scan_explain(struct table_scan *scan, struct text *out,
		       struct error *err)
{
	struct target_scan_stats stats;
	size_t partition = 0, bounds = 0;

	table_scan_stats(scan, &stats);
	for (size_t i = 0; i < scan->files->file_count; i++) {
		partition += scan->reasons[i] == PRUNE_PARTITION;
		bounds += scan->reasons[i] == PRUNE_BOUNDS;
	}
	text_addf(out, "files: %zu of %zu are read", scan->file_count,
		  scan->files->file_count);
	if (partition)
		text_addf(out, ", %zu ruled out by partition", partition);
	if (bounds)
		text_addf(out, ", %zu ruled out by column bounds", bounds);
	text_addf(out, "\nrow groups: %zu to read", scan->task_count);
	if (stats.row_groups_pruned)
		text_addf(out, ", %" PRIu64 " ruled out",
			  stats.row_groups_pruned);
	text_add_char(out, '\n');
	return out->failed ? error_set(err, ERROR_NO_MEMORY, "explain") : 0;
}
