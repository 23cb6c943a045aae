#!/usr/bin/env python3
"""Writes expr_*_tables.h: calls of functions with the results that they must
have.

The oracles: exact numbers and casts by Python's int, Fraction and Decimal;
text and time by DuckDB (pip install duckdb), where it agrees with Trino's
documentation; the few rules in which Trino stands alone are written out in
Python here. Usage: make_expr_tables.py, in this folder.
"""
import datetime
import math
import struct
from fractions import Fraction

import duckdb

LIMITS = {'INTEGER': 2**31, 'BIGINT': 2**63}
INTS = {'INTEGER': [0, 1, -1, 7, -7, 1000, 2**31 - 1, -2**31],
        'BIGINT': [0, 1, -1, 9, -13, 2**40, 2**63 - 1, -2**63]}


def c_string(text):
    out = ''
    for byte in text.encode('utf-8'):
        char = chr(byte)
        if char in '"\\':
            out += '\\' + char
        elif 32 <= byte < 127:
            out += char
        else:
            out += '\\%03o' % byte
    return '"' + out + '"'


class Table:
    def __init__(self):
        self.rows = []

    def add(self, function, args, expected):
        self.rows.append((function, args, expected))

    def write(self, path, name):
        with open(path, 'w') as f:
            f.write('/* Made by make_expr_tables.py; do not edit. */\n')
            f.write('static const struct expr_case %s[] = {\n' % name)
            for function, args, expected in self.rows:
                f.write('{ %s, { %s }, %s },\n' % (
                    c_string(function),
                    ', '.join(c_string(a) for a in args) or 'NULL',
                    c_string(expected)))
            f.write('};\n')


def half_away(x):
    """A Fraction to the nearest integer, a half away from zero."""
    n = math.floor(abs(x) + Fraction(1, 2))
    return -n if x < 0 else n


def decimal_text(unscaled, scale):
    sign = '-' if unscaled < 0 else ''
    digits = str(abs(unscaled)).rjust(scale + 1, '0')
    return sign + (digits[:-scale] + '.' + digits[-scale:] if scale
                   else digits)


def decimal_name(p, s):
    return 'DECIMAL(%d,%d)' % (p, s)


def trunc_div(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


# --- arithmetic ---------------------------------------------------------

def integer_arith(op, kind, a, b):
    if op in '/%' and b == 0:
        return '!DIVISION_BY_ZERO'
    if op == '/':
        r = trunc_div(a, b)
    elif op == '%':
        r = a - b * trunc_div(a, b)
    else:
        r = {'+': a + b, '-': a - b, '*': a * b}[op]
    if not -LIMITS[kind] <= r < LIMITS[kind]:
        return '!OVERFLOW'
    return '%s:%d' % (kind, r)


def decimal_arith(op, a, b):
    (av, ap, as_), (bv, bp, bs) = a, b
    if op in '+-':
        s = max(as_, bs)
        p = min(38, max(ap - as_, bp - bs) + s + 1)
    elif op == '*':
        s, p = as_ + bs, min(38, ap + bp)
    elif op == '/':
        s = max(as_, bs)
        p = min(38, ap + bs + max(0, bs - as_))
    else:
        s = max(as_, bs)
        p = min(ap - as_, bp - bs) + s
    if s > 38:
        return '!TYPE_MISMATCH'
    if op in '/%' and bv == 0:
        return '!DIVISION_BY_ZERO'
    x, y = Fraction(av, 10**as_), Fraction(bv, 10**bs)
    if op == '%':
        q = abs(x) // abs(y)
        r = x - y * (q if (x < 0) == (y < 0) else -q)
    else:
        r = {'+': lambda: x + y, '-': lambda: x - y, '*': lambda: x * y,
             '/': lambda: x / y}[op]()
    unscaled = half_away(r * 10**s)
    if abs(unscaled) >= 10**p:
        return '!OVERFLOW'
    return decimal_name(p, s) + ':' + decimal_text(unscaled, s)


DECIMALS = [(0, 5, 2), (12345, 5, 2), (-99999, 5, 2), (5, 1, 0), (-7, 3, 3),
            (999999999999999999, 18, 0), (123456789012345678, 18, 9),
            (10**37 + 3, 38, 0), (-(10**38 - 1), 38, 10), (1, 38, 38),
            (25, 4, 1), (-15, 4, 1)]


def as_float32(x):
    try:
        return struct.unpack('f', struct.pack('f', x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def double_text(x):
    if math.isnan(x):
        return 'NaN'
    if math.isinf(x):
        return 'Infinity' if x > 0 else '-Infinity'
    return repr(x)


def float_arith(op, x, y):
    if math.isnan(x) or math.isnan(y):
        return math.nan
    if op == '/':
        if y == 0:
            if x == 0:
                return math.nan
            sign = math.copysign(1, x) * math.copysign(1, y)
            return math.copysign(math.inf, sign)
        return x / y
    if op == '%':
        if math.isinf(x) or y == 0:
            return math.nan
        return math.fmod(x, y)
    return {'+': x + y, '-': x - y, '*': x * y}[op]


def arith(table):
    for op in '+-*/%':
        for kind, values in INTS.items():
            for a in values:
                for b in values[1::4] + values[-2:]:
                    table.add(op, ['%s:%d' % (kind, a), '%s:%d' % (kind, b)],
                              integer_arith(op, kind, a, b))
        for a in DECIMALS:
            for b in DECIMALS[::3] + [DECIMALS[-1]]:
                table.add(op, [decimal_name(*x[1:]) + ':' +
                               decimal_text(x[0], x[2]) for x in (a, b)],
                          decimal_arith(op, a, b))
        floats = [0.0, -0.0, 1.5, -2.25, 1e308, math.inf, math.nan]
        for x in floats:
            for y in floats[1::2]:
                table.add(op, ['DOUBLE:' + double_text(x),
                               'DOUBLE:' + double_text(y)],
                          'DOUBLE:' + double_text(float_arith(op, x, y)))
    for a, b in [(7, (150, 4, 2)), (-3, (1, 1, 0))]:
        table.add('+', ['INTEGER:%d' % a, decimal_name(*b[1:]) + ':' +
                        decimal_text(b[0], b[2])],
                  decimal_arith('+', (a, 10, 0), b))
        table.add('*', ['BIGINT:%d' % a, decimal_name(*b[1:]) + ':' +
                        decimal_text(b[0], b[2])],
                  decimal_arith('*', (a, 19, 0), b))
    for x, y in [(0.1, 0.2), (1e38, 10.0), (1.5, 0.0)]:
        x, y = as_float32(x), as_float32(y)
        for op in '+-*/':
            r = as_float32(float_arith(op, x, y))
            table.add(op, ['REAL:%r' % x, 'REAL:%r' % y],
                      'REAL:' + double_text(r))
    table.add('+', ['INTEGER:1', 'DOUBLE:0.5'], 'DOUBLE:1.5')
    table.add('+', ['DECIMAL(5,2):1.25', 'REAL:0.5'], 'REAL:1.75')
    table.add('+', ['INTEGER:1', 'UNKNOWN'], 'INTEGER')
    table.add('+', ['INTEGER:1', 'VARCHAR:1'], '!TYPE_MISMATCH')
    for kind in INTS:
        lowest = -LIMITS[kind]
        table.add('negate', ['%s:5' % kind], '%s:-5' % kind)
        table.add('negate', ['%s:%d' % (kind, lowest)], '!OVERFLOW')
        table.add('abs', ['%s:-5' % kind], '%s:5' % kind)
        table.add('abs', ['%s:%d' % (kind, lowest)], '!OVERFLOW')
    table.add('negate', ['DOUBLE:0.0'], 'DOUBLE:-0.0')
    table.add('negate', ['DECIMAL(38,2):-1.50'], 'DECIMAL(38,2):1.50')


# --- rounding and other numbers ------------------------------------------

def rounded(function, x):
    if function == 'round':
        return half_away(x)
    if function == 'floor':
        return math.floor(x)
    if function == 'ceiling':
        return math.ceil(x)
    return math.floor(x) if x >= 0 else math.ceil(x)


def rounding(table):
    for function in ['round', 'floor', 'ceiling', 'truncate']:
        for u, p, s in DECIMALS:
            if function == 'truncate':
                rp = max(1, p - s)
            else:
                rp = min(38, p - s + min(s, 1))
            r = rounded(function, Fraction(u, 10**s))
            table.add(function,
                      [decimal_name(p, s) + ':' + decimal_text(u, s)],
                      '%s:%d' % (decimal_name(rp, 0), r)
                      if abs(r) < 10**rp else '!OVERFLOW')
        for x in [0.5, -0.5, 2.5, -2.5, 1e300, 0.49999999999999994, 3.0]:
            r = float(rounded(function, Fraction(x)))
            if r == 0 and x < 0:
                r = -0.0
            table.add(function, ['DOUBLE:%r' % x], 'DOUBLE:%r' % r)
        table.add(function, ['INTEGER:-7'], 'INTEGER:-7')
    for u, p, s, n in [(12345, 5, 2, 1), (12355, 5, 2, 1), (-12355, 5, 2, 1),
                       (12345, 5, 2, -1), (99999, 5, 2, -3),
                       (15, 4, 1, 0), (15, 4, 1, 5), (15, 4, 1, -40),
                       (10**38 - 1, 38, 0, -1)]:
        step = Fraction(1, 10**n) if n >= 0 else Fraction(10**-n)
        r = half_away(Fraction(u, 10**s) / step) * step * 10**s
        if n >= s:
            r = Fraction(u)
        rp = min(38, p + 1)
        table.add('round', [decimal_name(p, s) + ':' + decimal_text(u, s),
                            'INTEGER:%d' % n],
                  decimal_name(rp, s) + ':' + decimal_text(int(r), s)
                  if abs(r) < 10**rp else '!OVERFLOW')
    for v, n, r in [(15, -1, '20'), (-15, -1, '-20'), (14, -1, '10'),
                    (15, 2, '15'), (2**31 - 1, -1, None)]:
        table.add('round', ['INTEGER:%d' % v, 'INTEGER:%d' % n],
                  'INTEGER:' + r if r else '!OVERFLOW')
    for x, n, r in [(2.345, 2, 2.35), (-2.345, 2, -2.35), (1234.5, -2, 1200.0),
                    (1e300, 2, 1e300), (0.1, 400, 0.1)]:
        table.add('round', ['DOUBLE:%r' % x, 'INTEGER:%d' % n],
                  'DOUBLE:%r' % r)
    table.add('truncate', ['DECIMAL(5,2):-123.45', 'INTEGER:1'],
              'DECIMAL(5,2):-123.40')
    for function, x in [('sqrt', 2.0), ('exp', 1.0), ('ln', 10.0),
                        ('log10', 1000.0), ('log2', 8.0)]:
        sql = {'log10': 'log10', 'log2': 'log2'}.get(function, function)
        r = ask('%s(%r::DOUBLE)' % (sql, x))
        table.add(function, ['DOUBLE:%r' % x], 'DOUBLE:%r' % r)
    # the C library that DuckDB asks is off by one digit
    table.add('cbrt', ['DOUBLE:27.0'], 'DOUBLE:3.0')
    table.add('sqrt', ['DOUBLE:-1.0'], 'DOUBLE:NaN')
    table.add('ln', ['DOUBLE:0.0'], 'DOUBLE:-Infinity')
    table.add('power', ['INTEGER:2', 'INTEGER:10'], 'DOUBLE:1024.0')
    table.add('sign', ['DECIMAL(5,2):-0.01'], 'DECIMAL(1,0):-1')
    table.add('sign', ['BIGINT:12'], 'BIGINT:1')
    table.add('sign', ['DOUBLE:-0.5'], 'DOUBLE:-1.0')
    table.add('greatest', ['INTEGER:1', 'BIGINT:7', 'INTEGER:3'], 'BIGINT:7')
    table.add('least', ['DECIMAL(3,1):1.5', 'INTEGER:1'],
              'DECIMAL(11,1):1.0')
    table.add('greatest', ['VARCHAR:b', 'VARCHAR:a', 'VARCHAR:ba'],
              'VARCHAR:ba')
    table.add('least', ['VARCHAR:b', 'VARCHAR:a', 'VARCHAR:ba'], 'VARCHAR:a')
    table.add('greatest', ['INTEGER:1', 'INTEGER'], 'INTEGER')
    table.add('greatest', ['DOUBLE:NaN', 'DOUBLE:1.0'], 'DOUBLE:1.0')
    table.add('least', ['DOUBLE:1.0', 'DOUBLE:NaN'], 'DOUBLE:1.0')
    table.add('is_nan', ['DOUBLE:NaN'], 'BOOLEAN:true')
    table.add('is_finite', ['DOUBLE:Infinity'], 'BOOLEAN:false')
    table.add('is_infinite', ['REAL:-Infinity'], 'BOOLEAN:true')
    table.add('pi', [], 'DOUBLE:%r' % math.pi)
    table.add('e', [], 'DOUBLE:%r' % math.e)


# --- comparisons -----------------------------------------------------------

def comparisons(table):
    ops = {'=': lambda a, b: a == b, '<>': lambda a, b: a != b,
           '<': lambda a, b: a < b, '<=': lambda a, b: a <= b,
           '>': lambda a, b: a > b, '>=': lambda a, b: a >= b}
    sets = [
        ('BOOLEAN', [('false', 0), ('true', 1)]),
        ('INTEGER', [(str(v), v) for v in (-5, 0, 2**31 - 1)]),
        ('BIGINT', [(str(v), v) for v in (-2**63, 0, 2**62)]),
        ('DOUBLE', [(double_text(v), v)
                    for v in (-0.0, 0.0, math.inf, math.nan)]),
        ('REAL', [(double_text(v), v) for v in (-0.0, 0.0, math.nan)]),
        ('DECIMAL(5,2)', [('-1.00', -100), ('1.00', 100), ('1.01', 101)]),
        ('DECIMAL(38,0)', [(str(v), v) for v in (-10**37, 0, 10**37)]),
        ('DATE', [('1969-12-31', -1), ('1970-01-01', 0)]),
        ('VARCHAR', [(v, v.encode()) for v in
                     ('', 'a', 'ab', '\u00e9')]),
        ('VARBINARY', [('', b''), ('00', b'\0'), ('ff', b'\xff')]),
        ('UUID', [('00000000-0000-0000-0000-000000000001', 1),
                  ('80000000-0000-0000-0000-000000000000', 1 << 127)]),
    ]
    for kind, values in sets:
        for ta, a in values:
            for tb, b in values:
                args = ['%s:%s' % (kind, ta), '%s:%s' % (kind, tb)]
                for op, test in ops.items():
                    table.add(op, args, 'BOOLEAN:' + str(test(a, b)).lower())
                same = a == b or (a != a and b != b)
                table.add('is distinct from', args,
                          'BOOLEAN:' + str(not same).lower())
        first = '%s:%s' % (kind, values[0][0])
        for op in ops:
            table.add(op, [first, kind], 'BOOLEAN')
        table.add('is distinct from', [first, kind], 'BOOLEAN:true')
        table.add('is distinct from', [kind, first], 'BOOLEAN:true')
        table.add('is distinct from', [kind, kind], 'BOOLEAN:false')
    table.add('=', ['INTEGER:1', 'DECIMAL(3,2):1.00'], 'BOOLEAN:true')
    table.add('<', ['BIGINT:1', 'DOUBLE:1.5'], 'BOOLEAN:true')
    table.add('=', ['DATE:2024-02-29', 'TIMESTAMP:2024-02-29 00:00:00'],
              'BOOLEAN:true')
    for a, b in [('VARCHAR:1', 'INTEGER:1'), ('BOOLEAN:true', 'INTEGER:1'),
                 ('VARCHAR:2024-01-01', 'DATE:2024-01-01')]:
        table.add('=', [a, b], '!TYPE_MISMATCH')


# --- casts -------------------------------------------------------------------

def cast_exact(u, s, kind):
    x = Fraction(u, 10**s)
    if kind in LIMITS:
        r = half_away(x)
        return '%s:%d' % (kind, r) if -LIMITS[kind] <= r < LIMITS[kind] \
            else '!OVERFLOW'
    p, scale = (int(n) for n in kind[8:-1].split(','))
    r = half_away(x * 10**scale)
    return kind + ':' + decimal_text(r, scale) if abs(r) < 10**p \
        else '!OVERFLOW'


def casts(table):
    kinds = ['INTEGER', 'BIGINT', 'DECIMAL(5,2)', 'DECIMAL(12,2)',
             'DECIMAL(18,4)', 'DECIMAL(38,10)', 'DECIMAL(38,0)']
    for u, p, s in DECIMALS:
        source = decimal_name(p, s) + ':' + decimal_text(u, s)
        for kind in kinds:
            table.add('cast ' + kind, [source], cast_exact(u, s, kind))
        table.add('cast DOUBLE', [source],
                  'DOUBLE:%r' % (Fraction(u, 10**s).__float__()))
        table.add('cast VARCHAR', [source], 'VARCHAR:' + decimal_text(u, s))
        table.add('cast BOOLEAN', [source],
                  'BOOLEAN:' + ('true' if u else 'false'))
    for source, values in INTS.items():
        for v in values:
            for kind in kinds:
                if kind != source:
                    table.add('cast ' + kind, ['%s:%d' % (source, v)],
                              cast_exact(v, 0, kind))
            table.add('cast DOUBLE', ['%s:%d' % (source, v)],
                      'DOUBLE:%r' % float(v))
            table.add('cast VARCHAR', ['%s:%d' % (source, v)],
                      'VARCHAR:%d' % v)
    for x in [0.5, -0.5, 1.5, 2.5, -2.5, 1e10, 2147483647.4, 2147483647.5,
              1e19, 9.3e18, 0.1, 123.455]:
        exact = Fraction(x)
        for kind in ['INTEGER', 'BIGINT']:
            table.add('cast ' + kind, ['DOUBLE:%r' % x],
                      cast_exact(exact.numerator * 10**60 //
                                 exact.denominator, 60, kind))
        shortest = Fraction(repr(x))
        table.add('cast DECIMAL(12,2)', ['DOUBLE:%r' % x],
                  cast_exact(int(shortest * 10**40), 40, 'DECIMAL(12,2)'))
    for kind in ['INTEGER', 'BIGINT', 'DECIMAL(12,2)']:
        table.add('cast ' + kind, ['DOUBLE:NaN'], '!CAST')
        table.add('try ' + kind, ['DOUBLE:NaN'], kind)
        table.add('try ' + kind, ['DOUBLE:1e300'], kind)
        table.add('cast ' + kind, ['VARCHAR:x'], '!CAST')
        table.add('cast ' + kind, ['VARCHAR:'], '!CAST')
        table.add('try ' + kind, ['VARCHAR:x'], kind)
        table.add('cast ' + kind, ['BOOLEAN:true'],
                  kind + (':1.00' if 'DEC' in kind else ':1'))
    for kind in ['INTEGER', 'BIGINT']:
        table.add('cast ' + kind, ['VARCHAR: 42\t'], kind + ':42')
        table.add('cast ' + kind, ['VARCHAR:99999999999999999999'], '!CAST')
        table.add('cast ' + kind, ['DOUBLE:Infinity'], '!OVERFLOW')
        table.add('assign ' + kind, ['DECIMAL(4,1):-2.5'], kind + ':-3')
    table.add('cast DECIMAL(10,1)', ['REAL:0.1'], 'DECIMAL(10,1):0.1')
    table.add('cast DECIMAL(18,12)', ['REAL:0.1'],
              'DECIMAL(18,12):0.100000000000')
    table.add('cast REAL', ['DOUBLE:1e300'], 'REAL:Infinity')
    table.add('assign REAL', ['DOUBLE:1e300'], '!OVERFLOW')
    table.add('assign REAL', ['DOUBLE:Infinity'], 'REAL:Infinity')
    for text, value in [('1.005', '1.01'), ('-1.005', '-1.01'),
                        ('1e2', '100.00'), ('0.004', '0.00'), ('7', '7.00')]:
        table.add('cast DECIMAL(5,2)', ['VARCHAR:' + text],
                  'DECIMAL(5,2):' + value)
    table.add('cast DECIMAL(5,2)', ['VARCHAR:1000'], '!CAST')
    table.add('cast DECIMAL(5,2)', ['VARCHAR: 7'], '!CAST')
    for text, value in [('1e10', '1.0E10'), ('0.1', '0.1'), ('NaN', 'NaN'),
                        ('100', '100.0'), ('12345678.9', '1.23456789E7'),
                        ('0.0001', '1.0E-4'), ('-Infinity', '-Infinity'),
                        ('-0.0', '-0.0')]:
        table.add('cast VARCHAR', ['DOUBLE:' + text], 'VARCHAR:' + value)
    table.add('cast VARCHAR', ['REAL:0.1'], 'VARCHAR:0.1')
    for text, value in [('t', 'true'), ('TRUE', 'true'), ('1', 'true'),
                        ('f', 'false'), ('False', 'false'), ('0', 'false')]:
        table.add('cast BOOLEAN', ['VARCHAR:' + text], 'BOOLEAN:' + value)
    for text in ['yes', 'no', 'y', '', ' true', '2', 'truex']:
        table.add('cast BOOLEAN', ['VARCHAR:' + text], '!CAST')
    table.add('cast VARCHAR', ['BOOLEAN:true'], 'VARCHAR:true')
    table.add('cast DOUBLE', ['VARCHAR: 1.5e3 '], 'DOUBLE:1500.0')
    table.add('cast DOUBLE', ['VARCHAR:1.5x'], '!CAST')
    table.add('cast VARCHAR', ['UNKNOWN'], 'VARCHAR')
    table.add('cast INTEGER', ['DATE:2024-01-01'], '!TYPE_MISMATCH')
    table.add('cast VARBINARY', ['VARCHAR:a\u00e9'], 'VARBINARY:61c3a9')
    table.add('cast VARCHAR', ['VARBINARY:61'], '!TYPE_MISMATCH')
    uuid = '12151fd2-7586-11e9-8f9e-2a86e4085a59'
    table.add('cast UUID', ['VARCHAR:' + uuid], 'UUID:' + uuid)
    table.add('cast UUID', ['VARCHAR:12151fd2'], '!CAST')
    table.add('cast VARCHAR', ['UUID:' + uuid], 'VARCHAR:' + uuid)
    table.add('cast VARBINARY', ['UUID:' + uuid],
              'VARBINARY:' + uuid.replace('-', ''))
    table.add('cast UUID', ['VARBINARY:' + uuid.replace('-', '')],
              'UUID:' + uuid)


# --- text --------------------------------------------------------------------

WORDS = ['', 'a', 'Stra\u00dfe', '\u00c9cole \u00e9t\u00e9', ' x y ',
         '\u041f\u0440\u0438\u0432\u0435\u0442', '\U0001f600ab', 'aXbXXc']


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def ask(sql):
    return duckdb.sql('SELECT ' + sql).fetchall()[0][0]


def text_value(value):
    return 'VARCHAR' if value is None else 'VARCHAR:' + value


def trino_substr(text, start, length=None):
    if start == 0 or (length is not None and length <= 0):
        return ''
    if start < 0:
        start = len(text) + start + 1
        if start <= 0:
            return ''
    rest = text[start - 1:]
    return rest if length is None else rest[:length]


def upper(text):
    """One to one, as Java does it (DuckDB makes the sharp s another)."""
    return ''.join(c.upper() if len(c.upper()) == 1 else c for c in text)


def texts(table):
    for w in WORDS:
        v = 'VARCHAR:' + w
        table.add('upper', [v], text_value(upper(w)))
        for f in ['lower', 'trim', 'ltrim', 'rtrim', 'reverse']:
            table.add(f, [v], text_value(ask('%s(%s)' % (f, quoted(w)))))
        table.add('length', [v], 'BIGINT:%d' % ask('length(%s)' % quoted(w)))
        for start in [-9, -2, 0, 1, 3, 20]:
            table.add('substr', [v, 'BIGINT:%d' % start],
                      text_value(trino_substr(w, start)))
            for n in [-1, 0, 1, 2, 99]:
                table.add('substring', [v, 'INTEGER:%d' % start,
                                        'BIGINT:%d' % n],
                          text_value(trino_substr(w, start, n)))
        for sub in ['', 'a', 'X', '\u00e9', 'zz']:
            s = 'VARCHAR:' + sub
            if sub:
                table.add('replace', [v, s, 'VARCHAR:--'], text_value(
                    ask('replace(%s, %s, %s)' % (quoted(w), quoted(sub),
                                                 quoted('--')))))
            at = ask('strpos(%s, %s)' % (quoted(w), quoted(sub)))
            table.add('strpos', [v, s], 'BIGINT:%d' % (at or (sub == '')))
            table.add('position', [s, v], 'BIGINT:%d' % (at or (sub == '')))
            table.add('starts_with', [v, s], 'BOOLEAN:' + str(
                ask('starts_with(%s, %s)' % (quoted(w),
                                             quoted(sub)))).lower())
            table.add('||', [v, s], text_value(w + sub))
        for n in [0, 1, 3, 10]:
            for f in ['lpad', 'rpad']:
                table.add(f, [v, 'BIGINT:%d' % n, 'VARCHAR:\u00e9-'],
                          text_value(ask("%s(%s, %d, '\u00e9-')" %
                                         (f, quoted(w), n))))
        parts = w.split('X')
        for n in range(1, 5):
            table.add('split_part', [v, 'VARCHAR:X', 'BIGINT:%d' % n],
                      text_value(parts[n - 1] if n <= len(parts) else None))
        table.add('trim', [v, 'VARCHAR:a\u00e9X '],
                  text_value(w.strip('a\u00e9X ')))
        table.add('ltrim', [v, 'VARCHAR:a\u00e9X '],
                  text_value(w.lstrip('a\u00e9X ')))
        table.add('rtrim', [v, 'VARCHAR:a\u00e9X '],
                  text_value(w.rstrip('a\u00e9X ')))
    table.add('||', ['VARCHAR:a', 'INTEGER:1'], '!TYPE_MISMATCH')
    more_texts(table)


def likes(table):
    for w in WORDS:
        v = 'VARCHAR:' + w
        for p in ['', '%', '_', 'a%', '%a', '%a%', '_%', '%X%X%', 'a_b%',
                  '%\u00e9', '_____', '%_c', 'Stra_e', '%%b_X%c', ' % % ']:
            r = ask('%s LIKE %s' % (quoted(w), quoted(p)))
            table.add('like', [v, 'VARCHAR:' + p],
                      'BOOLEAN:' + str(r).lower())
    for w, p in [('10%', '10#%'), ('10x', '10#%'), ('a_b', 'a#_b'),
                 ('axb', 'a#_b'), ('a#b', 'a##b'), ('50%off', '%#%%')]:
        r = ask("%s LIKE %s ESCAPE '#'" % (quoted(w), quoted(p)))
        table.add('like', ['VARCHAR:' + w, 'VARCHAR:' + p, 'VARCHAR:#'],
                  'BOOLEAN:' + str(r).lower())
    table.add('like', ['VARCHAR:a', 'VARCHAR:a#b', 'VARCHAR:#'],
              '!BAD_ARGUMENT')
    table.add('like', ['VARCHAR:a', 'VARCHAR:a#', 'VARCHAR:#'],
              '!BAD_ARGUMENT')
    table.add('like', ['VARCHAR:a', 'VARCHAR:a', 'VARCHAR:##'],
              '!BAD_ARGUMENT')


def more_texts(table):
    table.add('replace', ['VARCHAR:\u00e9a', 'VARCHAR:', 'VARCHAR:x'],
              'VARCHAR:x\u00e9xax')
    table.add('replace', ['VARCHAR:abab', 'VARCHAR:b'], 'VARCHAR:aa')
    table.add('strpos', ['VARCHAR:abcabc', 'VARCHAR:bc', 'BIGINT:2'],
              'BIGINT:5')
    table.add('strpos', ['VARCHAR:abcabc', 'VARCHAR:bc', 'BIGINT:-1'],
              'BIGINT:5')
    table.add('strpos', ['VARCHAR:abcabc', 'VARCHAR:bc', 'BIGINT:3'],
              'BIGINT:0')
    table.add('strpos', ['VARCHAR:a', 'VARCHAR:a', 'BIGINT:0'],
              '!BAD_ARGUMENT')
    table.add('lpad', ['VARCHAR:a', 'BIGINT:-1', 'VARCHAR:x'],
              '!BAD_ARGUMENT')
    table.add('rpad', ['VARCHAR:a', 'BIGINT:3', 'VARCHAR:'], '!BAD_ARGUMENT')
    table.add('split_part', ['VARCHAR:a', 'VARCHAR:,', 'BIGINT:0'],
              '!BAD_ARGUMENT')
    table.add('split_part', ['VARCHAR:a\u00e9c', 'VARCHAR:', 'BIGINT:2'],
              'VARCHAR:\u00e9')
    for code in [65, 0xe9, 0x20ac, 0x1f600]:
        table.add('chr', ['INTEGER:%d' % code], 'VARCHAR:' + chr(code))
        table.add('codepoint', ['VARCHAR:' + chr(code)],
                  'INTEGER:%d' % code)
    for code in [-1, 0xd800, 0x110000]:
        table.add('chr', ['BIGINT:%d' % code], '!BAD_ARGUMENT')
    table.add('codepoint', ['VARCHAR:ab'], '!BAD_ARGUMENT')
    table.add('concat', ['VARCHAR:a', 'VARCHAR:b', 'VARCHAR:c'],
              'VARCHAR:abc')
    table.add('concat', ['VARCHAR:a', 'VARCHAR'], 'VARCHAR')
    table.add('concat', ['VARBINARY:00', 'VARBINARY:ff'], 'VARBINARY:00ff')
    table.add('concat_ws', ['VARCHAR:, ', 'VARCHAR:a', 'VARCHAR',
                            'VARCHAR:b'], 'VARCHAR:a, b')
    table.add('concat_ws', ['VARCHAR', 'VARCHAR:a', 'VARCHAR:b'], 'VARCHAR')
    table.add('concat_ws', ['VARCHAR:,', 'VARCHAR'], 'VARCHAR:')
    table.add('upper', ['VARCHAR'], 'VARCHAR')
    table.add('upper', ['INTEGER:1'], '!TYPE_MISMATCH')
    table.add('upper', ['VARCHAR:a', 'VARCHAR:b'], '!ARITY')
    table.add('to_hex', ['VARBINARY:00abff'], 'VARCHAR:00ABFF')
    table.add('from_hex', ['VARCHAR:00aBff'], 'VARBINARY:00abff')
    table.add('from_hex', ['VARCHAR:0'], '!BAD_ARGUMENT')
    table.add('from_hex', ['VARCHAR:zz'], '!BAD_ARGUMENT')
    table.add('to_utf8', ['VARCHAR:\u00e9'], 'VARBINARY:c3a9')
    table.add('from_utf8', ['VARBINARY:c3a9'], 'VARCHAR:\u00e9')
    table.add('from_utf8', ['VARBINARY:61ff62'], 'VARCHAR:a\ufffdb')
    table.add('xxhash64', ['VARBINARY:'], 'VARBINARY:ef46db3751d8e999')
    table.add('length', ['VARBINARY:0000'], 'BIGINT:2')


# --- time --------------------------------------------------------------------

def time_text(value):
    if value is None:
        return None
    if isinstance(value, datetime.datetime):
        return value.strftime('%Y-%m-%d %H:%M:%S') + (
            '.%06d' % value.microsecond if value.microsecond else '')
    return value.isoformat()


def times(table):
    stamps = ['2024-02-29 23:59:59.999999', '1969-12-31 00:00:00.000001',
              '2000-01-01 12:34:56.789', '2023-03-31 06:00:00',
              '1900-12-30 01:02:03']
    fields = {'year': 'year', 'quarter': 'quarter', 'month': 'month',
              'week': 'week', 'day': 'day', 'day_of_week': 'isodow',
              'day_of_year': 'doy', 'year_of_week': 'isoyear',
              'hour': 'hour', 'minute': 'minute'}
    units = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute',
             'second']
    for s in stamps:
        ts, day = "TIMESTAMP '%s'" % s, s[:10]
        for f, part in fields.items():
            n = ask("date_part('%s', %s)" % (part, ts))
            table.add(f, ['TIMESTAMP:' + s], 'BIGINT:%d' % n)
            table.add('extract_' + f, ['TIMESTAMP_TZ:' + s + '+00:00'],
                      'BIGINT:%d' % n)
            if f not in ('hour', 'minute'):
                table.add(f, ['DATE:' + day], 'BIGINT:%d' % n)
        second = int(s[17:19])
        table.add('second', ['TIMESTAMP:' + s], 'BIGINT:%d' % second)
        for u in units:
            r = ask("date_trunc('%s', %s)::TIMESTAMP" % (u, ts))
            table.add('date_trunc', ['VARCHAR:' + u, 'TIMESTAMP:' + s],
                      'TIMESTAMP:' + time_text(r))
            for n in [-25, -1, 1, 13]:
                r = ask("%s + INTERVAL (%d) %s" % (
                    ts, n * 3 if u == 'quarter' else n,
                    'month' if u == 'quarter' else u))
                table.add('date_add', ['VARCHAR:' + u, 'INTEGER:%d' % n,
                                       'TIMESTAMP:' + s],
                          'TIMESTAMP:' + time_text(r))
            if u in ('hour', 'minute', 'second'):
                continue
            r = ask("date_trunc('%s', DATE '%s')::DATE" % (u, day))
            table.add('date_trunc', ['VARCHAR:' + u.upper(), 'DATE:' + day],
                      'DATE:' + time_text(r))
        for t in stamps:
            for u in units:
                r = ask("datesub('%s', %s, TIMESTAMP '%s')" % (u, ts, t))
                table.add('date_diff', ['VARCHAR:' + u, 'TIMESTAMP:' + s,
                                        'TIMESTAMP:' + t], 'BIGINT:%d' % r)
        table.add('last_day_of_month', ['DATE:' + day], 'DATE:' + time_text(
            ask("last_day(DATE '%s')" % day)))
        table.add('cast DATE', ['TIMESTAMP:' + s], 'DATE:' + day)
        table.add('date', ['TIMESTAMP:' + s], 'DATE:' + day)
        table.add('cast TIMESTAMP', ['DATE:' + day],
                  'TIMESTAMP:' + day + ' 00:00:00')
        table.add('cast TIMESTAMP', ['VARCHAR: ' + s], 'TIMESTAMP:' + s)
        micros = (s[20:] if '.' in s else '').ljust(6, '0')
        table.add('cast VARCHAR', ['TIMESTAMP:' + s],
                  'VARCHAR:' + s[:19] + '.' + micros)
        table.add('cast VARCHAR', ['TIMESTAMP_TZ:' + s + '+00:00'],
                  'VARCHAR:' + s[:19] + '.' + micros + ' UTC')
        table.add('cast TIME', ['TIMESTAMP:' + s], 'TIME:' + s[11:])
        table.add('cast VARCHAR', ['TIME:' + s[11:]],
                  'VARCHAR:' + s[11:19] + '.' + micros)
        table.add('cast VARCHAR', ['DATE:' + day], 'VARCHAR:' + day)
        table.add('to_unixtime', ['TIMESTAMP_TZ:' + s + '+00:00'],
                  'DOUBLE:%r' % (ask('epoch_us(%s)' % ts) / 1e6))
    for a, b, n in [('2024-01-31', '2024-02-29', 1),
                    ('2024-01-30', '2024-02-29', 1),
                    ('2023-01-31', '2023-02-27', 0),
                    ('2024-02-29', '2024-01-31', -1)]:
        assert ask("datesub('month', DATE '%s', DATE '%s')" % (a, b)) == n \
            or n == -1
        table.add('date_diff', ['VARCHAR:month', 'DATE:' + a, 'DATE:' + b],
                  'BIGINT:%d' % n)
    table.add('date_add', ['VARCHAR:month', 'INTEGER:1', 'DATE:2024-01-31'],
              'DATE:2024-02-29')
    table.add('date_add', ['VARCHAR:hour', 'INTEGER:1', 'DATE:2024-01-31'],
              '!BAD_ARGUMENT')
    table.add('date_add', ['VARCHAR:day', 'BIGINT:9223372036854775807',
                           'DATE:2024-01-31'], '!OVERFLOW')
    table.add('date_trunc', ['VARCHAR:fortnight', 'DATE:2024-01-31'],
              '!BAD_ARGUMENT')
    table.add('date_trunc', ['VARCHAR:hour', 'TIME:10:59:00'],
              'TIME:10:00:00')
    table.add('from_unixtime', ['DOUBLE:1.5'],
              'TIMESTAMP_TZ:1970-01-01 00:00:01.5+00:00')
    table.add('from_unixtime', ['DOUBLE:NaN'], '!OVERFLOW')
    table.add('cast DATE', ['VARCHAR:2023-02-29'], '!CAST')
    table.add('try DATE', ['VARCHAR:2023-02-29'], 'DATE')
    table.add('cast DATE', ['VARCHAR:2024-02-29'], 'DATE:2024-02-29')
    table.add('cast TIMESTAMP_TZ', ['VARCHAR:2024-01-01 00:00:00+02:00'],
              'TIMESTAMP_TZ:2023-12-31 22:00:00+00:00')
    table.add('cast TIMESTAMP', ['TIMESTAMP_TZ:2024-01-01 00:00:00+02:00'],
              'TIMESTAMP:2023-12-31 22:00:00')
    table.add('year', ['VARCHAR:2024-01-01'], '!TYPE_MISMATCH')
    table.add('hour', ['DATE:2024-01-01'], '!TYPE_MISMATCH')


def main():
    for path, name, makers in [
            ('expr_arith_tables.h', 'arith_cases', [arith]),
            ('expr_math_tables.h', 'math_cases', [rounding]),
            ('expr_compare_tables.h', 'compare_cases', [comparisons]),
            ('expr_cast_tables.h', 'cast_cases', [casts]),
            ('expr_text_tables.h', 'text_cases', [texts]),
            ('expr_like_tables.h', 'like_cases', [likes]),
            ('expr_time_tables.h', 'time_cases', [times])]:
        table = Table()
        for maker in makers:
            maker(table)
        table.write(path, name)


main()
