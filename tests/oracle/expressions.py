"""Random typed expressions; one tree gives the SQL of both dialects.

A safe expression cannot fail on any row. Conditions, ON and the source's own
expressions are safe, since an engine may evaluate them for more rows than
strictly needed, or in any order. Values of SET and INSERT may be risky: they
are evaluated just for the rows that reach them, and the kinds of error they
risk are noted (`risks` of a generator), so that the two sides must agree on
failing, by one of these.

What the two dialects do not share is not generated: division of floats by a
column, rounding of floats to integers, text of floats and timestamps, NaN,
GREATEST of NULLs, LIKE with a backslash, negative zero, a double that runs
over. TRIM of ours takes all white space, so PostgreSQL's is told which.
"""
import values
from values import (BIGINT, BOOLEAN, DATE, INTEGER, TIMESTAMP, VARCHAR,
                    literal, quote)


class Node:
    """An expression: a template of each dialect around its arguments."""

    def __init__(self, kind, ours, pg, *args):
        self.type = kind
        self.template = {"ours": ours, "pg": pg}
        self.args = args

    def has_column(self):
        return any(a.has_column() for a in self.args)

    def sql(self, dialect):
        return self.template[dialect].format(
            *[a.sql(dialect) for a in self.args])


class Column(Node):
    """side is the alias, or '' where only one relation is in scope. A bare
    column in the value of a SET is the target's; PostgreSQL wants it said."""

    def __init__(self, kind, side, name, bare=False):
        quoted = '"%s"' % name.replace('"', '""')
        full = side + "." + quoted if side else quoted
        super().__init__(kind, quoted if bare else full, full)
        self.name = name

    def has_column(self):
        return True


def both(kind, template, *args):
    return Node(kind, template, template, *args)


def constant(kind, value):
    ours, pg = (literal(kind, value, d).replace("{", "{{").replace("}", "}}")
                for d in ("ours", "pg"))
    return Node(kind, ours, pg)


def cast(kind, arg):
    return Node(kind, "CAST({0} AS %s)" % kind.ours,
                "CAST({0} AS %s)" % kind.pg, arg)


class Generator:
    """Expressions over the columns in scope."""

    def __init__(self, rng, columns, risky=False):
        self.rng = rng
        self.columns = columns
        self.risky = risky
        self.risks = set()

    def pick(self, kind):
        """A column of a type, or None."""
        found = [c for c in self.columns if c.type == kind]
        return self.rng.choice(found) if found else None

    def constant(self, kind):
        value = None
        if self.rng.random() > 0.06:
            value = values.random_value(kind, self.rng)
        return constant(kind, value)

    def small(self, low, high):
        return constant(INTEGER, self.rng.randint(low, high))

    def leaf(self, kind):
        column = self.pick(kind)
        if column and self.rng.random() < 0.75:
            return column
        return self.constant(kind)

    def value(self, kind, depth=2):
        rng = self.rng
        if depth <= 0 or rng.random() < 0.3:
            return self.leaf(kind)
        choice = rng.random()
        if choice < 0.12:
            return self.case(kind, depth)
        if choice < 0.2:
            return both(kind, "COALESCE({0}, {1})", self.value(kind, depth - 1),
                        self.value(kind, depth - 1))
        if choice < 0.25:
            return both(kind, "NULLIF({0}, {1})", self.value(kind, depth - 1),
                        self.leaf(kind))
        name = "make_" + kind.kind.split()[0].lower()
        if kind == values.TIMESTAMPTZ:
            return self.leaf(kind)
        make = getattr(self, name, None)
        return make(kind, depth) if make else self.leaf(kind)

    def case(self, kind, depth):
        args = [self.condition(depth - 1), self.value(kind, depth - 1)]
        template = "(CASE WHEN {0} THEN {1}"
        if self.rng.random() < 0.3:
            template += " WHEN {2} THEN {3}"
            args += [self.condition(0), self.leaf(kind)]
        if self.rng.random() < 0.8:
            template += " ELSE {%d}" % len(args)
            args.append(self.value(kind, depth - 1))
        return both(kind, template + " END)", *args)

    # numbers

    def make_integer(self, kind, depth):
        rng = self.rng
        a = self.value(kind, depth - 1)
        if not self.risky:
            template = rng.choice(["({0} %% %d)", "(({0} %% %d) + 1)",
                                   "(({0} %% %d) * 3)", "(({0} / 8) %% %d)"])
            return both(kind, template % rng.randint(2, 9), a)
        if not a.has_column():
            return a        # an engine may fail on constants beforehand
        choice = rng.randrange(8)
        self.risks.add("OVERFLOW")
        if choice < 3:
            return both(kind, "({0} %s {1})" % "+-*"[choice], a,
                        self.value(kind, depth - 1))
        if choice == 3:
            return both(kind, "({0} + 1)", a)
        if choice == 4:
            return both(kind, "abs({0})", a)
        if choice == 5:
            return both(kind, "(- {0})", a)
        if rng.random() < 0.7:
            return both(kind, rng.choice(["({0} / %d)", "({0} %% %d)"])
                        % rng.choice([2, 3, -3, 7, 10]), a)
        self.risks.add("DIVISION_BY_ZERO")
        return both(kind, rng.choice(["({0} / {1})", "({0} % {1})"]), a,
                    self.value(kind, depth - 1))

    def make_bigint(self, kind, depth):
        choice = self.rng.randrange(6)
        if choice == 0:
            return cast(BIGINT, self.value(INTEGER, depth - 1))
        if choice == 1:
            return Node(BIGINT, "length({0})", "CAST(length({0}) AS BIGINT)",
                        self.value(VARCHAR, depth - 1))
        if choice == 2:
            field = self.rng.choice(["YEAR", "MONTH", "DAY"])
            return Node(BIGINT, "EXTRACT(%s FROM {0})" % field,
                        "CAST(EXTRACT(%s FROM {0}) AS BIGINT)" % field,
                        self.value(DATE, depth - 1))
        if choice == 3:
            return Node(BIGINT, "date_diff('day', {0}, {1})",
                        "CAST({1} - {0} AS BIGINT)",
                        self.value(DATE, depth - 1), self.leaf(DATE))
        return self.make_integer(kind, depth)

    def make_decimal(self, kind, depth):
        rng = self.rng
        a = self.value(kind, depth - 1)
        if not self.risky:
            return cast(kind, both(kind, "({0} / %d)" % rng.randint(2, 9), a))
        if not a.has_column():
            return a
        self.risks.add("OVERFLOW")
        choice = rng.randrange(7)
        if choice < 2:
            made = both(kind, "({0} %s {1})" % "+-"[choice], a,
                        self.value(kind, depth - 1))
        elif choice == 2 and kind.precision <= 18:
            made = both(kind, "({0} * {1})", a, self.leaf(kind))
        elif choice == 3:
            made = both(kind, "({0} / %d)" % rng.choice([2, 3, 7, 8, -4]), a)
        elif choice == 4:
            made = both(kind, "round({0}, %d)" % rng.randrange(0, 3), a)
        elif choice == 5:
            made = both(kind, rng.choice(["floor({0})", "ceil({0})"]), a)
        else:
            made = self.value(INTEGER, depth - 1)
            if not made.has_column():
                return a
        return cast(kind, made)

    def make_double(self, kind, depth):
        rng = self.rng
        choice = rng.randrange(5)
        if choice == 0:
            return cast(kind, self.value(rng.choice([INTEGER, BIGINT]),
                                         depth - 1))
        if choice == 1:
            return cast(kind, self.value(values.decimal(12, 4), depth - 1))
        a = self.value(kind, depth - 1)
        if choice == 2:
            return both(kind, rng.choice(["({0} * 0.5)", "({0} * 1.25)",
                                          "({0} / 3)", "({0} / 0.75)"]), a)
        return both(kind, rng.choice(["({0} + {1})", "({0} - {1})"]), a,
                    self.leaf(kind))

    def make_real(self, kind, depth):
        a = self.value(kind, depth - 1)
        if self.rng.random() < 0.3:
            return both(kind, "({0} * CAST(0.5 AS REAL))", a)
        return both(kind, self.rng.choice(["({0} + {1})", "({0} - {1})"]), a,
                    self.leaf(kind))

    # text, time

    def make_varchar(self, kind, depth):
        rng = self.rng
        choice = rng.randrange(11)
        if choice == 0:
            return cast(VARCHAR, self.value(rng.choice([INTEGER, BIGINT, DATE,
                                                        BOOLEAN]), depth - 1))
        if choice == 1:
            exact = rng.choice(values.DECIMALS)
            return cast(VARCHAR, cast(exact, self.leaf(exact)))
        a = self.value(kind, depth - 1)
        if choice < 4:
            return both(kind, "substr({0} || {1}, 1, 30)", a,
                        self.value(kind, depth - 1))
        if choice == 4:
            return both(kind, rng.choice(["lower({0})", "upper({0})"]), a)
        if choice == 5:
            return both(kind, "substr({0}, %d)" % rng.randint(1, 3), a)
        if choice == 6:
            return both(kind, "substr({0}, %d, %d)"
                        % (rng.randint(1, 3), rng.randint(0, 5)), a)
        if choice == 7:
            return both(kind, "replace({0}, 'a', 'xy')", a)
        if choice == 8:
            name = rng.choice(["trim", "ltrim", "rtrim"])
            return Node(kind, name + "({0})",   # PostgreSQL: only blanks
                        "b" * (name == "trim") + name +
                        "({0}, E' \\t\\n\\r')", a)
        if choice == 9:
            return both(kind, "reverse({0})", a)
        return both(kind, rng.choice(["lpad({0}, %d, '*')", "rpad({0}, %d, "
                                      "'#')"]) % rng.randint(0, 9), a)

    def make_date(self, kind, depth):
        if self.rng.random() < 0.3:
            return cast(DATE, self.value(TIMESTAMP, depth - 1))
        days = self.rng.randint(-40, 40)
        return Node(DATE, "date_add('day', %d, {0})" % days,
                    "({0} + (%d))" % days, self.value(kind, depth - 1))

    def make_timestamp(self, kind, depth):
        rng = self.rng
        choice = rng.randrange(3)
        if choice == 0:
            return cast(TIMESTAMP, self.value(DATE, depth - 1))
        a = self.value(kind, depth - 1)
        if choice == 1:
            return both(kind, "date_trunc('%s', {0})" % rng.choice(
                ["second", "minute", "hour", "day", "month", "year"]), a)
        hours = rng.randint(-30, 30)
        return Node(kind, "date_add('hour', %d, {0})" % hours,
                    "({0} + INTERVAL '%d hours')" % hours, a)

    def make_boolean(self, kind, depth):
        return both(BOOLEAN, "({0})", self.condition(depth - 1))

    # conditions

    def compare(self, depth):
        """A condition on values of one type, or on two kinds of number."""
        rng = self.rng
        kind = rng.choice(self.columns).type if self.columns else INTEGER
        safe = Generator(rng, self.columns)
        a, b = safe.value(kind, depth), safe.leaf(kind)
        if kind.kind in ("INTEGER", "BIGINT") and rng.random() < 0.3:
            b = safe.leaf(rng.choice([INTEGER, BIGINT,
                                      values.decimal(5, 2), values.DOUBLE]))
        op = rng.choice(["=", "=", "<>", "<", "<=", ">", ">="])
        return both(BOOLEAN, "({0} %s {1})" % op, a, b)

    def condition(self, depth=1):
        rng = self.rng
        choice = rng.random()
        if depth > 0 and choice < 0.35:
            op = rng.choice(["AND", "OR"])
            return both(BOOLEAN, "({0} %s {1})" % op,
                        self.condition(depth - 1), self.condition(depth - 1))
        if depth > 0 and choice < 0.42:
            return both(BOOLEAN, "(NOT {0})", self.condition(depth - 1))
        if choice < 0.62 or not self.columns:
            return self.compare(max(0, depth - 1))
        column = rng.choice(self.columns)
        if choice < 0.74:
            return both(BOOLEAN, rng.choice(["({0} IS NULL)",
                                             "({0} IS NOT NULL)"]), column)
        if choice < 0.82:
            return both(BOOLEAN, rng.choice(["({0} IS DISTINCT FROM {1})",
                                             "({0} IS NOT DISTINCT FROM "
                                             "{1})"]),
                        column, self.leaf(column.type))
        if choice < 0.92 or column.type != VARCHAR:
            items = [self.constant(column.type)
                     for _ in range(rng.randint(1, 4))]
            if rng.random() < 0.5 and column.type != BOOLEAN:
                return both(BOOLEAN, "({0} %sBETWEEN {1} AND {2})" %
                            rng.choice(["", "NOT "]), column, items[0],
                            self.leaf(column.type))
            marks = ", ".join("{%d}" % (i + 1) for i in range(len(items)))
            return both(BOOLEAN, "({0} %s (%s))" %
                        (rng.choice(["IN", "NOT IN"]), marks), column, *items)
        pattern = rng.choice(["a%", "%b", "_", "%", "", "%a%", "k1%", "_b%",
                              "%\u00e9%", "k_", "%\n%"])
        return both(BOOLEAN, "({0} %s %s)" %
                    (rng.choice(["LIKE", "NOT LIKE"]), quote(pattern)), column)


