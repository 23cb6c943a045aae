"""Random SELECTs: sources and joins, groups, windows, subqueries, sets."""
from query_scalars import ORDERS, Scalars, Scope
from query_tables import COLUMNS, KINDS

LONGEST = 1500          # to be read by people


class Selects(Scalars):
    def __init__(self, rng, is_big=False):
        super().__init__(rng)
        self.is_big = is_big
        self.ctes = []          # (name, columns with kinds)

    def kinds(self, count):
        rng = self.rng
        return [rng.choice(KINDS) if rng.random() < 0.6 else "int"
                for _ in range(count)]

    # FROM

    def item(self):
        """One source: its text without alias, columns with kinds, and the
        names for them that an alias must list, if any."""
        rng = self.rng
        draw = rng.random()
        if self.ctes and draw < 0.5:
            name, columns = rng.choice(self.ctes)
            return name, columns, False
        if draw < 0.75 or self.nested > 2:
            name = rng.choice(list(COLUMNS))
            return name, COLUMNS[name], False
        kinds = ["int"] + self.kinds(rng.choice([1, 2]))
        columns = dict(zip(["k", "v", "w"], kinds))
        if draw < 0.8:
            return "(VALUES %s)" % ", ".join("(%s)" % ", ".join(
                self.literal(kind) for kind in kinds)
                for _ in range(rng.choice([1, 2, 5]))), columns, True
        self.nested += 1
        saved = self.ctes
        text = self.limited(kinds) if draw < 0.85 else self.body(kinds)
        if draw > 0.98 and self.nested < 3:
            text = self.with_ctes(kinds)
        self.ctes = saved
        self.nested -= 1
        return "(%s)" % text, columns, True

    def on(self, left, added, both):
        rng = self.rng
        terms = []
        if rng.random() < (1 if self.is_big else 0.85):
            for _ in range(rng.choice([1, 1, 1, 2])):
                kind = rng.choice(KINDS) if rng.random() < 0.3 else "int"
                if self.is_big:
                    kind = "int"
                terms.append("%s %s %s" % (
                    left.pick(rng, kind) or self.literal(kind),
                    rng.choice(["="] * 6 + ["IS NOT DISTINCT FROM"]),
                    added.pick(rng, kind) or self.literal(kind)))
        if not terms or rng.random() < 0.3:
            terms.append("(%s)" % self.comparison(both))
        if rng.random() < 0.05 and self.nested < 2:
            terms.append(self.predicate(both))
        rng.shuffle(terms)
        return " AND ".join(terms)

    def source(self, scope, count):
        """FROM of so many items; their columns go to scope."""
        rng = self.rng
        using = count > 1 and rng.random() < 0.2
        natural = using and rng.random() < 0.2
        text, scope.columns = "", []
        shared, commas = [], False
        for i in range(count):
            alias = self.name()
            base, columns, lists = self.item()
            if natural and base not in COLUMNS:
                base = rng.choice(list(COLUMNS))
                columns, lists = COLUMNS[base], False
            if using and "k" not in columns:
                using = natural = False
            base = "%s %s%s%s" % (
                base, rng.choice(["AS ", ""]), alias,
                " (%s)" % ", ".join(columns) if lists else "")
            added = Scope(None, [("%s.%s" % (alias, name), kind)
                                 for name, kind in columns.items()])
            if not i:
                text, shared, first = base, dict(columns), columns
                scope.columns = added.columns
                continue
            kind = rng.choice(["JOIN", "INNER JOIN", "LEFT JOIN",
                               "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", ","])
            if using:
                kind = rng.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN",
                                   "FULL OUTER JOIN"])
                shared = self.shared(shared, columns, natural, i, first)
                text = "%s NATURAL %s %s" % (text, kind, base) if natural \
                    else "%s %s %s USING (%s)" % (text, kind, base,
                                                  ", ".join(shared))
                scope.columns = [
                    (column, k) for column, k in
                    scope.columns + added.columns
                    if column.rpartition(".")[2] not in shared] + \
                    list(shared.items())
                if natural or count > 2 and rng.random() < 0.3:
                    break       # further names would be shared
                using = self.goes_on(shared)
                continue
            if any("." not in column for column, _ in scope.columns):
                break           # a name of USING may become ambiguous
            both = Scope(scope.outer, scope.columns + added.columns)
            if commas:          # ON of a JOIN would not see what is before
                kind = ","
            elif kind == "," and i > 1:
                kind = "CROSS JOIN"
            commas = kind == "," and not self.is_big
            if kind in ("CROSS JOIN", ",") and not self.is_big:
                text = "%s%s%s %s" % (text, "" if kind == "," else " ", kind,
                                      base)
            else:
                if kind in ("CROSS JOIN", ","):
                    kind = "JOIN"
                text = "%s %s %s ON %s" % (text, kind, base, self.on(
                    Scope(None, scope.columns), added, both))
            scope.columns = both.columns
        return text

    def shared(self, before, columns, natural, place, first):
        """Names that USING lists, with kinds."""
        if place > 1:
            return {"k": "int"} if before == {"k": "int"} else before
        both = {name: kind for name, kind in columns.items()
                if before.get(name) == kind}
        if natural:
            return both
        if first is COLUMNS["a"] and columns is COLUMNS["b"] and \
                self.rng.random() < 0.4:
            return {"g": "int", "k": "int"}
        return {"k": "int"}

    def goes_on(self, shared):
        return list(shared) == ["k"]

    # subqueries

    def correlation(self, inner, outer):
        """A condition of the inner query that ties it to the outer one."""
        rng = self.rng
        kind = "int" if rng.random() < 0.8 else rng.choice(KINDS)
        mine = inner.pick(rng, kind, 0)
        other = outer.pick(rng, kind, 0.2, inner.ambiguous())
        if not mine or not other:
            return "%s IS NOT NULL" % inner.any(rng)[0]
        return "%s %s %s" % (mine, rng.choice(
            ["="] if self.is_big else
            ["=", "=", "=", "=", "<", "IS NOT DISTINCT FROM", "<>"]), other)

    def inner(self, scope, select, tail=""):
        """SELECT ... FROM one or two items [WHERE tied to scope]."""
        rng = self.rng
        self.nested += 1
        mine = Scope(scope)
        source = self.source(mine, rng.choice([1, 1, 1, 2]))
        where = []
        if rng.random() < 0.7:
            where.append(self.correlation(mine, scope))
        if rng.random() < 0.3:
            where.append(self.comparison(mine))
        if rng.random() < 0.15 and self.nested < 3:
            where.append(self.predicate(mine))
        text = "(SELECT %s FROM %s%s%s)" % (
            select(mine), source,
            " WHERE " + " AND ".join(where) if where else "", tail)
        self.nested -= 1
        return text

    def scalar(self, scope, kind="int"):
        rng = self.rng
        draw = rng.random()
        if draw < 0.6:
            return self.inner(scope, lambda s: self.aggregate(s, kind))
        if draw < 0.7 and kind == "int":
            return self.inner(scope, lambda s: "coalesce(%s, 0) + count(*)" %
                              self.aggregate(s))
        if draw < 0.8:          # none where HAVING is not true
            return self.inner(scope, lambda s: self.aggregate(s, kind),
                              " HAVING count(*) > %d" % rng.choice([0, 1, 3]))

        def select(s):
            return "DISTINCT %s" % (s.pick(rng, kind, 0) or
                                    self.literal(kind))
        return self.inner(scope, select, " ORDER BY 1%s LIMIT 1" %
                          rng.choice(ORDERS))

    def known(self, value, kind="int"):
        return "coalesce(%s, %s)" % (value, self.solid(kind))

    def predicate(self, scope):
        rng = self.rng
        draw = rng.random()
        negate = rng.choice(["", "", "NOT "])
        kind = "int" if rng.random() < 0.7 else rng.choice(KINDS)

        def one(s):
            return s.pick(rng, kind, 0) or self.literal(kind)
        if draw < 0.35:
            return "%sEXISTS %s" % (negate, self.inner(
                scope, lambda s: rng.choice([one(s), "1", "*"])))
        if draw < 0.65:
            return "%s %sIN %s" % (self.value(scope, kind, 1), negate,
                                   self.inner(scope, one))
        if draw < 0.73:         # to DuckDB a row with a NULL is one
            return "(%s, %s) %sIN %s" % (
                self.known(self.value(scope, kind, 1), kind),
                self.known(self.value(scope, "int", 1)), negate,
                self.inner(scope, lambda s: "%s, %s" % (
                    self.known(one(s), kind),
                    self.known(s.pick(rng, "int", 0) or "1"))))
        if draw < 0.83:         # of groups
            group = []

            def key(s):
                group.append(one(s))
                return group[0]
            text = self.inner(scope, key)
            return "%s %sIN %s" % (
                self.value(scope, kind, 1), negate,
                "%s GROUP BY %s HAVING count(*) > 1)" % (text[:-1], group[0]))
        return "%s %s %s %s" % (
            self.value(scope, kind, 1), rng.choice(["=", "<", ">=", "<>"]),
            rng.choice(["ANY", "ALL"]), self.inner(scope, one))

    # SELECT

    def sets(self, keys):
        """Some sets of groups, each key in one of them at least."""
        rng = self.rng
        draw = rng.random()
        if draw < 0.3:
            return "ROLLUP (%s)" % ", ".join(keys)
        if draw < 0.6:
            return "CUBE (%s)" % ", ".join(keys)
        if draw < 0.7:
            return "%s, ROLLUP (%s)" % (rng.choice(keys), ", ".join(keys))
        return "GROUPING SETS ((%s), %s)" % (", ".join(keys), ", ".join(
            "(%s)" % ", ".join(rng.sample(keys, rng.randrange(
                len(keys) + 1))) for _ in range(rng.choice([1, 2]))))

    def grouped(self, scope, kinds, source, where):
        rng = self.rng
        keys = [(self.value(scope, kind, 1), kind)
                for kind in self.kinds(rng.choice([0, 1, 1, 2, 3]))]
        # a number is a column's place
        keys = [key for key in keys if key[0].strip("(-)").isdigit() is False]
        own = Scope(None, [(text, kind) for text, kind in keys
                           if text.replace(".", "").isidentifier()])
        # an order by all keys is one without ties
        sets = len(keys) > 0 and rng.random() < 0.2
        windowed = rng.random() < 0.2 and len(own.columns) == len(keys) \
            and not sets

        def item(kind):
            fit = [text for text, k in keys if k == kind]
            draw = rng.random()
            if fit and draw < 0.35:
                return rng.choice(fit)
            if draw < 0.4 and own.columns and self.nested < 2:
                return self.scalar(own, kind)
            if draw < 0.45 and fit and not sets:
                return "any_value(%s)" % rng.choice(fit)
            if draw < 0.5 and sets and kind == "int":
                return "grouping(%s)" % ", ".join(
                    rng.choice(keys)[0] for _ in range(rng.choice([1, 2])))
            if draw < 0.55 and kind == "int":
                return "(%s + %s)" % (self.aggregate(scope),
                                      self.aggregate(scope))
            if draw < 0.6 and kind == "dbl":
                return self.spread(scope)
            if windowed and draw < 0.8:
                return self.window(own, kind,
                                   lambda k: self.aggregate(scope, k))
            return self.aggregate(scope, kind)
        items = [item(kind) for kind in kinds]
        group = ""
        if keys:
            names = [text for text, _ in keys]
            if rng.random() < 0.2 and items[0] in names:
                names[names.index(items[0])] = "1"
            group = " GROUP BY " + ", ".join(names)
        if sets:
            group = " GROUP BY " + self.sets([text for text, _ in keys])
        having = ""
        if rng.random() < 0.3 or not keys:
            having = " HAVING " + rng.choice([
                lambda: "%s > 1" % self.aggregate(scope),
                lambda: "%s IS NOT NULL" % self.aggregate(
                    scope, rng.choice(KINDS)),
                lambda: "TRUE",
                lambda: "count(*) >= " + self.scalar(own),
                lambda: self.predicate(own)])()
        return "SELECT %s FROM %s%s%s%s" % (", ".join(items), source, where,
                                            group, having)

    def windows(self, scope, kinds, source, where):
        rng = self.rng
        # of rows that are equal each window may take another first
        many = 0 if "(" in source.replace(" USING (", "").replace(
            " ON (", "") or "USING" in source or "NATURAL" in source or \
            self.ctes else 0.6
        items = [self.window(scope, kind) if rng.random() < many else
                 scope.pick(rng, kind) or self.literal(kind)
                 for kind in kinds]
        items[0] = self.window(scope, kinds[0])
        named = ""
        if rng.random() < 0.1:
            partition = scope.any(rng)[0]
            items[0] = "%s OVER q" % self.total(
                self.value(scope, kinds[0], 1, 0), kinds[0])
            named = " WINDOW q AS (PARTITION BY %s ORDER BY %s%s)" % (
                partition, scope.any(rng)[0], rng.choice(ORDERS))
        qualify = ""
        if rng.random() < 0.25 and many:
            qualify = " QUALIFY " + rng.choice([
                lambda: "%s <= 2" % self.window(scope),
                lambda: "row_number() OVER (PARTITION BY %s ORDER BY %s) = 1"
                % (scope.any(rng)[0], scope.all())])()
        return "SELECT %s FROM %s%s%s%s" % (", ".join(items), source, where,
                                            named, qualify)

    def select(self, kinds):
        """A SELECT of columns of these kinds."""
        rng = self.rng
        scope = Scope()
        source = self.source(scope, rng.choice(
            [1, 1, 2] if self.is_big else [1, 1, 2, 2, 3]))
        where = " WHERE " + self.condition(scope) \
            if rng.random() < 0.6 else ""
        draw = rng.random()
        if draw < 0.3:
            return self.grouped(scope, kinds, source, where)
        if draw < 0.5:
            return self.windows(scope, kinds, source, where)
        items = [self.value(scope, kind) for kind in kinds]
        distinct = "DISTINCT " if rng.random() < 0.2 else ""
        return "SELECT %s%s FROM %s%s" % (distinct, ", ".join(items), source,
                                          where)

    def body(self, kinds):
        """One SELECT, or several with set operations."""
        rng = self.rng
        text = self.select(kinds)
        while rng.random() < 0.2:
            operator = rng.choice(["UNION", "UNION ALL", "EXCEPT",
                                   "INTERSECT", "UNION DISTINCT",
                                   "EXCEPT ALL", "INTERSECT ALL"])
            other = self.select(kinds)
            if rng.random() < 0.3:
                other = "(%s)" % self.body(kinds)
            text = "%s %s %s" % (text, operator, other)
        return text

    def limited(self, kinds):
        """The first rows in an order that leaves no choice."""
        rng = self.rng
        places = list(range(1, len(kinds) + 1))
        rng.shuffle(places)
        text = "SELECT * FROM (%s) AS q ORDER BY %s" % (
            self.body(kinds), ", ".join(str(i) + rng.choice(ORDERS)
                                        for i in places))
        draw = rng.random()
        if draw < 0.6:
            text += " LIMIT %d" % rng.choice([0, 1, 3, 10, 1000])
        if draw < 0.3:
            text += " OFFSET %d" % rng.choice([0, 1, 2, 50])
        elif draw > 0.8:
            text += " %sFETCH FIRST %d ROWS ONLY" % (
                rng.choice(["", "OFFSET 1 ROWS "]), rng.choice([1, 4]))
        return text

    def with_ctes(self, kinds):
        rng = self.rng
        made = []
        for _ in range(rng.choice([1, 2, 3])):
            columns = dict(zip(["k", "v", "w"],
                               ["int"] + self.kinds(rng.choice([1, 2]))))
            text = self.body(list(columns.values()))
            name = self.name("w")
            made.append("%s (%s) AS (%s)" % (name, ", ".join(columns), text))
            self.ctes = self.ctes + [(name, columns)]
        return "WITH %s %s" % (", ".join(made), self.body(kinds))

    def query(self):
        """(text, whether the rows have an order)"""
        while True:
            text, is_ordered = self.draw_query()
            if len(text) < LONGEST:
                return text, is_ordered

    def draw_query(self):
        rng = self.rng
        self.ctes, self.nested = [], 0
        kinds = self.kinds(rng.choice([1, 2, 3]))
        draw = rng.random()
        if draw < 0.15:
            return self.limited(kinds), True
        if draw < 0.3:
            return self.with_ctes(kinds), False
        return self.body(kinds), False
