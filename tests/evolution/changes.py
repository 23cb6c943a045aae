"""Random changes of a table: of its columns, its partitions and its order.

Each function makes a change of ALTER TABLE, changes the model with it and
returns the SQL, or None when there is nothing to change that way.
"""
from columns import (Column, WIDER, draw_column, draw_value, quote,
                     sql_value)

NAMES = ("a", "b", "c", "d", "e", "p q", "\u00fc", "Name")
TIMES = ("year", "month", "day", "hour")


class Place:
    """A column in the tree."""

    def __init__(self, column, siblings, path, in_key, in_list, is_field):
        self.column = column
        self.siblings = siblings
        self.path = path
        self.in_key = in_key        # in a map's key
        self.in_list = in_list      # in an ARRAY or a MAP
        self.is_field = is_field    # a column or a field of a ROW

    def sql(self):
        return ".".join(quote(name) for name in self.path)


def places(columns, path=(), in_key=False, in_list=False, is_field=True):
    for column in columns:
        here = path + (column.name,)
        yield Place(column, columns, here, in_key, in_list, is_field)
        if column.kind == "ROW":
            yield from places(column.children, here, in_key, in_list)
        elif column.kind == "ARRAY":
            yield from places(column.children, here, in_key, True, False)
        elif column.kind == "MAP":
            yield from places(column.children[:1], here, True, True, False)
            yield from places(column.children[1:], here, in_key, True, False)


def below(column):
    yield column
    for child in column.children:
        yield from below(child)


def pick(rng, items):
    items = list(items)
    return rng.choice(items) if items else None


def free_name(rng, siblings):
    taken = {c.name.lower() for c in siblings}
    return pick(rng, (n for n in NAMES if n.lower() not in taken))


def draw_position(rng, siblings, this=None):
    """SQL of a place among the siblings and the index it means."""
    others = [c for c in siblings if c is not this]
    what = rng.randint(0, 2)
    if what == 0 or not others:
        return " FIRST", 0
    other = rng.choice(others)
    return " AFTER " + quote(other.name), others.index(other) + 1


def add_column(rng, table):
    parent = pick(rng, [None] * 3 + [
        p for p in places(table.columns)
        if p.column.kind == "ROW" and not p.in_key])
    siblings = parent.column.children if parent else table.columns
    name = free_name(rng, siblings)
    if not name or len(siblings) > 7:
        return None
    column = draw_column(rng, name, table.depth +
                         (len(parent.path) if parent else 0))
    place, index = "", len(siblings)
    if rng.random() < 0.5:
        place, index = draw_position(rng, siblings)
    default = ""
    if table.version >= 3 and column.is_scalar() and rng.random() < 0.5:
        column.initial = column.default = draw_value(rng, column, nulls=0)
        if rng.random() < 0.4 and not (parent and parent.in_list):
            column.required = True
            default = " NOT NULL"
        default += " DEFAULT " + sql_value(column.initial, column)
    if parent and parent.in_list:
        column.first_name = None    # older files may have another of the name
    full = (parent.sql() + "." if parent else "") + quote(name)
    siblings.insert(index, column)
    return "ADD COLUMN %s %s%s%s" % (full, column.sql_type(), default, place)


def drop_column(rng, table):
    kept = table.kept()
    place = pick(rng, (
        p for p in places(table.columns)
        if p.is_field and not p.in_key and len(p.siblings) > 1 and
        p.column is not table.key and
        not any(c in kept for c in below(p.column))))
    if not place:
        return None
    place.siblings.remove(place.column)
    return "DROP COLUMN " + place.sql()


def rename_column(rng, table):
    place = pick(rng, (p for p in places(table.columns) if p.is_field))
    name = free_name(rng, place.siblings)
    if not name:
        return None
    place.column.name = name
    place.column.first_name = None      # files may spell it otherwise
    return "RENAME COLUMN %s TO %s" % (place.sql(), quote(name))


def move_column(rng, table):
    place = pick(rng, (p for p in places(table.columns) if p.is_field))
    text, index = draw_position(rng, place.siblings, place.column)
    place.siblings.remove(place.column)
    place.siblings.insert(index, place.column)
    return "ALTER COLUMN %s%s" % (place.sql(), text)


def widen_column(rng, table):
    place = pick(rng, (
        p for p in places(table.columns)
        if p.column.kind in WIDER or
        (p.column.kind == "DECIMAL" and p.column.precision < 38)))
    if not place:
        return None
    column = place.column
    if column.kind == "DECIMAL":
        column.precision = rng.choice([p for p in (9, 12, 18, 25, 38)
                                       if p > column.precision])
    else:
        column.kind = WIDER[column.kind]
    return "ALTER COLUMN %s TYPE %s" % (place.sql(), column.sql_type())


def set_default(rng, table):
    column = pick(rng, (c for c in table.columns
                        if c.is_scalar() and c is not table.key))
    if not column:
        return None
    if rng.random() < 0.3 and not column.required:
        column.default = None
        return "ALTER COLUMN %s DROP DEFAULT" % quote(column.name)
    column.default = draw_value(rng, column, nulls=0)
    return "ALTER COLUMN %s SET DEFAULT %s" % (
        quote(column.name), sql_value(column.default, column))


def drop_not_null(rng, table):
    column = pick(rng, (c for c in table.columns
                        if c.required and c is not table.key))
    if not column:
        return None
    column.required = False
    return "ALTER COLUMN %s DROP NOT NULL" % quote(column.name)


def set_not_null(rng, table):
    column = pick(rng, (c for c in table.columns if not c.required and
                        not table.has_null(c)))
    if not column:
        return None
    column.required = True
    return "ALTER COLUMN %s SET NOT NULL" % quote(column.name)


def draw_refused(rng, table):
    """A change that must be refused, and the name of the error."""
    sources = table.sources()
    found = [("DROP COLUMN " + quote(c.name), "INCOMPATIBLE_CHANGE")
             for c in table.columns if any(b in sources for b in below(c))]
    for place in places(table.columns):
        column = place.column
        if column.kind in ("BIGINT", "DOUBLE", "VARCHAR", "DATE"):
            found.append(("ALTER COLUMN %s TYPE INTEGER" % place.sql(),
                          "INCOMPATIBLE_CHANGE"))
        if column.kind == "ROW" and place.in_key:
            found.append(("ADD COLUMN %s.more DATE" % place.sql(),
                          "INCOMPATIBLE_CHANGE"))
            found.append(("DROP COLUMN %s.%s" % (
                place.sql(), quote(column.children[0].name)),
                "INCOMPATIBLE_CHANGE"))
        if place.is_field and len(place.siblings) > 1:
            other = pick(rng, (c for c in place.siblings if c is not column and
                               c.name.isascii()))
            if other:
                found.append(("RENAME COLUMN %s TO %s" % (
                    place.sql(), quote(other.name.upper())),
                    "COLUMN_EXISTS"))
    found += [("ALTER COLUMN %s SET NOT NULL" % quote(c.name),
               "INCOMPATIBLE_CHANGE")
              for c in table.columns if table.has_null(c)]
    if table.version == 2:
        found.append(("ADD COLUMN fresh DATE DEFAULT DATE '2024-01-01'",
                      "INCOMPATIBLE_CHANGE"))
    return pick(rng, found)


def transforms(column):
    kind = column.kind
    if kind in ("INTEGER", "BIGINT", "DECIMAL", "VARCHAR"):
        return ("identity", "bucket", "truncate")
    if kind == "DATE":
        return ("identity", "bucket", "year", "month", "day")
    if kind == "TIMESTAMP":
        return ("bucket",) + TIMES
    return ("identity",) if kind == "BOOLEAN" else ()


def draw_term(rng, table):
    """(column, transform with its number) of a field, and its SQL."""
    place = pick(rng, (p for p in places(table.columns)
                       if not p.in_list and transforms(p.column) and
                       (len(p.path) == 1 or table.nested_layouts)))
    transform = rng.choice(transforms(place.column))
    number = {"bucket": (2, 5), "truncate": (1, 3, 10)}.get(transform)
    number = rng.choice(number) if number else 0
    text = place.sql()
    if number:
        text = "%s(%d, %s)" % (transform, number, text)
    elif transform != "identity":
        text = "%s(%s)" % (transform, text)
    return (place.column, transform, number), text


def clashes(spec, term):
    return any(t == term or (t[0] is term[0] and t[1] in TIMES and
                             term[1] in TIMES) for t, _ in spec)


def add_partition(rng, table):
    term, text = draw_term(rng, table)
    if clashes(table.spec, term) or len(table.spec) > 3:
        return None
    table.fields += 1
    name = "pf_%d" % table.fields
    table.spec.append((term, name))
    table.was_source.append(term[0])
    return "ADD PARTITION FIELD %s AS %s" % (text, name)


def drop_partition(rng, table):
    field = pick(rng, table.spec)
    if not field:
        return None
    table.spec.remove(field)
    return "DROP PARTITION FIELD " + field[1]


def replace_partition(rng, table):
    field = pick(rng, table.spec)
    if not field:
        return None
    term, text = draw_term(rng, table)
    if clashes([f for f in table.spec if f is not field], term):
        return None
    table.fields += 1
    name = "pf_%d" % table.fields
    table.spec.remove(field)
    table.spec.append((term, name))
    table.was_source.append(term[0])
    return "REPLACE PARTITION FIELD %s WITH %s AS %s" % (field[1], text, name)


def set_order(rng, table):
    table.order = []
    if rng.random() < 0.2:
        return "WRITE UNORDERED"
    words = []
    for _ in range(rng.randint(1, 2)):
        term, text = draw_term(rng, table)
        table.order.append(term)
        words.append("%s %s NULLS %s" % (
            text, rng.choice(("ASC", "DESC")),
            rng.choice(("FIRST", "LAST"))))
    return "WRITE ORDERED BY " + ", ".join(words)


def set_mode(rng, table):
    mode = rng.choice(("merge-on-read", "copy-on-write"))
    return "SET PROPERTIES " + ", ".join(
        "\"write.%s.mode\" = '%s'" % (what, mode)
        for what in ("merge", "update", "delete"))


CHANGES = ((add_column, 5), (drop_column, 4), (rename_column, 4),
           (move_column, 3), (widen_column, 4), (set_default, 1),
           (drop_not_null, 1), (set_not_null, 1), (add_partition, 3), (drop_partition, 2),
           (replace_partition, 2), (set_order, 2), (set_mode, 1))


def draw_changes(rng, table):
    """One to three changes of one ALTER TABLE."""
    made = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        change = rng.choices([c for c, _ in CHANGES],
                             [w for _, w in CHANGES])[0]
        text = change(rng, table)
        if text:
            made.append(text)
    return made
