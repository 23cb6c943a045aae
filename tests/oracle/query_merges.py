"""Random MERGE, UPDATE and DELETE with subqueries everywhere.

The target t has the rows of table a and a number for each. Subqueries read
it too, as it was when the statement began.
"""
from query_scalars import Scope
from query_selects import LONGEST, Selects
from query_tables import COLUMNS

TARGET = dict([("id", "int")] + list(COLUMNS["a"].items()))
ASSIGNED = ["n", "s", "p", "d", "f"]
ROWS = "SELECT row_number() OVER (ORDER BY %s) AS id, %s FROM a" % (
    ", ".join(COLUMNS["a"]), ", ".join(COLUMNS["a"]))
LAYOUTS = ["", "", "PARTITIONED BY (g)", "PARTITIONED BY (bucket(3, k))",
           "PARTITIONED BY (f) WRITE ORDERED BY (k)"]


class Change:
    """text; pairs: a query for the most source rows that one target row
    matches, none of an UPDATE or DELETE."""

    def __init__(self, text, pairs=None):
        self.text = text
        self.pairs = pairs


class Merges(Selects):
    def target(self):
        return Scope(None, [("t." + name, kind)
                            for name, kind in TARGET.items()])

    def assignments(self, scope):
        names = self.rng.sample(ASSIGNED, self.rng.choice([1, 1, 2]))
        return ", ".join("%s = %s" % (name, self.assigned(scope, name))
                         for name in names)

    def assigned(self, scope, name):
        if self.rng.random() < 0.5:
            return self.scalar(scope, TARGET[name])
        return self.value(scope, TARGET[name])

    def used_source(self):
        """(text, columns); mostly a row for each k."""
        rng = self.rng
        columns = {"k": "int", "n": "int", "v": rng.choice(
            ["text", "dec", "date"])}
        if rng.random() < 0.2:
            return self.body(list(columns.values())), columns
        inner = Scope()
        text = self.source(inner, rng.choice([1, 1, 2]))
        key = inner.pick(rng, "int", 0)
        return "SELECT %s, %s, %s FROM %s GROUP BY 1" % (
            key, self.aggregate(inner), self.aggregate(inner, columns["v"]),
            text), columns

    def on_condition(self, target, source, both):
        rng = self.rng
        draw = rng.random()
        if draw < 0.15:
            return "t.k = %s" % self.scalar(source)
        if draw < 0.25:
            return "s.k = %s" % self.scalar(target)
        text = "t.k = s.k"
        if rng.random() < 0.6:
            text += " AND " + self.predicate(rng.choice(
                [both, both, target, source]))
        if rng.random() < 0.2:
            text += " AND (%s)" % self.comparison(both)
        return text

    def clause(self, match, scope, is_last):
        """One without a condition comes last: DuckDB tries it last."""
        rng = self.rng
        when = " AND %s" % self.condition(scope) \
            if not is_last or rng.random() < 0.6 else ""
        if match == "NOT MATCHED":
            names = ["k"] + rng.sample(ASSIGNED, 2)
            action = "INSERT (id, %s) VALUES (-1, %s)" % (
                ", ".join(names), ", ".join(
                    self.assigned(scope, name) if name != "k" else "s.k"
                    for name in names))
        elif rng.random() < 0.3:
            action = "DELETE"
        else:
            action = "UPDATE SET " + self.assignments(scope)
        return " WHEN %s%s THEN %s" % (match, when, action)

    def merge(self):
        rng = self.rng
        text, columns = self.used_source()
        source = Scope(None, [("s." + name, kind)
                              for name, kind in columns.items()])
        target = self.target()
        both = Scope(None, target.columns + source.columns)
        scopes = {"MATCHED": both, "NOT MATCHED": source,
                  "NOT MATCHED BY SOURCE": target}
        on = self.on_condition(target, source, both)
        matches = rng.choices(list(scopes), [4, 2, 1],
                              k=rng.choice([1, 2, 3]))
        whens = [self.clause(match, scopes[match],
                             match not in matches[i + 1:])
                 for i, match in enumerate(matches)]
        used = "(%s) AS s (%s)" % (text, ", ".join(columns))
        return Change(
            "MERGE INTO t AS t USING %s ON %s%s" % (used, on, "".join(whens)),
            "SELECT max(c) FROM (SELECT count(*) AS c FROM t AS t JOIN %s "
            "ON %s GROUP BY t.id) AS q" % (used, on))

    def change(self):
        while True:
            made = self.draw_change()
            if len(made.text) < LONGEST:
                return made

    def draw_change(self):
        rng = self.rng
        self.nested, self.ctes = 0, [("t", TARGET)]
        draw = rng.random()
        if draw < 0.7:
            return self.merge()
        where = " WHERE %s" % self.condition(self.target()) \
            if rng.random() < 0.7 else ""
        if draw < 0.9:
            return Change("UPDATE t SET %s%s" % (
                self.assignments(self.target()), where))
        return Change("DELETE FROM t" + where)
