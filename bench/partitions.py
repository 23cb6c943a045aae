"""Job I: a merge into the newest of many days."""
import json
import subprocess
from datetime import date, timedelta

from harness import Failure, Side

DAYS = 365
DAY_ROWS = 1000
NEWEST_ROWS = 20_000
MERGED_ROWS = 10_000
NEWEST_DAY = date(2026, 1, 1)

CREATE = ('CREATE TABLE {name} (id BIGINT NOT NULL, day DATE NOT NULL,'
          ' amount DECIMAL(18,2), note VARCHAR, PRIMARY KEY (id, day))'
          ' PARTITIONED BY (day)')
MERGE = ('MERGE INTO {name} t USING s ON t.id = s.id AND t.day = s.day'
         ' WHEN MATCHED THEN UPDATE SET *'
         ' WHEN NOT MATCHED THEN INSERT *')


def day_rows(day_number, days):
    """The rows of one day, counted from the oldest."""
    day = NEWEST_DAY - timedelta(days=days - 1 - day_number)
    newest = day_number == days - 1
    for i in range(NEWEST_ROWS if newest else DAY_ROWS):
        number = (days - 1 - day_number) * NEWEST_ROWS + i
        yield (f'{number},{day},{number % 9973}.{number % 100:02},'
               f'note {number % 317}')


def merged_rows():
    """Every second row of the newest day, with another amount."""
    for i in range(0, 2 * MERGED_ROWS, 2):
        yield f'{i},{NEWEST_DAY},{i % 997}.50,merged'


def write_rows(path, rows):
    if not path.exists():
        partial = path.with_suffix('.partial')
        with open(partial, 'w', encoding='ascii') as file:
            file.write('id,day,amount,note\n')
            file.writelines(row + '\n' for row in rows)
        partial.rename(path)
    return path


def job_sides(jobs, scale):
    """A side for a year of days and one for ten times as many."""
    days = max(20, int(DAYS * scale))
    return [one_side(jobs, 'rowmerge', days),
            one_side(jobs, 'rowmerge, ten times the days', 10 * days)]


def one_side(jobs, side_name, days):
    csv = write_rows(jobs.data / f'days-{days}.csv',
                     (row for number in range(days)
                      for row in day_rows(number, days)))
    batch = write_rows(jobs.data / 'days-batch.csv', merged_rows())
    name = f'days_{days}'
    table = jobs.table(name)
    table.remove()
    jobs.bench.run(jobs.rowmerge('sql', '-e', CREATE.format(name=name)))
    jobs.bench.run(jobs.rowmerge('load', name, csv))
    table.save('fresh')

    def answered(_, text):
        answer = json.loads(text.splitlines()[-1])
        found = (answer['rows']['updated'], answer['rows']['inserted'],
                 answer['files']['scanned'])
        if found != (MERGED_ROWS, 0, 1):
            raise Failure(f'updated, inserted and files scanned are {found}')

    def check():
        """The newest day and the one before it are as they must be."""
        merged = {row.split(',')[0]: row for row in merged_rows()}
        expected = {row.split(',')[0]: row for number in (days - 2, days - 1)
                    for row in day_rows(number, days)}
        expected.update(merged)
        before = NEWEST_DAY - timedelta(days=1)
        text = subprocess.run(
            jobs.rowmerge('cat', name, '--format', 'csv', '--where',
                          f"day >= DATE '{before}'"),
            check=True, text=True, stdout=subprocess.PIPE).stdout
        if sorted(text.splitlines()[1:]) != sorted(expected.values()):
            raise Failure('the rows of the last two days are not right')

    return Side(side_name,
                [jobs.rowmerge('merge', '--bind', f's={batch}', '-e',
                               MERGE.format(name=name), '--json')],
                before=lambda: table.put_back('fresh'), check=check,
                after=table.new_bytes, answered=answered, is_ours=True)
