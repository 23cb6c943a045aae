"""Random expressions and conditions over the columns in scope.

What DuckDB does otherwise, by its own rules, is not generated: division and
modulo by zero (NULL there), avg of decimals (DOUBLE there, rounded decimals
here), casts of doubles to integers (half to even there) and to text.
Texts that the two spell apart are written as either(ours, theirs).
"""
from query_tables import KINDS, NUMBERS, draw_value, literal

ORDERS = ["", " DESC", " NULLS FIRST", " DESC NULLS FIRST",
          " DESC NULLS LAST", " ASC NULLS LAST"]
OPERATORS = ["=", "=", "=", "<", "<=", ">", ">=", "<>",
             "IS DISTINCT FROM", "IS NOT DISTINCT FROM"]

DISTANCES = {
    "int": [["1"], ["2", "50"], ["0", "3"]],
    "date": [["INTERVAL '1' DAY"],
             ["INTERVAL '2' DAY", "INTERVAL '500' DAY"]],
    "ts": [["INTERVAL '1' SECOND"], ["INTERVAL '0' DAY"],
           ["INTERVAL '1' HOUR", "INTERVAL '36' HOUR"]],
}


def either(ours, theirs):
    return "\1%s\2%s\3" % (ours, theirs)


def dialect(text, is_ours):
    """The query as one of the two programs reads it."""
    out, keep = [], [True]
    for char in text:
        if char == "\1":
            keep.append(keep[-1] and is_ours)
        elif char == "\2":
            keep[-1] = keep[-2] and not is_ours
        elif char == "\3":
            keep.pop()
        elif keep[-1]:
            out.append(char)
    return "".join(out)


class Scope:
    """Columns that may be named, and those of the queries around."""

    def __init__(self, outer=None, columns=()):
        self.outer = outer
        self.columns = list(columns)        # (text, kind)

    def pick(self, rng, kind, outward=0.3, without=frozenset()):
        """A column of a kind that is none of without, or None."""
        if self.outer and rng.random() < outward:
            found = self.outer.pick(rng, kind, 0.2,
                                    without | self.ambiguous())
            if found:
                return found
        fit = [text for text, k in self.columns
               if k == kind and text not in without]
        return rng.choice(fit) if fit else None

    def ambiguous(self):
        """Names that need a table's here. A query within a query may not
        mean an outer column of USING by one: PostgreSQL and we refuse it,
        DuckDB looks further out."""
        names = [text.rpartition(".")[2] for text, _ in self.columns]
        return {name for name in names if names.count(name) > 1}

    def any(self, rng):
        return rng.choice(self.columns)

    def all(self):
        return ", ".join(text for text, _ in self.columns)


class Scalars:
    """What a SELECT is written of; Selects writes the subqueries."""

    def __init__(self, rng):
        self.rng = rng
        self.names = 0
        self.nested = 0         # subqueries around

    def name(self, letter="x"):
        self.names += 1
        return "%s%d" % (letter, self.names)

    def literal(self, kind):
        rng = self.rng
        if rng.random() < 0.05:
            return literal(kind, None)
        return literal(kind, draw_value(rng, kind))

    def value(self, scope, kind="int", depth=2, outward=0.3):
        rng = self.rng
        draw = rng.random()
        if depth and draw < 0.3:
            return self.compound(scope, kind, depth - 1, outward)
        if depth > 1 and draw < 0.4 and self.nested < 3 and outward:
            return self.scalar(scope, kind)
        column = scope.pick(rng, kind, outward)
        if column and draw < 0.95:
            return column
        return self.literal(kind)

    def compound(self, scope, kind, depth, outward):
        rng = self.rng
        draw = rng.random()

        def one(of=kind):
            return self.value(scope, of, depth, outward)
        if draw < 0.15:
            return "coalesce(%s, %s)" % (one(), one())
        if draw < 0.25:
            return "nullif(%s, %s)" % (one(), one())
        if draw < 0.4:
            return "CASE WHEN %s THEN %s %sEND" % (
                self.condition(scope, 0), one(),
                "ELSE %s " % one() if rng.random() < 0.8 else "")
        if draw < 0.45:
            return "CASE %s WHEN %s THEN %s ELSE %s END" % (
                one("int"), self.literal("int"), one(), one())
        if draw < 0.5:
            return "%s(%s, %s)" % (
                rng.choice(["greatest", "least"]),
                "coalesce(%s, %s)" % (one(), self.solid(kind)),
                self.solid(kind))       # DuckDB skips NULLs
        return getattr(self, "make_" + kind)(one)

    def solid(self, kind):
        return literal(kind, draw_value(self.rng, kind))

    def make_int(self, one):
        return self.rng.choice([
            lambda: "(%s + %s)" % (one(), one()),
            lambda: "(%s - %s)" % (one(), one()),
            lambda: "(%s %% %d)" % (one(), self.rng.choice([2, 3, 7])),
            lambda: "abs(%s)" % one(),
            lambda: "length(%s)" % one("text"),
            lambda: "extract(%s FROM %s)" % (
                self.rng.choice(["YEAR", "MONTH", "DAY"]),
                one(self.rng.choice(["date", "ts"]))),
            lambda: "CAST(%s AS BIGINT)" % one("dec"),
            lambda: "CAST(%s AS INTEGER)" % one("bool")])()

    def make_dec(self, one):
        return self.rng.choice([
            lambda: "(%s + %s)" % (one(), one()),
            lambda: "(%s - %s)" % (one("int"), one()),
            lambda: "(%s * 2)" % one(),
            # one scale: DuckDB rounds where 38 digits hold no more
            lambda: "CAST(round(%s, 1) AS DECIMAL(18,2))" % one(),
            lambda: "abs(%s)" % one(),
            lambda: "CAST(%s AS DECIMAL(18,2))" % one("int")])()

    def make_dbl(self, one):
        return self.rng.choice([
            lambda: "(%s + %s)" % (one(), one()),
            lambda: "(%s * CAST(0.5 AS DOUBLE))" % one(),
            lambda: "abs(%s)" % one(),
            lambda: "floor(%s)" % one(),
            lambda: "CAST(%s AS DOUBLE)" % one("int")])()

    def make_text(self, one):
        return self.rng.choice([
            lambda: "(%s || %s)" % (one(), one()),
            lambda: "%s(%s)" % (self.rng.choice(
                ["upper", "lower", "trim", "reverse"]), one()),
            lambda: "substr(%s, 1, %d)" % (one(), self.rng.choice([0, 1, 9])),
            lambda: "replace(%s, 'a', 'xy')" % one(),
            lambda: "CAST(%s AS VARCHAR)" % one(self.rng.choice(
                ["int", "date", "bool"]))])()

    def make_date(self, one):
        return self.rng.choice([
            lambda: "CAST(%s AS DATE)" % one("ts"),
            lambda: "CAST(date_trunc('month', %s) AS DATE)" % one(),
            # a TIMESTAMP to DuckDB
            lambda: "CAST(%s %s INTERVAL '%d' %s AS DATE)" % (
                one(), self.rng.choice("+-"), self.rng.choice([1, 13]),
                self.rng.choice(["DAY", "MONTH", "YEAR"])),
            lambda: "CAST(CAST(%s AS VARCHAR) AS DATE)" % one()])()

    def make_ts(self, one):
        return self.rng.choice([
            lambda: "CAST(%s AS TIMESTAMP)" % one("date"),
            lambda: "(%s %s INTERVAL '%d' %s)" % (
                one(), self.rng.choice("+-"), self.rng.choice([1, 100]),
                self.rng.choice(["HOUR", "DAY", "MONTH", "SECOND"])),
            lambda: "date_trunc('%s', %s)" % (self.rng.choice(
                ["year", "day", "hour"]), one())])()

    def make_bool(self, one):
        return self.rng.choice([
            lambda: "(%s = %s)" % (one("int"), one("int")),
            lambda: "(%s AND %s)" % (one(), one()),
            lambda: "(%s OR %s)" % (one(), one()),
            lambda: "(NOT %s)" % one(),
            lambda: "(%s IS NULL)" % one("text")])()

    # conditions

    def pair(self, scope, depth=1, outward=0.3):
        """Two values that compare."""
        rng = self.rng
        draw = rng.random()
        kind = "int" if draw < 0.5 else rng.choice(KINDS)
        other = rng.choice(NUMBERS) if kind in NUMBERS and draw > 0.9 else \
            kind
        return (self.value(scope, kind, depth, outward),
                self.value(scope, other, depth, outward))

    def comparison(self, scope, outward=0.3):
        rng = self.rng
        draw = rng.random()
        left, right = self.pair(scope, 1, outward)
        if draw < 0.08:
            return "%s %sLIKE '%s'" % (
                self.value(scope, "text", 1, outward), rng.choice(
                    ["", "NOT "]), rng.choice(["a%", "%t%", "_", "%", ""]))
        if draw < 0.16:
            kind = rng.choice(KINDS)
            return "%s %sIN (%s)" % (
                self.value(scope, kind, 1, outward),
                rng.choice(["", "NOT "]), ", ".join(
                    self.literal(kind) for _ in range(rng.choice([1, 3]))))
        if draw < 0.22:
            kind = rng.choice(KINDS[:-1])
            return "%s %sBETWEEN %s AND %s" % (
                self.value(scope, kind, 1, outward), rng.choice(
                    ["", "NOT "]), self.literal(kind),
                self.value(scope, kind, 1, outward))
        return "%s %s %s" % (left, rng.choice(OPERATORS), right)

    def condition(self, scope, depth=2):
        rng = self.rng
        draw = rng.random()
        if depth and draw < 0.2:
            return "(%s %s %s)" % (self.condition(scope, depth - 1),
                                   rng.choice(["AND", "OR"]),
                                   self.condition(scope, depth - 1))
        if depth and draw < 0.26:
            return "NOT %s" % self.condition(scope, depth - 1)
        if draw < 0.32:
            return "%s IS %sNULL" % (self.value(scope, rng.choice(KINDS), 1),
                                     rng.choice(["", "NOT "]))
        if draw < 0.38:
            return "(%s)%s" % (self.value(scope, "bool", 1), rng.choice(
                ["", " IS TRUE", " IS NOT TRUE", " IS FALSE"]))
        if depth and draw < 0.65 and self.nested < 3:
            return self.predicate(scope)
        return "(%s)" % self.comparison(scope)

    # aggregates: value of a kind, over the rows of scope

    def aggregate(self, scope, kind="int"):
        rng = self.rng
        value = self.value(scope, kind, 1, 0)
        other = self.value(scope, rng.choice(KINDS), 1, 0)
        calls = ["min(%s)" % value, "max(%s)" % value]
        if kind == "int":
            calls += ["count(*)", "count(%s)" % other, "sum(%s)" % value,
                      "count(DISTINCT %s)" % other,
                      "sum(DISTINCT %s)" % value,
                      either("cardinality(array_agg(%s))", "len(list(%s))") %
                      (other, other)]
            test = self.comparison(scope, 0)
            calls += [either("count_if(%s)" % test,     # NULL there of none
                             "count(*) FILTER (WHERE %s)" % test)]
            key = scope.pick(rng, "int", 0)
            if key:
                calls += ["%s_by(%s + 1, %s)" % (rng.choice(["min", "max"]),
                                                 key, key)]
        elif kind == "dec":
            calls += ["sum(%s)" % value, "sum(DISTINCT %s)" % value] * 2
        elif kind == "dbl":
            number = self.value(scope, rng.choice(["int", "dbl"]), 1, 0)
            calls += ["sum(%s)" % value, "avg(%s)" % number,
                      "avg(DISTINCT %s)" % number]
        elif kind == "text":
            by = scope.pick(rng, rng.choice(KINDS), 0) or value
            order = rng.choice(ORDERS)
            calls += [
                "string_agg(%s, ',' ORDER BY %s%s)" % (value, value, order),
                "string_agg(%s, '-' ORDER BY %s%s, %s)" % (value, by, order,
                                                          value),
                "string_agg(DISTINCT %s, '' ORDER BY %s)" % (value, value),
                either("listagg(%s, ', ') WITHIN GROUP (ORDER BY %s%s)" %
                       (value, value, order),
                       "string_agg(%s, ', ' ORDER BY %s%s)" %
                       (value, value, order))]
        elif kind == "bool":
            calls = [either(rng.choice(["every", "bool_and"]), "bool_and") +
                     "(%s)" % value, "bool_or(%s)" % value] * 2
        call = rng.choice(calls)
        if rng.random() < 0.15 and not any(
                word in call for word in ("WITHIN", "cardinality", "\1")):
            call += " FILTER (WHERE %s)" % self.comparison(scope, 0)
        return call

    def spread(self, scope):
        """Rounded otherwise by each: not to compare in a query; moved away
        from where nine digits end in a half."""
        return "(%s(%s) + CAST(0.000123 AS DOUBLE))" % (self.rng.choice(
            ["stddev", "stddev_pop", "var_samp", "var_pop"]),
            self.value(scope, self.rng.choice(["int", "dbl"]), 1, 0))

    # windows

    def bounds(self, distances):
        """A frame's two ends, the second not before the first."""
        rng = self.rng
        ends = ["UNBOUNDED PRECEDING"] + \
            ["%s PRECEDING" % d for d in reversed(distances)] + \
            ["CURRENT ROW"] + ["%s FOLLOWING" % d for d in distances] + \
            ["UNBOUNDED FOLLOWING"]
        first = rng.randrange(len(ends) - 1)
        last = rng.randrange(max(first, 1), len(ends))
        if rng.random() < 0.1 and first <= len(distances) + 1:
            return ends[first]              # the other is the current row
        return "BETWEEN %s AND %s" % (ends[first], ends[last])

    def window(self, scope, kind="int", aggregated=None):
        """A call OVER (...); aggregated: a function that gives a value of
        grouped rows instead of a plain one."""
        rng = self.rng
        value = aggregated(kind) if aggregated else \
            self.value(scope, kind, 1, 0)
        keys = [text for text, _ in scope.columns] or ["1"]
        partition = "PARTITION BY %s " % ", ".join(
            rng.choice(keys) for _ in range(rng.choice([1, 1, 2]))) \
            if rng.random() < 0.7 else ""
        key = aggregated("int") if aggregated and rng.random() < 0.4 else \
            rng.choice(keys)
        loose = key + rng.choice(ORDERS)
        total = ", ".join([loose] + keys)
        draw = rng.random()
        if draw < 0.3 and kind in ("int", "dbl"):
            call = rng.choice(["rank()", "dense_rank()"] if kind == "int" else
                              ["percent_rank()", "cume_dist()"])
            return "%s OVER (%sORDER BY %s)" % (call, partition, loose)
        if draw < 0.55:
            return self.place(value, kind, partition, total)
        if draw < 0.65:         # the frame that is meant without one
            return "%s OVER (%s%s)" % (self.total(value, kind), partition,
                                       rng.choice(["", "ORDER BY " + loose]))
        if draw < 0.75:
            return "%s OVER (%sORDER BY %s GROUPS %s)" % (
                self.total(value, kind), partition, loose,
                self.bounds([1, 2]))
        unit = rng.choice(NUMBERS + ["date", "ts"])
        number = scope.pick(rng, unit, 0)
        if draw < 0.88 and number:
            return "%s OVER (%sORDER BY %s RANGE %s)" % (
                self.total(value, kind), partition,
                number + rng.choice(ORDERS), self.bounds(
                    rng.choice(DISTANCES.get(unit, DISTANCES["int"]))))
        call = self.total(value, kind)
        if rng.random() < 0.4:
            call = self.framed(value)
        return "%s OVER (%sORDER BY %s ROWS %s)" % (
            call, partition, total, self.bounds([1, 3]))

    def total(self, value, kind):
        rng = self.rng
        calls = ["min(%s)", "max(%s)"]
        if kind == "int":
            calls += ["sum(%s)", "count(%s)", "count(*)"]
        elif kind == "dec":
            calls += ["sum(%s)"]
        elif kind == "bool":
            calls = ["bool_and(%s)", "bool_or(%s)"]
        elif kind == "dbl":
            calls += ["sum(%s)", "avg(%s)"]
        call = rng.choice(calls)
        return call % value if "%s" in call else call

    def framed(self, value):
        """A value of one row of a frame."""
        call, argument = self.rng.choice([
            ("first_value", ""), ("last_value", ""), ("nth_value", ", 2")])
        if self.rng.random() < 0.3:
            return either("%s(%s%s) IGNORE NULLS" % (call, value, argument),
                          "%s(%s%s IGNORE NULLS)" % (call, value, argument))
        return "%s(%s%s)" % (call, value, argument)

    def place(self, value, kind, partition, total):
        rng = self.rng
        # DuckDB rounds a decimal to the scale of the value
        other = self.literal("int" if kind == "dec" else kind)
        calls = ["lag(%s)" % value, "lead(%s, 2)" % value,
                 "lag(%s, 1, %s)" % (value, other),
                 "lead(%s, 0)" % value, "lead(%s, 3, %s)" % (value, other),
                 either("lag(%s) IGNORE NULLS" % value,
                        "lag(%s IGNORE NULLS)" % value)]
        if kind == "int":
            calls += ["row_number()", "row_number()", "ntile(3)"]
        return "%s OVER (%sORDER BY %s)" % (rng.choice(calls), partition,
                                            total)
