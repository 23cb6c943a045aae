"""The programs that rowmerge is measured against, and how they do the jobs.

Each peer gets the settings with which it was fastest on two cores and still
right; README says which were tried.
"""
import os
import platform
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent
HOME = BENCH / '.peers'

DUCKDB_PACKAGE = '@duckdb/node-bindings-linux-{arch}'
DUCKDB_VERSION = '1.5.5-r.4'
POLARS_VERSION = '2.1.0'

COLUMNS = (
    ('customer', 'VARCHAR'), ('purchases', 'DECIMAL(18,2)'),
    ('address', 'VARCHAR'), ('updated_at', 'TIMESTAMP'),
    ('is_deleted', 'BOOLEAN'), ('status', 'VARCHAR'),
    ('quantity', 'INTEGER'), ('score', 'DOUBLE'), ('note', 'VARCHAR'))

# Its files are synced before a merge counts as done, as ours are.
SQLITE_PRAGMAS = ('synchronous=FULL', 'journal_mode=PERSIST')


def say(text):
    print(text, file=sys.stderr, flush=True)


def warm(path):
    """Read a file, so that every run finds it in memory."""
    with open(path, 'rb', buffering=0) as file:
        while file.read(1 << 20):
            pass
    return path


def compiler():
    return shlex.split(os.environ.get('CC', 'cc'))


def compile_tool(folder, name, sources, flags=()):
    """Build one of the C programs here, if it is older than its sources."""
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / name
    paths = [BENCH / source for source in sources]
    newest = max(path.stat().st_mtime
                 for path in paths + [BENCH / 'csv_rows.h'])
    if not output.exists() or output.stat().st_mtime <= newest:
        subprocess.run(
            compiler() + ['-O2', '-std=c11', '-D_GNU_SOURCE',
                          '-o', str(output)] +
            [str(path) for path in paths] + list(flags), check=True)
    return output


def fetch_once(home, what, *commands):
    """Bring a package into a folder of its own, unless it is all there."""
    if (home / 'complete').exists():
        return
    say(f'bench: fetching {what}')
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    for command in commands:
        subprocess.run(command, cwd=home, check=True, stdout=sys.stderr)
    (home / 'complete').touch()


def first_line(command):
    return subprocess.run(command, check=True, text=True,
                          stdout=subprocess.PIPE).stdout.split('\n')[0]


class DuckDB:
    """DuckDB with Parquet files as tables; every statement is a process."""

    name = 'DuckDB'

    def __init__(self, parquet_v2=False):
        arch = {'x86_64': 'x64', 'aarch64': 'arm64'}[platform.machine()]
        package = DUCKDB_PACKAGE.format(arch=arch)
        home = HOME / f'duckdb-{DUCKDB_VERSION}'
        fetch_once(home, f'{package} {DUCKDB_VERSION}',
                   ['npm', 'install', '--prefix', '.', '--silent',
                    '--no-audit', '--no-fund', '--ignore-scripts',
                    f'{package}@{DUCKDB_VERSION}'])
        library = home / 'node_modules' / package
        self.program = compile_tool(
            home, 'peer_duckdb', ['peer_duckdb.c'],
            [str(library / 'libduckdb.so'), f'-Wl,-rpath,{library}'])
        self.version = first_line([self.program, '--version'])
        self.parquet_version = 'V2' if parquet_v2 else 'V1'
        self.settings = ('SET threads = 2;\n'
                         'SET preserve_insertion_order = false;\n')

    def label(self):
        return (f'DuckDB {self.version}, Parquet {self.parquet_version}, '
                'zstd level 1, threads 2, preserve_insertion_order false')

    @staticmethod
    def _columns(key_type):
        return '{' + ', '.join(f"'{name}': '{kind}'" for name, kind
                               in (('id', key_type),) + COLUMNS) + '}'

    def _csv(self, path, key_type):
        return (f"read_csv('{path}', auto_detect = false, header = true, "
                f"delim = ',', quote = '\"', escape = '\"', "
                f'columns = {self._columns(key_type)})')

    def _copy(self, query, output):
        return (f"{self.settings}COPY ({query})\nTO '{output}' "
                f'(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, '
                f'PARQUET_VERSION {self.parquet_version});\n')

    def _command(self, script, sql):
        script.write_text(sql)
        return [str(self.program), str(script)]

    def load(self, script, csv, output, key_type):
        return self._command(script, self._copy(
            f'FROM {self._csv(csv, key_type)}', output))

    def merge(self, script, table, csv, output, key_type):
        """Rewrite the table: the rows the batch lacks, then the batch.

        A deleted row of the batch that matches nothing is inserted, as MERGE
        does it, hence the third part.
        """
        batch = self._csv(csv, key_type)
        return self._command(script, self._copy(f"""
WITH s AS NOT MATERIALIZED (FROM {batch})
SELECT t.* FROM read_parquet('{table}') t ANTI JOIN s ON t.id = s.id
UNION ALL
SELECT * FROM s WHERE is_deleted IS NOT TRUE
UNION ALL
(SELECT d.* FROM (FROM s WHERE is_deleted) d
 ANTI JOIN read_parquet('{table}') t ON t.id = d.id)""", output))

    def update(self, script, files, column, output):
        """Rewrite Parquet files with one column changed."""
        return self._command(script, self._copy(
            f'SELECT * REPLACE ({column} + 1 AS {column}) '
            f"FROM read_parquet('{files}')", output))

    def query(self, script, sql):
        return self._command(script, (
            f"{self.settings}COPY ({sql}) TO '/dev/stdout' "
            '(FORMAT csv, HEADER);\n'))

    def select(self, script, sql, kind, path):
        """A query over s, a file of the kind csv, jsonl or parquet."""
        source = {
            'csv': self._csv(path, 'BIGINT'),
            'jsonl': f"read_json('{path}', format = 'newline_delimited', "
                     f"columns = {self._columns('BIGINT')})",
            'parquet': f"read_parquet('{path}')"}[kind]
        return self.query(script,
                          f'WITH s AS NOT MATERIALIZED (FROM {source})\n{sql}')

    def export(self, script, table):
        return self._command(script, (
            f"{self.settings}COPY (FROM read_parquet('{table}')) "
            f"TO '/dev/stdout' (FORMAT csv, HEADER);\n"))


class SQLite:
    """SQLite with an INTEGER PRIMARY KEY table, prepared statements."""

    name = 'SQLite'

    def __init__(self):
        if not self._compiles():
            say('bench: installing libsqlite3-dev')
            subprocess.run(['apt-get', 'install', '-y', '-q',
                            'libsqlite3-dev'], check=True, stdout=sys.stderr)
        self.program = compile_tool(
            HOME / 'sqlite', 'peer_sqlite', ['peer_sqlite.c', 'csv_rows.c'],
            ['-lsqlite3'])
        self.version = first_line([self.program, '--version'])

    @staticmethod
    def _compiles():
        return subprocess.run(
            compiler() + ['-E', '-x', 'c', '-'], text=True,
            input='#include <sqlite3.h>\n', stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL).returncode == 0

    def label(self):
        return f'SQLite {self.version}, ' + ', '.join(SQLITE_PRAGMAS)

    def _command(self, pragmas, *args):
        options = [word for pragma in pragmas for word in ('-p', pragma)]
        return [str(self.program)] + options + [str(arg) for arg in args]

    def load(self, database, csv):
        """Make the table that merges start from; not measured."""
        return self._command(('synchronous=OFF', 'journal_mode=OFF'),
                             'load', database, csv)

    def merge(self, database, csv):
        return self._command(SQLITE_PRAGMAS, 'merge', database, csv)

    def export(self, database):
        return self._command((), 'export', database)


class Polars:
    """polars, from its own virtual environment."""

    name = 'polars'

    def __init__(self):
        home = HOME / f'polars-{POLARS_VERSION}'
        self.python = home / 'bin' / 'python'
        fetch_once(home, f'polars {POLARS_VERSION}',
                   [sys.executable, '-m', 'venv', '.'],
                   [str(self.python), '-m', 'pip', 'install', '-q',
                    f'polars=={POLARS_VERSION}'])

    def label(self):
        return (f'polars {POLARS_VERSION}, scan_parquet and sink_csv, '
                'POLARS_MAX_THREADS 2')

    def export(self, table, output):
        return ['env', 'POLARS_MAX_THREADS=2', str(self.python), '-I',
                str(BENCH / 'peer_polars.py'), str(table), str(output)]
