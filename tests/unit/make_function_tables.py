#!/usr/bin/env python3
"""Writes expr_function_tables.h: random calls of functions with the results
that DuckDB gives where its functions mean what Trino's do.

DuckDB has RE2 for regular expressions and ICU for time zones; only patterns
that all know are drawn. Usage: make_function_tables.py, in this folder.
"""
import random

import duckdb


def c_string(text):
    out = ''
    for byte in text.encode('utf-8'):
        char = chr(byte)
        plain = 32 <= byte < 127 and char not in '"\\'
        out += char if plain else '\\%03o' % byte
    return '"' + out + '"'


TEXTS = ['', 'abc', 'aabbcc', 'ab1c22', 'The quick brown fox', 'x=1;y=22;z',
         '\u00e4\u00f6\u00fc Stra\u00dfe', 'aXbXc', '2024-01-31', '  pad  ']
PATTERNS = ['a', 'b+', '[a-c]+', '\\d+', '(\\w)(\\d)', '^a', 'c$', 'x|y',
            '[^a]', '\\s+', '(a|b)c?', 'o.', '\u00e4|\u00f6', '(\\w+)=(\\d+)']
ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Asia/Tokyo',
         'Australia/Sydney', 'America/Sao_Paulo']
FORMATS = ['%Y-%m-%d', '%d.%m.%y', '%H:%i:%s', '%Y%m%d%H', '%j %Y', '%a %b',
           '%W, %d %M %Y', '%I %p']
DUCK_FORMAT = {'%i': '%M', '%s': '%S', '%W': '%A', '%M': '%B'}


def duck_format(pattern):
    out = ''
    at = 0
    while at < len(pattern):
        item = pattern[at:at + 2]
        if item.startswith('%'):
            out += DUCK_FORMAT.get(item, item)
            at += 2
        else:
            out += pattern[at]
            at += 1
    return out


def main():
    draw = random.Random(7)
    engine = duckdb.connect()
    engine.execute("SET TimeZone = 'UTC'")
    rows = []

    def ask(sql, *args):
        return engine.execute('SELECT ' + sql, args).fetchone()[0]

    def add(name, args, type_name, value):
        if value is None:
            expected = type_name
        elif isinstance(value, bool):
            expected = '%s:%s' % (type_name, str(value).lower())
        else:
            expected = '%s:%s' % (type_name, value)
        rows.append((name, args, expected))

    def text(value):
        return 'VARCHAR:' + value

    for pattern in PATTERNS:
        for value in draw.sample(TEXTS, 5):
            args = [text(value), text(pattern)]
            add('regexp_like', args, 'BOOLEAN',
                ask('regexp_matches(?, ?)', value, pattern))
            add('regexp_replace', args + [text('<->')], 'VARCHAR',
                ask("regexp_replace(?, ?, '<->', 'g')", value, pattern))
            found = ask('regexp_extract_all(?, ?)', value, pattern)
            add('regexp_count', args, 'BIGINT', len(found))
            add('regexp_extract', args, 'VARCHAR',
                found[0] if found else None)
    for _ in range(40):
        a, b = draw.choice(TEXTS), draw.choice(TEXTS)
        if (a + b).isascii():  # DuckDB counts bytes
            add('levenshtein_distance', [text(a), text(b)], 'BIGINT',
                ask('levenshtein(?, ?)', a, b))
        n = draw.randint(-12, 12)
        for side in ('left', 'right'):
            add(side, [text(a), 'BIGINT:%d' % n], 'VARCHAR',
                ask(side + '(?, ?)', a, n))
        x, y = draw.randint(-2**40, 2**40), draw.randint(-2**40, 2**40)
        for name, operator in (('and', '&'), ('or', '|')):
            add('bitwise_' + name, ['BIGINT:%d' % x, 'BIGINT:%d' % y],
                'BIGINT', ask('?::BIGINT %s ?::BIGINT' % operator, x, y))
        add('bitwise_xor', ['BIGINT:%d' % x, 'BIGINT:%d' % y], 'BIGINT',
            ask('xor(?::BIGINT, ?::BIGINT)', x, y))
        base = draw.choice([2, 3, 8, 16, 36])
        add('to_base', ['BIGINT:%d' % abs(x), 'BIGINT:%d' % base], 'VARCHAR',
            ask('lower(to_base(?, ?))', abs(x), base))
    for _ in range(60):
        stamp = '%04d-%02d-%02d %02d:%02d:%02d' % (
            draw.randint(1920, 2150), draw.randint(1, 12),
            draw.randint(1, 28), draw.randint(0, 23), draw.randint(0, 59),
            draw.randint(0, 59))
        pattern = draw.choice(FORMATS)
        add('date_format', ['TIMESTAMP:' + stamp, text(pattern)], 'VARCHAR',
            ask('strftime(?::TIMESTAMP, ?)', stamp, duck_format(pattern)))
        zone = draw.choice(ZONES)
        local = ask("(TIMESTAMPTZ '%s+00' AT TIME ZONE '%s')::VARCHAR"
                    % (stamp, zone))
        if int(stamp[:4]) < 2037:  # ICU knows no later changes
            add('with_timezone', ['TIMESTAMP:' + local, text(zone)],
                'TIMESTAMP_TZ',
                ask("((TIMESTAMP '%s' AT TIME ZONE '%s') AT TIME ZONE 'UTC')"
                    '::VARCHAR' % (local, zone)) + '+00:00')
    with open('expr_function_tables.h', 'w') as out:
        out.write('/* Made by make_function_tables.py; DuckDB %s. */\n'
                  % duckdb.__version__)
        out.write('static const struct expr_case drawn_cases[] = {\n')
        for name, args, expected in rows:
            out.write('{ "%s", { %s },\n  %s },\n' % (
                name, ',\n  '.join(c_string(a) for a in args),
                c_string(expected)))
        out.write('};\n')
    print(len(rows))


if __name__ == '__main__':
    main()
