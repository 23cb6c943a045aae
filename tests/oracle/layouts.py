"""Random layouts: how a table is partitioned and how its rows are sorted."""

WHOLE = ("INTEGER", "BIGINT", "DECIMAL")
BUCKETS = WHOLE + ("DATE", "TIME", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE",
                   "VARCHAR", "VARBINARY", "UUID")
STAMPS = ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE")


def terms(field, rng):
    """All terms that a column of this type can be in, with some widths."""
    kind = field.type.kind
    found = [field.quoted, "void(%s)" % field.quoted]
    if kind in BUCKETS:
        found.append("bucket(%d, %s)" % (rng.choice([1, 2, 7, 64]),
                                         field.quoted))
    if kind in WHOLE:
        # widths that divide the least integer, and none for short decimals:
        # what truncates to less than the type holds is refused
        short = kind == "DECIMAL" and field.type.precision < 9
        widths = [1] if short else [1, 2, 4, 1024]
        found.append("truncate(%d, %s)" % (rng.choice(widths),
                                           field.quoted))
    if kind in ("VARCHAR", "VARBINARY"):
        found.append("truncate(%d, %s)" % (rng.choice([1, 2, 5]),
                                           field.quoted))
    if kind == "DATE" or kind in STAMPS:
        found += ["%s(%s)" % (unit, field.quoted)
                  for unit in ("year", "month", "day")]
    if kind in STAMPS:
        found.append("hour(%s)" % field.quoted)
    return found


def partition_terms(fields, rng):
    """Text between the parentheses, or None: not partitioned."""
    if rng.random() < 0.35:
        return None
    chosen = rng.sample(fields, min(len(fields), rng.choice([1, 1, 1, 2, 3])))
    return ", ".join(rng.choice(terms(field, rng)) for field in chosen)


def sort_terms(fields, rng):
    """Likewise of WRITE ORDERED BY."""
    if rng.random() < 0.5:
        return None
    chosen = rng.sample(fields, min(len(fields), rng.choice([1, 1, 2, 4])))
    return ", ".join(
        rng.choice(terms(field, rng)[:1] * 3 + [
            term for term in terms(field, rng)
            if not term.startswith("void")]) +
        rng.choice(["", " ASC", " DESC"]) +
        rng.choice(["", " NULLS FIRST", " NULLS LAST"])
        for field in chosen)


def clauses(fields, rng):
    """Of CREATE TABLE."""
    partitions, order = partition_terms(fields, rng), sort_terms(fields, rng)
    return (" PARTITIONED BY (%s)" % partitions if partitions else "") + (
        " WRITE ORDERED BY (%s)" % order if order else "")


def change(name, fields, rng):
    """An ALTER TABLE to another layout."""
    partitions, order = partition_terms(fields, rng), sort_terms(fields, rng)
    changes = []
    if rng.random() < 0.7:
        changes.append("SET PARTITIONED BY (%s)" % partitions if partitions
                       else "RESET PARTITIONED BY")
    if not changes or rng.random() < 0.5:
        changes.append("WRITE ORDERED BY %s" % order if order
                       else "WRITE UNORDERED")
    return "ALTER TABLE %s %s" % (name, ", ".join(changes))
