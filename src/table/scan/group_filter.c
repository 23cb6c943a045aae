/* group_filter.c */
#include "table/scan/scan_state.h"

int group_filter(struct table_scan *scan, struct scan_file *file,
		 size_t group, bool *may_match, bool *by_bloom,
		 struct error *err)
{
	*may_match = true;
	*by_bloom = false;
	return 0;
}

int page_filter(struct table_scan *scan, struct scan_file *file,
		size_t group, uint64_t *spans, size_t span_count,
		struct error *err)
{
	return 0;
}
