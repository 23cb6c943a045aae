"""Random MERGE, UPDATE, DELETE and INSERT for both programs.

PostgreSQL 15 has no WHEN NOT MATCHED BY SOURCE: such a MERGE becomes one over
a source that is joined beforehand with the target on ON, plus the target rows
that no source row matches, and acts by the hidden row number `_rid`.
"""
import expressions
import values
from expressions import Column, Generator
from tables import quoted_list
from values import BOOLEAN


class Statement:
    """SQL of both, what has to be there before, and what it may fail by."""

    def __init__(self, kind):
        self.kind = kind
        self.text = {}
        self.source = None
        self.risks = set()
        self.by_source = False


class Clause:
    """match: matched, unmatched, by-source; action: update, delete, insert,
    nothing. assignments: (field, node or 'DEFAULT')."""

    def __init__(self, match, action):
        self.match = match
        self.action = action
        self.condition = None
        self.assignments = []
        self.star = False
        self.lists_columns = True


def value_sql(value, dialect):
    return value if isinstance(value, str) else value.sql(dialect)


class Writer:
    """Makes statements for one table."""

    def __init__(self, table):
        self.table = table
        self.rng = table.rng
        self.columns = [Column(f.type, "t", f.name) for f in table.fields]

    def statement(self, maker, count):
        choice = self.rng.random()
        if choice < 0.66:
            return self.merge(maker, count)
        if choice < 0.78:
            return self.update()
        if choice < 0.88:
            return self.delete()
        return self.insert(maker, count)

    # values that are written

    def assigned(self, field, generator, out):
        """A value for a column, of its type or one that converts to it."""
        rng = self.rng
        if rng.random() < 0.05:
            if field.default is None and field.not_null:
                out.risks.add("NOT_NULL")
            return "DEFAULT"
        kind = field.type
        if rng.random() < 0.12:
            if kind.kind == "BIGINT":
                kind = values.INTEGER
            elif kind.kind == "INTEGER":
                kind = rng.choice([values.BIGINT, values.decimal(12, 4)])
            elif kind.kind == "DECIMAL":
                kind = rng.choice([values.INTEGER] + values.DECIMALS)
            elif kind.kind == "DOUBLE":
                kind = values.INTEGER
        node = generator.value(kind, rng.choice([0, 1, 2, 3]))
        if kind != field.type and not node.has_column():
            node = generator.leaf(field.type)
        elif kind != field.type:
            out.risks.add("OVERFLOW")
        if field.not_null:
            out.risks.add("NOT_NULL")
        return node

    def set_list(self, sides, out):
        """Assignments to some columns; bare names are the target's."""
        rng = self.rng
        fields = [f for f in self.table.fields
                  if rng.random() < (0.15 if f in self.table.keys else 0.45)]
        fields = fields or [rng.choice(self.table.fields)]
        rng.shuffle(fields)
        made = []
        for f in fields:
            own = Column(f.type, "t", f.name, bare=True)
            generator = Generator(rng, sides + [own] * (rng.random() < 0.4),
                                  risky=True)
            value = self.assigned(f, generator, out)
            if value is own:            # SET c = c is refused
                value = Column(f.type, "t", f.name)
            out.risks |= generator.risks
            made.append((f, value))
        return made

    def insert_list(self, columns, out, source_fields=()):
        """Values for a new row; the key is mostly the source's."""
        rng = self.rng
        generator = Generator(rng, columns, risky=True)
        fields = [f for f in self.table.fields
                  if f in self.table.keys or rng.random() < 0.8]
        if rng.random() < 0.4:
            fields = list(self.table.fields)
        else:
            rng.shuffle(fields)
        made = []
        for f in fields:
            here = [c for c in columns if c.name == f.name]
            if here and rng.random() < (0.95 if f in self.table.keys
                                        else 0.6):
                made.append((f, here[0]))
                if f.not_null:
                    out.risks.add("NOT_NULL")
            else:
                made.append((f, self.assigned(f, generator, out)))
        for f in self.table.fields:
            if f not in fields and f.not_null and f.default is None:
                out.risks.add("NOT_NULL")
        out.risks |= generator.risks
        return made

    # MERGE

    def on_condition(self, source):
        rng = self.rng
        usable = {f.name: f for f in source.usable}
        terms = []
        for f in self.table.keys:
            if f.name in usable:
                sides = ['t."%s"' % f.name, 's."%s"' % f.name]
                rng.shuffle(sides)
                terms.append(expressions.both(BOOLEAN, "%s = %s"
                                              % tuple(sides)))
        if len(terms) == 2 and rng.random() < 0.15:
            terms.pop()
        extra = rng.random()
        if extra < 0.1:
            terms.append(Generator(rng, self.columns).condition(0))
        elif extra < 0.2:
            terms.append(Generator(rng, source.columns()).condition(0))
        elif extra < 0.3:
            terms.append(Generator(rng, self.columns +
                                   source.columns()).condition(1))
        elif extra < 0.34:
            op = rng.choice(["<", ">=", "<>", "IS NOT DISTINCT FROM"])
            terms[0] = expressions.both(BOOLEAN, 't."id" %s s."id"' % op)
        elif extra < 0.36:
            terms = [expressions.both(BOOLEAN, "FALSE")]
        return expressions.both(BOOLEAN, " AND ".join(
            "{%d}" % i for i in range(len(terms))), *terms)

    def clause(self, match, maker, source, out):
        rng = self.rng
        actions = {"matched": ["update", "update", "update", "delete",
                               "nothing"],
                   "unmatched": ["insert", "insert", "insert", "nothing"],
                   "by-source": ["update", "update", "delete",
                                 "nothing"]}[match]
        made = Clause(match, rng.choice(actions))
        sides = {"matched": self.columns + source.columns(),
                 "unmatched": source.columns(),
                 "by-source": self.columns}[match]
        if rng.random() < 0.42:
            made.condition = Generator(rng, sides).condition(rng.randrange(3))
            if match != "by-source" and rng.random() < 0.4:
                check = maker.check(source, "s")
                made.condition = check or made.condition
        usable = [f.name for f in source.usable]
        complete = all(f.name in usable for f in self.table.fields)
        if made.action == "update":
            if match == "matched" and complete and rng.random() < 0.4:
                made.star = True
                made.assignments = [(f, Column(f.type, "s", f.name))
                                    for f in self.table.fields]
            else:
                made.assignments = self.set_list(sides, out)
        elif made.action == "insert":
            if complete and rng.random() < 0.4:
                made.star = True
                made.assignments = [(f, Column(f.type, "s", f.name))
                                    for f in self.table.fields]
            else:
                made.assignments = self.insert_list(sides, out)
        if made.star and any(f.not_null for f in self.table.fields):
            out.risks.add("NOT_NULL")
        return made

    def clauses(self, maker, source, out):
        """At least one; none behind an unconditional one of its kind, which
        PostgreSQL refuses."""
        rng = self.rng
        made, closed = [], set()
        kinds = ["matched"] * 3 + ["unmatched"] * 2
        if rng.random() < 0.25:
            kinds += ["by-source"] * 2
        for _ in range(rng.randint(1, 4)):
            match = rng.choice(kinds)
            if match in closed:
                continue
            clause = self.clause(match, maker, source, out)
            if clause.condition is None:
                closed.add(match)
            made.append(clause)
        return made

    def action_sql(self, clause, dialect):
        if clause.action == "nothing":
            return "DO NOTHING"
        if clause.action == "delete":
            return "DELETE"
        if clause.star and dialect == "ours":
            return "UPDATE SET *" if clause.action == "update" else "INSERT *"
        if clause.action == "update":
            return "UPDATE SET " + ", ".join(
                "%s = %s" % (f.quoted, value_sql(v, dialect))
                for f, v in clause.assignments)
        fields = [f for f, _ in clause.assignments]
        listed = " (%s)" % quoted_list(fields)
        if dialect == "ours" and fields == self.table.fields and \
                not clause.lists_columns:
            listed = ""
        return "INSERT%s VALUES (%s)" % (listed, ", ".join(
            value_sql(v, dialect) for _, v in clause.assignments))

    def when_sql(self, clause, dialect, by_source):
        head = {"matched": "WHEN MATCHED", "unmatched": "WHEN NOT MATCHED",
                "by-source": "WHEN NOT MATCHED BY SOURCE"}[clause.match]
        tests = []
        if dialect == "pg" and by_source and clause.match != "unmatched":
            head = "WHEN MATCHED"
            tests.append("s._present" if clause.match == "matched"
                         else "NOT s._present")
        elif clause.match == "unmatched" and dialect == "ours" and \
                clause.lists_columns:
            head += " BY TARGET"
        if clause.condition is not None:
            tests.append(clause.condition.sql(dialect))
        return " ".join([head] + (["AND " + " AND ".join(tests)]
                                  if tests else []) +
                        ["THEN", self.action_sql(clause, dialect)])

    def joined_source(self, source, on):
        """The source with the target rows it matches, and those it lacks."""
        columns = quoted_list(source.fields, "s.")
        nulls = ", ".join("CAST(NULL AS %s)" % f.type.pg
                          for f in source.fields)
        return ("(SELECT t._rid AS _target, TRUE AS _present, %s FROM %s "
                "LEFT JOIN %s AS t ON (%s) UNION ALL SELECT t._rid, FALSE, %s "
                "FROM %s AS t WHERE NOT EXISTS (SELECT 1 FROM %s WHERE %s)) "
                "AS s ON t._rid = s._target" %
                (columns, source.sql("pg"), self.table.name, on, nulls,
                 self.table.name, source.sql("pg"), on))

    def merge(self, maker, count):
        out = Statement("merge")
        out.source = source = maker.make(count)
        on = self.on_condition(source)
        clauses = self.clauses(maker, source, out)
        for clause in clauses:
            clause.lists_columns = self.rng.random() < 0.6
        out.by_source = any(c.match == "by-source" for c in clauses)
        if any(c.match == "matched" and c.action in ("update", "delete")
               for c in clauses):
            out.risks.add("MERGE_TARGET_ROW_MULTIPLE_MATCHES")
        for d in ("ours", "pg"):
            using = "%s ON %s" % (source.sql(d), on.sql(d))
            if d == "pg" and out.by_source:
                using = self.joined_source(source, on.sql(d))
            out.text[d] = "MERGE INTO %s AS t USING %s %s" % (
                self.table.name, using,
                " ".join(self.when_sql(c, d, out.by_source)
                         for c in clauses))
        return out

    # the others

    def where(self):
        if self.rng.random() < 0.06:
            return None
        return Generator(self.rng, self.columns).condition(2)

    def update(self):
        out = Statement("update")
        where = self.where()
        made = self.set_list(self.columns, out)
        for d in ("ours", "pg"):
            out.text[d] = "UPDATE %s AS t SET %s" % (
                self.table.name, ", ".join(
                    "%s = %s" % (f.quoted, value_sql(v, d)) for f, v in made))
            if where is not None:
                out.text[d] += " WHERE " + where.sql(d)
        return out

    def delete(self):
        out = Statement("delete")
        where = Generator(self.rng, self.columns).condition(1)
        if self.rng.random() < 0.6:
            where = expressions.both(BOOLEAN, "({0} AND {1})", where,
                                     Generator(self.rng,
                                               self.columns).condition(1))
        if self.rng.random() < 0.03:
            where = None
        for d in ("ours", "pg"):
            out.text[d] = "DELETE FROM %s AS t" % self.table.name
            if where is not None:
                out.text[d] += " WHERE " + where.sql(d)
        return out

    def insert_values(self, out):
        fields = [f for f in self.table.fields
                  if f in self.table.keys or self.rng.random() < 0.8]
        for f in self.table.fields:
            if f.not_null and f.default is None:
                out.risks.add("NOT_NULL")
        rows = [self.table.row(fields)
                for _ in range(self.rng.randint(1, 12))]
        for d in ("ours", "pg"):
            out.text[d] = "INSERT INTO %s (%s) VALUES %s" % (
                self.table.name, quoted_list(fields), ", ".join(
                    "(%s)" % ", ".join(values.literal(f.type, v, d)
                                       for f, v in zip(fields, row))
                    for row in rows))
        return out

    def insert(self, maker, count):
        out = Statement("insert")
        if self.rng.random() < 0.35:
            return self.insert_values(out)
        out.source = source = maker.make(count)
        made = [(f, v) for f, v in self.insert_list(source.columns(), out)
                if not isinstance(v, str)]
        if not made:
            return self.insert_values(out)
        for f in self.table.fields:
            if f.not_null and f.default is None:
                out.risks.add("NOT_NULL")
        where = maker.check(source, "s")
        if where is None and self.rng.random() < 0.4:
            where = Generator(self.rng, source.columns()).condition(1)
        for d in ("ours", "pg"):
            out.text[d] = "INSERT INTO %s (%s) SELECT %s FROM %s" % (
                self.table.name, quoted_list([f for f, _ in made]),
                ", ".join(v.sql(d) for _, v in made), source.sql(d))
            if where is not None:
                out.text[d] += " WHERE " + where.sql(d)
        return out
