"""Jobs J and on: a SELECT over a file, against the same one in DuckDB.

A job is a Query. Its data is one CSV file that gen.c makes and the same rows
as JSON Lines and Parquet. What it must give is computed here in Python, from
the rows that Python's own reader of CSV finds, and remembered in answers.json;
both sides are held to it, value by value.
"""
import csv
import hashlib
import json
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Callable

from harness import Failure, Side
from peers import COLUMNS, DuckDB, warm

ROWS = 2_500_000
TYPES = (('id', 'BIGINT'),) + COLUMNS


@dataclass
class Query:
    """A job: the text of a query over s, and what it must give.

    kind is the form of the file: csv, jsonl or parquet. sql is run by both
    sides; theirs, if given, is what DuckDB runs instead. answer(rows) returns
    the rows of the result as tuples of text, in any order; it is given an
    iterator over the rows of the data, dictionaries of text by column, where
    NULL is None.
    """
    kind: str
    sql: str
    answer: Callable
    theirs: str = None


# Every column is read and converted, and some value of each is in the result.
ALL_COLUMNS = (
    'SELECT count(*) AS rows, sum(id) AS id, max(customer) AS customer,'
    ' sum(purchases) AS purchases, max(address) AS address,'
    ' max(updated_at) AS updated_at,'
    ' count_if(NOT is_deleted) AS is_deleted, max(status) AS status,'
    ' sum(quantity) AS quantity, max(score) AS score, max(note) AS note'
    ' FROM s')


def all_columns(rows):
    """The answer of ALL_COLUMNS."""
    sums = {'rows': 0, 'id': 0, 'quantity': 0, 'cents': 0, 'is_deleted': 0}
    most = dict.fromkeys(('customer', 'address', 'updated_at', 'status',
                          'note'), '')
    score = 0.0
    for row in rows:
        sums['rows'] += 1
        sums['id'] += int(row['id'])
        sums['quantity'] += int(row['quantity'])
        sums['cents'] += int(row['purchases'].replace('.', ''))
        sums['is_deleted'] += row['is_deleted'] == 'false'
        for name, value in most.items():
            if row[name] is not None and row[name] > value:
                most[name] = row[name]
        if row['score'] is not None:
            score = max(score, float(row['score']))
    return [(str(sums['rows']), str(sums['id']), most['customer'],
             str(Decimal(sums['cents']).scaleb(-2)), most['address'],
             most['updated_at'], str(sums['is_deleted']), most['status'],
             str(sums['quantity']), repr(score), most['note'])]


# Eight groups.
FEW_GROUPS = (
    'SELECT status, count(*) AS rows, sum(id) AS id,'
    ' sum(purchases) AS purchases, max(updated_at) AS updated_at,'
    ' min(quantity) AS quantity'
    ' FROM s GROUP BY status')


def few_groups(rows):
    """The answer of FEW_GROUPS."""
    groups = {}
    for row in rows:
        group = groups.setdefault(row['status'], [0, 0, 0, '', 1 << 62])
        group[0] += 1
        group[1] += int(row['id'])
        group[2] += int(row['purchases'].replace('.', ''))
        group[3] = max(group[3], row['updated_at'])
        group[4] = min(group[4], int(row['quantity']))
    return [(status, str(group[0]), str(group[1]),
             str(Decimal(group[2]).scaleb(-2)),
             group[3].rstrip('0').rstrip('.'), str(group[4]))
            for status, group in groups.items()]


# A fifth as many groups as rows.
MANY_GROUPS = (
    'SELECT count(*) AS customers, sum(rows * rows) AS rows,'
    ' sum(rows * quantity) AS quantity, sum(rows * id) AS id'
    ' FROM (SELECT customer, count(*) AS rows, sum(quantity) AS quantity,'
    ' max(id) AS id FROM s GROUP BY customer) AS g')


def many_groups(rows):
    """The answer of MANY_GROUPS."""
    groups = {}
    for row in rows:
        group = groups.setdefault(row['customer'], [0, 0, 0])
        group[0] += 1
        group[1] += int(row['quantity'])
        group[2] = max(group[2], int(row['id']))
    return [(str(len(groups)),) + tuple(
        str(sum(group[0] * group[i] for group in groups.values()))
        for i in range(3))]


# The latest row of each of as many customers.
LATEST = (
    'SELECT count(*) AS rows, sum(id) AS id, sum(purchases) AS purchases,'
    ' max(address) AS address, max(status) AS status,'
    ' sum(quantity) AS quantity, max(note) AS note'
    ' FROM (SELECT * FROM s QUALIFY row_number() OVER'
    ' (PARTITION BY customer ORDER BY updated_at DESC, id) = 1) AS latest')


def latest(rows):
    """The answer of LATEST."""
    kept = {}
    for row in rows:
        row['id'] = int(row['id'])
        old = kept.get(row['customer'])
        if old is None or (row['updated_at'], -row['id']) > (
                old['updated_at'], -old['id']):
            kept[row['customer']] = row
    cents = sum(int(row['purchases'].replace('.', ''))
                for row in kept.values())
    return [(str(len(kept)), str(sum(row['id'] for row in kept.values())),
             str(Decimal(cents).scaleb(-2)),
             max(row['address'] for row in kept.values()),
             max(row['status'] for row in kept.values()),
             str(sum(int(row['quantity']) for row in kept.values())),
             max(row['note'] or '' for row in kept.values()))]


QUERIES = {
    'J': Query('csv', ALL_COLUMNS, all_columns),
    'K': Query('jsonl', ALL_COLUMNS, all_columns),
    'L': Query('parquet', ALL_COLUMNS, all_columns),
    'M': Query('parquet', FEW_GROUPS, few_groups),
    'N': Query('parquet', MANY_GROUPS, many_groups),
    'O': Query('parquet', LATEST, latest),
}
JOBS = tuple(QUERIES)


def rows_of(path):
    """The rows of a CSV file of gen.c; what is empty there is NULL."""
    with open(path, newline='', encoding='utf-8') as file:
        for row in csv.DictReader(file):
            yield {name: value or None for name, value in row.items()}


class Data:
    """The file of a query in each of its forms, made when first needed."""

    def __init__(self, jobs, rows):
        self.jobs = jobs
        self.rows = rows
        self.csv = jobs.made(f'rows-{rows}.csv', 'target', '-n', rows)

    def path(self, kind):
        return {'csv': lambda: self.csv, 'jsonl': self._jsonl,
                'parquet': self._parquet}[kind]()

    def _jsonl(self):
        path = self.csv.with_suffix('.jsonl')
        if not path.exists():
            partial = path.with_suffix('.partial')
            bare = {name for name, kind in TYPES
                    if kind not in ('VARCHAR', 'TIMESTAMP')}
            with open(partial, 'w', encoding='utf-8') as file:
                for row in rows_of(self.csv):
                    file.write('{' + ','.join(
                        f'"{name}":' + ('null' if value is None else value
                                        if name in bare
                                        else json.dumps(value))
                        for name, value in row.items()) + '}\n')
            partial.rename(path)
        return warm(path)

    def _parquet(self):
        """DuckDB's file; ours if it is not to be fetched."""
        if self.jobs.options.ours_only:
            path = self.csv.with_suffix('.ours.parquet')
            command = our_command(self.jobs, 'SELECT * FROM s', 'csv',
                                  self.csv) + ['--format', 'parquet']
        else:
            duckdb = self.jobs.peer(DuckDB)
            path = self.csv.with_suffix(
                f'.{duckdb.version}-{duckdb.parquet_version}.parquet')
        if not path.exists():
            partial = path.with_suffix('.partial')
            if self.jobs.options.ours_only:
                self.jobs.bench.run(command, partial)
            else:
                self.jobs.bench.run(duckdb.load(
                    self.jobs.script, self.csv, partial, 'BIGINT'))
            partial.rename(path)
        return warm(path)

    def answer(self, query):
        """What a query must give, remembered between calls."""
        source = hashlib.sha256(Path(__file__).read_bytes() + (
            Path(__file__).with_name('gen.c').read_bytes())).hexdigest()[:16]
        key = f'{source} {self.rows} {query.answer.__name__}'
        known_path = self.jobs.data / 'answers.json'
        known = (json.loads(known_path.read_text())
                 if known_path.exists() else {})
        if key not in known:
            known[key] = sorted(query.answer(rows_of(self.csv)))
            known_path.write_text(json.dumps(known, indent=1))
        return sorted(tuple(row) for row in known[key])


def our_command(jobs, sql, kind, path):
    words = ['sql', '--threads', '2', '--bind', f's={path}', '-e', sql]
    if kind != 'parquet':
        words += ['--types', ', '.join(' '.join(column) for column in TYPES)]
    return jobs.rowmerge(*words)


def expect_answer(text, expected):
    """Compare the CSV that a query printed, which has a header."""
    lines = csv.reader(text.splitlines(keepends=True))
    next(lines, None)
    found = sorted(tuple(row) for row in lines)
    if found != expected:
        raise Failure(f'wrong result: {found[:2]}, not {expected[:2]}')


def job_sides(jobs, job, scale):
    """Our side of a query and DuckDB's."""
    query = QUERIES[job]
    data = Data(jobs, max(1000, int(ROWS * scale)))
    expected = data.answer(query)

    def side(name, command, is_ours):
        return Side(name, [command], before=lambda: None,
                    check=lambda: None,
                    answered=lambda _, text: expect_answer(text, expected),
                    is_ours=is_ours)

    def ours():
        return [side('rowmerge',
                     our_command(jobs, query.sql, query.kind,
                                 data.path(query.kind)), True)]

    def theirs():
        return side('DuckDB', jobs.peer(DuckDB).select(
            jobs.data / f'{job}.sql', query.theirs or query.sql, query.kind,
            data.path(query.kind)), False)

    return jobs.sides(ours, 'DuckDB', theirs)
