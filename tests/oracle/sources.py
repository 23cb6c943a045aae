"""What stands behind USING, and behind INSERT: tables, files, VALUES, queries.

A source is one relation with the same rows in both programs. Its columns are
a choice of the target's, some by the same name and type, and two that the
target lacks: `op`, a text, and `n`, a number. In a file these two have no
type, so they are only compared with constants, which gives them one.
"""
import expressions
import tables
import values
from tables import Field, quoted_list
from values import INTEGER, VARCHAR


class Source:
    """fields: what it has. sql(dialect): the text after USING, with alias s.
    usable: fields that expressions may use; checks: further conditions."""

    def __init__(self, fields):
        self.fields = fields
        self.usable = fields
        self.text = {}
        self.pg_setup = []
        self.our_setup = []
        self.binds = []
        self.reads_target = False

    def sql(self, dialect):
        return self.text[dialect]

    def columns(self, alias="s"):
        return [expressions.Column(f.type, alias, f.name)
                for f in self.usable]


class Maker:
    """Makes sources for a table; files go into a directory."""

    def __init__(self, table, directory, number):
        self.table = table
        self.rng = table.rng
        self.directory = directory
        self.number = number

    def fields(self):
        table, rng = self.table, self.rng
        if rng.random() < 0.35:
            chosen = list(table.fields)
        else:
            others = [f for f in table.fields if f not in table.keys]
            chosen = table.keys + [f for f in others if rng.random() < 0.6]
        # mostly no NULL for a column that refuses it
        chosen = [Field(f.name, f.type, f.not_null and rng.random() < 0.85)
                  for f in chosen]
        if rng.random() < 0.5:
            chosen.append(Field("op", VARCHAR))
        if rng.random() < 0.4:
            chosen.append(Field("n", INTEGER))
        rng.shuffle(chosen)
        return chosen

    def rows(self, fields, count):
        rows = self.table.batch(fields, count, self.rng.random() < 0.8)
        for i, f in enumerate(fields):
            for row in rows:
                if f.name == "op":
                    row[i] = self.rng.choice(["U", "D", "I", "", None])
                elif f.name == "n":
                    row[i] = self.rng.choice([None, 0, 1, 2, 3, 10])
        return rows

    def make(self, count):
        """A random source of about count rows, as a relation called s."""
        self.table.choose_window()
        choice = self.rng.random()
        if choice < 0.12 and count <= 60:
            return self.values(max(2, min(count, 30)))
        if choice < 0.2:
            return self.from_target()
        base = self.file(count) if choice < 0.65 else self.stored(count)
        if self.rng.random() < 0.4:
            return self.query(base)
        for dialect in ("ours", "pg"):
            base.text[dialect] = "%s AS s" % base.text[dialect]
        return base

    def load_pg(self, source, rows, name):
        path = "%s/%s.pg.csv" % (self.directory, name)
        with open(path, "wb") as out:
            out.write(tables.csv_text(source.fields, rows, "pg"))
        source.pg_setup += [
            "CREATE TEMP TABLE %s (%s);" % (name, ", ".join(
                "%s %s" % (f.quoted, f.type.pg) for f in source.fields)),
            "\\copy %s from '%s' with (format csv, header)" % (name, path)]
        source.text["pg"] = name

    def file(self, count):
        name = "src%d" % self.number
        source = Source(self.fields())
        rows = self.rows(source.fields, count)
        path = "%s/%s.csv" % (self.directory, name)
        with open(path, "wb") as out:
            out.write(tables.csv_text(source.fields, rows, "ours"))
        self.load_pg(source, rows, name)
        if self.rng.random() < 0.3:
            source.text["ours"] = values.quote(path)
        else:
            source.binds.append("%s=%s" % (name, path))
            source.text["ours"] = name
        source.usable = [f for f in source.fields
                         if f.name not in ("op", "n")]
        return source

    def stored(self, count):
        """The same as a table of rowmerge."""
        name = "tab%d" % self.number
        source = Source(self.fields())
        rows = self.rows(source.fields, count)
        path = "%s/%s.csv" % (self.directory, name)
        with open(path, "wb") as out:
            out.write(tables.csv_text(source.fields, rows, "ours"))
        self.load_pg(source, rows, name)
        source.our_setup = [
            ["sql", "-q", "-e", "CREATE TABLE %s (%s)" % (name, ", ".join(
                "%s %s" % (f.quoted, f.type.ours) for f in source.fields))],
            ["load", "-q", name, path]]
        source.text["ours"] = name
        return source

    def values(self, count):
        source = Source(self.fields())
        rows = self.rows(source.fields, count)
        while len(rows) < 2:        # PostgreSQL folds a single row
            rows += self.rows(source.fields, 2)
        for dialect in ("ours", "pg"):
            source.text[dialect] = "(VALUES %s) AS s (%s)" % (
                ", ".join("(%s)" % ", ".join(
                    values.literal(f.type, v, dialect)
                    for f, v in zip(source.fields, row)) for row in rows),
                quoted_list(source.fields))
        return source

    def from_target(self):
        """The target itself, through a query."""
        source = Source([Field(f.name, f.type) for f in self.table.fields])
        source.reads_target = True
        for dialect in ("ours", "pg"):
            source.text[dialect] = self.table.name
        return self.query(source)

    def check(self, source, alias):
        """A condition on op or n, where there is one."""
        rng = self.rng
        tests = []
        for f in source.fields:
            if f.name == "op":
                tests += ["{0} = 'D'", "{0} <> 'D'", "{0} IN ('U', 'I')"]
            elif f.name == "n":
                tests += ["{0} > 1", "{0} IS NULL", "{0} <= 2"]
            else:
                continue
            if rng.random() < 0.7:
                column = expressions.Column(f.type, alias, f.name)
                return expressions.both(values.BOOLEAN, "(%s)" %
                                        rng.choice(tests[-3:]), column)
        return None

    def select(self, source, fields):
        """One SELECT of a source that gives fields, as text by dialect."""
        rng = self.rng
        alias = rng.choice(["q", ""])
        columns = [expressions.Column(f.type, alias, f.name)
                   for f in source.usable]
        generator = expressions.Generator(rng, columns)
        items = []
        for f in fields:
            here = [c for c in columns if c.name == f.name]
            if f.name in ("op", "n"):
                item = expressions.Column(f.type, alias, f.name)
            elif here and (f.name == "id" or rng.random() < 0.6):
                item = here[0]
            else:
                item = generator.value(f.type, 2)
            items.append(item)
        where = self.check(source, alias)
        if where is None or rng.random() < 0.5:
            where = generator.condition(1) if rng.random() < 0.7 else None
        out = {}
        for d in ("ours", "pg"):
            out[d] = "SELECT %s FROM %s%s" % (
                ", ".join("%s AS %s" % (item.sql(d), f.quoted)
                          for item, f in zip(items, fields)),
                source.text[d], " AS q" if alias else "")
            if where is not None:
                out[d] += " WHERE " + where.sql(d)
        return out

    def query(self, base):
        """SELECT ... or SELECT ... UNION ALL SELECT ... over a source."""
        rng = self.rng
        arm_count = 2 if rng.random() < 0.25 else 1
        # an untyped n may get a type in one arm and none in the other
        fields = [Field(f.name, f.type) for f in base.fields
                  if f.name != "n" or arm_count == 1]
        source = Source(fields)
        for name in ("binds", "our_setup", "pg_setup", "reads_target"):
            setattr(source, name, getattr(base, name))
        source.usable = [f for f in fields if f.name in
                         [u.name for u in base.usable]]
        arms = [self.select(base, fields) for _ in range(arm_count)]
        for d in ("ours", "pg"):
            source.text[d] = " UNION ALL ".join(arm[d] for arm in arms)
        # or PostgreSQL evaluates expressions of constants without any row
        source.text["pg"] += " OFFSET 0"
        for d in ("ours", "pg"):
            source.text[d] = "(%s) AS s" % source.text[d]
        return source
