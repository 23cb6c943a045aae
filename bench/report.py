"""The tables that a benchmark prints, in Markdown."""
import platform
import statistics
import time

MIB = 2 ** 20

# What must hold, per job and side: ratio of the wall times.
WALL_LIMIT = {
    ('A', 'rowmerge'): 0.60,
    ('B', 'rowmerge merge-on-read'): 0.20,
    ('B', 'rowmerge copy-on-write'): 0.60,
    ('C', 'rowmerge'): 0.50,
    ('D', 'rowmerge'): 1.2,
    ('E', 'rowmerge'): 0.90,
    ('F', 'rowmerge'): 1.5,
    ('G', 'rowmerge'): 0.25,
    ('J', 'rowmerge'): 0.50,
    ('K', 'rowmerge'): 1.0,
    ('L', 'rowmerge'): 1.0,
    ('M', 'rowmerge'): 1.0,
    ('N', 'rowmerge'): 1.0,
    ('O', 'rowmerge'): 1.0,
}
# What else must hold: job, side, words, kind of measure, limit.
CONDITIONS = (
    ('A', 'rowmerge', 'CPU time, ratio', 'cpu', 0.5),
    ('A', 'rowmerge', 'peak memory, MiB', 'peak', 200),
    ('A', 'rowmerge', 'size of the files, ratio', 'bytes', 1.0),
    ('B', 'rowmerge merge-on-read', 'bytes written, ratio', 'bytes', 0.15),
    ('B', 'rowmerge merge-on-read', 'peak memory, MiB', 'peak', 300),
    ('C', 'rowmerge', 'peak memory, MiB', 'peak', 100),
    ('D', 'rowmerge', 'peak memory, MiB', 'peak', 30),
    ('E', 'rowmerge', 'peak memory, MiB', 'peak', 150),
    ('E', 'rowmerge after B', 'time against the fresh table, ratio',
     'fresh', 1.2),
    ('F', 'rowmerge', 'last ten merges against the first ten, ratio',
     'curve', 1.3),
    ('I', 'rowmerge, ten times the days', 'time against one year, ratio',
     'fresh', 1.1),
)
START_LIMIT_SECONDS = 0.003
FULL_ROWS = 10_000_000


def median_ratio(ours, theirs, value=lambda sample: sample.wall):
    """The median of the ratios of runs made in the same turn."""
    return statistics.median(value(a) / value(b)
                             for a, b in zip(ours.samples, theirs.samples))


def verdict(measured, limit, is_full):
    if not is_full:
        return ''
    return 'ok' if measured <= limit else 'MISS'


def curve(side):
    """Wall time of each merge in turn: the median over the runs."""
    return [statistics.median(walls)
            for walls in zip(*(sample.walls for sample in side.samples))]


def last_against_first(side):
    walls = curve(side)
    tenth = min(10, len(walls))
    return statistics.median(walls[-tenth:]) / statistics.median(
        walls[:tenth])


def side_lines(job, sides, is_full):
    peer = next((side for side in sides if not side.is_ours), None)
    for side in sides:
        if side.failure:
            yield [job, side.name, '', '', '', '', '', '', 'WRONG']
            continue
        ratio = limit = word = ''
        if side.is_ours and peer and peer.is_right:
            measured = median_ratio(side, peer)
            ratio = f'{measured:.3f}'
            if (job, side.name) in WALL_LIMIT:
                limit = WALL_LIMIT[job, side.name]
                word = verdict(measured, limit, is_full)
                limit = f'≤ {limit:.2f}'
        yield [job, side.name,
               f'{side.median(lambda sample: sample.wall):.3f}',
               f'{side.median(lambda sample: sample.cpu):.3f}',
               f'{side.median(lambda sample: sample.peak_bytes) / MIB:.1f}',
               f'{side.median(lambda s: s.written_bytes) / MIB:.2f}',
               ratio, limit, word]


def measured_condition(side, peer, fresh, kind):
    """The measured value of a condition, or None if a side of it lacks."""
    if kind == 'peak':
        return side.median(lambda sample: sample.peak_bytes) / MIB
    if kind == 'curve':
        return last_against_first(side)
    if kind == 'fresh':
        return (median_ratio(side, fresh)
                if fresh and fresh.is_right else None)
    if not peer or not peer.is_right:
        return None
    if kind == 'cpu':
        return median_ratio(side, peer, lambda sample: sample.cpu)
    return median_ratio(side, peer, lambda sample: sample.written_bytes)


def condition_lines(results, start_seconds, is_full):
    for job, name, words, kind, limit in CONDITIONS:
        sides = results.get(job, ())
        side = next((side for side in sides if side.name == name), None)
        if not side or not side.is_right:
            continue
        peer = next((side for side in sides if not side.is_ours), None)
        value = measured_condition(side, peer, sides[0], kind)
        if value is not None:
            yield [job, f'{name}: {words}', f'{value:.3g}', f'≤ {limit:g}',
                   verdict(value, limit, is_full)]
    if start_seconds is not None:
        yield ['start', 'rowmerge --version, ms',
               f'{start_seconds * 1000:.2f}',
               f'≤ {START_LIMIT_SECONDS * 1000:g}',
               verdict(start_seconds, START_LIMIT_SECONDS, True)]


def curve_lines(sides):
    curves = [curve(side) for side in sides]
    count = len(curves[0])
    tenth = min(10, count)
    for words, part in (('first ten, median', slice(0, tenth)),
                        ('last ten, median', slice(-tenth, None))):
        yield [words] + [f'{statistics.median(walls[part]) * 1000:.2f}'
                         for walls in curves]
    for at in [0] + list(range(9, count, 10)):
        yield [str(at + 1)] + [f'{walls[at] * 1000:.2f}' for walls in curves]


def table(head, lines, left=2):
    """A Markdown table; the first columns are set left, the rest right."""
    lines = [head] + list(lines)
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]

    def row(cells):
        return '| ' + ' | '.join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths))) + ' |'

    rule = '|' + '|'.join(
        '-' * (width + 2) if i < left else '-' * (width + 1) + ':'
        for i, width in enumerate(widths)) + '|'
    return '\n'.join([row(lines[0]), rule] + [row(line)
                                              for line in lines[1:]])


def processor():
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        for line in file:
            if line.startswith('model name'):
                return line.split(':', 1)[1].strip()
    return platform.machine()


def full_report(results, start_seconds, rows, runs, labels):
    """All of it: what was measured with what, and the tables."""
    is_full = rows == FULL_ROWS
    parts = ['# Benchmark results\n',
             f'{rows:,} rows, the median of {runs} runs in turn, '
             f'{time.strftime("%Y-%m-%d")}, two cores of {processor()}.\n',
             '\n'.join(f'- {label}' for label in labels) + '\n']
    lines = [line for job, sides in sorted(results.items())
             for line in side_lines(job, sides, is_full)]
    if lines:
        parts.append(table(
            ['job', 'who', 'wall s', 'CPU s', 'peak MiB', 'written MiB',
             'wall ratio', 'target', ''], lines) + '\n')
    lines = list(condition_lines(results, start_seconds, is_full))
    if lines:
        parts.append(table(['job', 'condition', 'measured', 'target', ''],
                           lines) + '\n')
    sides = [side for side in results.get('F', ()) if side.is_right]
    if sides:
        parts.append('Job F, one merge after another, ms a merge:\n')
        parts.append(table(['merge'] + [side.name for side in sides],
                           curve_lines(sides), left=1) + '\n')
    failures = [(job, side) for job, sides in sorted(results.items())
                for side in sides if side.failure]
    if failures:
        parts.append('Wrong or failed:\n')
        for job, side in failures:
            text = side.failure.replace('\n', '\n      ')
            parts.append(f'- {job}, {side.name}:\n\n      {text}\n')
    if not is_full:
        parts.append(f'Targets hold for {FULL_ROWS:,} rows only.\n')
    return '\n'.join(parts)
