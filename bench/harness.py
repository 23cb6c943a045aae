"""Measuring processes in turn, and keeping tables that can be put back."""
import json
import os
import shutil
import signal
import statistics
import subprocess
import time
from pathlib import Path

from peers import say

RUN_TIMEOUT_SECONDS = 900
REST_SECONDS = 65
TRASH = '.trash'
ERROR_LINES = 12


class Failure(Exception):
    """A run that did not do its job; the message says how."""


class Sample:
    """What one run cost. A run may be a row of processes."""

    def __init__(self):
        self.walls = []
        self.cpu = 0.0
        self.peak_bytes = 0
        self.written_bytes = 0

    def add(self, line):
        self.walls.append(line['wall'])
        self.cpu += line['cpu']
        self.peak_bytes = max(self.peak_bytes, line['peak_bytes'])
        self.written_bytes += line['written_bytes']

    @property
    def wall(self):
        return sum(self.walls)


class Side:
    """One contender in a job: what it runs and how its result is judged.

    Three hooks may be given: before(), run before each run and not measured;
    after(), returning the bytes written, or None for what the process itself
    has written; and check(), run after the last run, raising Failure.
    answered(number, text), if given, sees what each process printed.
    """

    def __init__(self, name, commands, before, check, after=None,
                 output=None, answered=None, is_ours=False):
        self.name = name
        self.commands = commands
        self.before = before
        self.check = check
        self.after = after
        self.output = output
        self.answered = answered
        self.is_ours = is_ours
        self.samples = []
        self.failure = None

    def median(self, value):
        return statistics.median(value(sample) for sample in self.samples)

    @property
    def is_right(self):
        return self.failure is None and bool(self.samples)


class Bench:
    """Where the files are, and how a process is run."""

    def __init__(self, data, measure, digest):
        self.data = data
        self.measure = measure
        self.digest = digest
        self.report = data / 'measure.json'
        self.stderr = data / 'stderr'
        self.stdout = data / 'stdout'

    def run(self, command, output=None, count=1):
        """Run a command count times; the lines that measure wrote."""
        with open(self.stderr, 'wb') as stderr:
            process = subprocess.Popen(
                [str(self.measure), '-n', str(count), '-o',
                 str(output or self.stdout), str(self.report)] +
                [str(word) for word in command],
                stdin=subprocess.DEVNULL, stderr=stderr, cwd=self.data,
                start_new_session=True)
            try:
                process.wait(RUN_TIMEOUT_SECONDS * count)
            except BaseException as error:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                if not isinstance(error, subprocess.TimeoutExpired):
                    raise
                raise Failure(f'{command[0]}: no end after '
                              f'{RUN_TIMEOUT_SECONDS} s') from None
        if process.returncode:
            raise Failure(self._last_words(command, 'cannot be run'))
        lines = [json.loads(line)
                 for line in self.report.read_text().splitlines()]
        for line in lines:
            if line['status']:
                raise Failure(self._last_words(
                    command, f"exit status {line['status']}"))
        return lines

    def _last_words(self, command, what):
        text = self.stderr.read_text(errors='replace')
        return '\n'.join([f'{Path(command[0]).name}: {what}'] +
                         text.splitlines()[-ERROR_LINES:])

    def digest_of(self, exporting):
        """The digest of the CSV that a command writes."""
        with open(self.stderr, 'wb') as stderr:
            export = subprocess.Popen(
                [str(word) for word in exporting], stdout=subprocess.PIPE,
                stdin=subprocess.DEVNULL, stderr=stderr, cwd=self.data)
            digest = subprocess.run([str(self.digest), '-'],
                                    stdin=export.stdout, text=True,
                                    stdout=subprocess.PIPE, stderr=stderr)
            export.stdout.close()
            status = export.wait()
        if status or digest.returncode:
            raise Failure(self._last_words(exporting, 'exporting the result'))
        return json.loads(digest.stdout)

    def digest_of_files(self, *paths):
        """The digest of a table file, after merging batch files into it."""
        return json.loads(subprocess.run(
            [str(self.digest)] + [str(path) for path in paths], check=True,
            text=True, stdout=subprocess.PIPE).stdout)

    def in_turn(self, job, sides, runs):
        """Run the sides one after another, runs times."""
        for number in range(1, runs + 1):
            for side in sides:
                if side.failure:
                    continue
                try:
                    self._run_side(side)
                    if number == runs:
                        side.check()
                except Failure as error:
                    side.failure = str(error)
                    say(f'bench: {job} {side.name}: {error}')
                    continue
                sample = side.samples[-1]
                say(f'bench: {job} run {number} {side.name}: '
                    f'{sample.wall:.3f} s, CPU {sample.cpu:.3f} s, '
                    f'peak {sample.peak_bytes / 2**20:.0f} MiB')
        return sides

    def _run_side(self, side):
        side.before()
        os.sync()
        sample = Sample()
        for number, command in enumerate(side.commands):
            sample.add(self.run(command, side.output)[0])
            if side.answered:
                side.answered(number, self.stdout.read_text())
        if side.after:
            sample.written_bytes = side.after()
        side.samples.append(sample)


def expect_digest(expected, found):
    """Compare all but the counts of the batches."""
    for name, value in expected.items():
        if name != 'batches' and found[name] != value:
            raise Failure(f'wrong result: {name} is {found[name]}, '
                          f'not {value}')


def empty_trash(data):
    """Remove what Table has set aside."""
    for folder in ('warehouse', 'saved'):
        shutil.rmtree(data / folder / TRASH, ignore_errors=True)


def let_disk_rest():
    """Wait until ext4 has forgotten the files that earlier jobs removed.

    Without a journal it looks past an inode for a minute after it was freed,
    for six while its block is not yet written (recently_deleted() in its
    ialloc.c), so that a job of many small files would pay for the jobs before.
    """
    say('bench: letting the disk rest for a minute')
    os.sync()
    time.sleep(REST_SECONDS)


class Table:
    """A table directory of ours, whose states can be saved and put back.

    A table records its own path and refuses to be written elsewhere, so a
    state is put back at the very same place. Data files never change and are
    shared by hard links, all else is copied. What was there is removed only
    when the job is done: ext4 without a journal looks past every inode that
    was freed in the last minute whenever it makes a file, so that a run would
    pay for the files of the run before.
    """

    def __init__(self, warehouse, saved, name):
        self.warehouse = warehouse
        self.name = name
        self.path = warehouse / name
        self._saved = saved
        self._before = {}

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)

    def save(self, state):
        self._copy(self.path, self._saved / f'{self.name}-{state}')

    def put_back(self, state):
        self._copy(self._saved / f'{self.name}-{state}', self.path)
        self.mark()

    @staticmethod
    def _copy(source, target):
        def copy_file(from_path, to_path):
            if Path(from_path).relative_to(source).parts[0] == 'data':
                os.link(from_path, to_path)
            else:
                shutil.copy2(from_path, to_path)

        Table._set_aside(target)
        shutil.copytree(source, target, copy_function=copy_file)

    @staticmethod
    def _set_aside(path):
        """Out of the way for now; empty_trash() removes it."""
        if not path.exists():
            return
        trash = path.parent / TRASH
        trash.mkdir(exist_ok=True)
        path.rename(trash / str(time.monotonic_ns()))

    def _files(self):
        found = {}
        for folder, _, names in os.walk(self.path):
            for name in names:
                stat = os.stat(os.path.join(folder, name))
                found[os.path.join(folder, name)] = (
                    stat.st_ino, stat.st_mtime_ns, stat.st_size)
        return found

    def mark(self):
        """Remember the files that are there, for new_bytes()."""
        self._before = self._files()

    def new_bytes(self):
        """The size of the files that are new or have changed since mark()."""
        return sum(entry[2] for path, entry in self._files().items()
                   if self._before.get(path) != entry)
