#ifndef TABLE_SCAN_MANIFEST_SCOPE_H
#define TABLE_SCAN_MANIFEST_SCOPE_H
#include "table/scan/snapshot_state.h"

/*
 * What the manifest list says of the partitions in a manifest. Private to
 * table/scan.
 */
struct field_scope {
	bool is_known;		/* else it may have any value */
	bool may_be_null;
	bool may_be_nan;
	struct literal lower;	/* of the others; bytes are the list's */
	struct literal upper;
};
struct manifest_scope {
	const struct partition_spec *spec;	/* NULL: nothing is known */
	struct field_scope *fields;		/* per field of the spec */
};
/* fields live in arena. */
int manifest_scope_make(const struct snapshot_files *files, size_t m,
			struct arena *arena, struct manifest_scope *out,
			struct error *err);
#endif
