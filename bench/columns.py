"""Job H: an UPDATE of one column of fifty."""
import json
import subprocess

from harness import Failure, Side

ROWS = 5_000_000
VALUES = 49
CHANGED = 'c7'
UPDATE = 'UPDATE {name} SET {column} = {column} + 1'


def value(number):
    """A number of 27 bits, other than those before, of the row with an id."""
    return (f'(id * id % 1000003) * (id * {31 + 2 * number} + 7919)'
            ' % 134217689')


def make_table(jobs, name, rows, properties):
    """The table with `rows` rows; a gigabyte at full size."""
    table = jobs.table(name)
    ids = jobs.data / f'ids-{rows}.csv'
    if not ids.exists():
        partial = ids.with_suffix('.partial')
        with open(partial, 'w', encoding='ascii') as file:
            file.write('id\n')
            file.writelines(f'{number}\n' for number in range(rows))
        partial.rename(ids)
    columns = ', '.join(f'c{n} BIGINT' for n in range(1, VALUES + 1))
    values = ', '.join(value(n) for n in range(1, VALUES + 1))
    table.remove()
    jobs.bench.run(jobs.rowmerge(
        'sql', '-e', f'CREATE TABLE {name} (id BIGINT NOT NULL, {columns})'
        + (f' WITH ({properties})' if properties else '')))
    jobs.bench.run(jobs.rowmerge(
        'merge', '--bind', f's={ids}', '-e',
        f'INSERT INTO {name} SELECT id, {values} FROM s'))
    table.save('fresh')
    return table


def sums(command):
    """Rows, sum of ids, of the changed column and of its neighbour."""
    text = subprocess.run(command, check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    found = [0, 0, 0, 0]
    for line in text.splitlines()[1:]:
        fields = line.split(',')
        found[0] += 1
        for i in range(3):
            found[i + 1] += int(fields[i])
    return found


def our_side(jobs, side_name, name, rows, properties=''):
    table = make_table(jobs, name, rows, properties)
    look = jobs.rowmerge('cat', name, '--columns', f'id,{CHANGED},c8')
    wanted = sums(look)
    wanted[2] += rows

    def answered(_, text):
        answer = json.loads(text.splitlines()[-1])
        if answer['rows']['updated'] != rows:
            raise Failure(f"{answer['rows']['updated']} rows updated")
        label = (f"{side_name}: {answer['bytes']['copied']} bytes copied, "
                 f"{answer['bytes']['reencoded']} encoded again")
        if label not in jobs.labels:
            jobs.labels.append(label)

    def check():
        if sums(look) != wanted:
            raise Failure('the sums of the columns are not right')

    return Side(side_name,
                [jobs.rowmerge('merge', '--mode', 'copy-on-write', '-e',
                               UPDATE.format(name=name, column=CHANGED),
                               '--json')],
                before=lambda: table.put_back('fresh'), check=check,
                after=table.new_bytes, answered=answered, is_ours=True)


def our_sides(jobs, scale):
    rows = max(1000, int(ROWS * scale))
    return [our_side(jobs, 'rowmerge', 'wide', rows),
            our_side(jobs, 'rowmerge, whole files', 'wide_whole', rows,
                     "\"rowmerge.write.update.columns\" = 'all'")]


def duckdb_side(jobs, duckdb, scale):
    """DuckDB reads our data files and writes one of its own."""
    rows = max(1000, int(ROWS * scale))
    table = make_table(jobs, 'wide_source', rows, '')
    files = f'{table.path}/data/*.parquet'
    output = jobs.data / 'duckdb-wide.parquet'

    def check():
        text = subprocess.run(
            duckdb.query(jobs.script, f"SELECT count(*), sum({CHANGED}) "
                         f"FROM read_parquet('{output}')"),
            check=True, text=True, stdout=subprocess.PIPE).stdout
        before = subprocess.run(
            duckdb.query(jobs.script, f"SELECT count(*), sum({CHANGED}) + "
                         f"count(*) FROM read_parquet('{files}')"),
            check=True, text=True, stdout=subprocess.PIPE).stdout
        if text.splitlines()[1:] != before.splitlines()[1:]:
            raise Failure('DuckDB has other sums')

    return Side('DuckDB',
                [duckdb.update(jobs.data / 'update.sql', files, CHANGED,
                               output)],
                before=lambda: output.unlink(missing_ok=True), check=check,
                after=lambda: output.stat().st_size)
