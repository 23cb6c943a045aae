"""CSV records of both programs as multisets, compared by typed value."""
from collections import Counter

import values


def split_records(data):
    """Records of CSV bytes, each as bytes without its line end."""
    lines = data.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    if b'"' not in data:
        return lines
    records, part = [], None
    for line in lines:
        part = line if part is None else part + b"\n" + line
        if part.count(b'"') % 2 == 0:
            records.append(part)
            part = None
    if part is not None:
        raise ValueError("a quote is left open: %r" % part[:80])
    return records


def parse_record(record):
    """Fields; a bare empty one is None."""
    text = record.decode("utf-8")
    fields, i = [], 0
    while True:
        if text.startswith('"', i):
            i += 1
            parts = []
            while True:
                end = text.index('"', i)
                parts.append(text[i:end])
                i = end + 1
                if not text.startswith('"', i):
                    break
                parts.append('"')
                i += 1
            fields.append("".join(parts))
        else:
            end = text.find(",", i)
            end = len(text) if end < 0 else end
            fields.append(text[i:end] if end > i else None)
            i = end
        if i >= len(text):
            return fields
        if text[i] != ",":
            raise ValueError("bad record %r" % text)
        i += 1


def typed(columns, counts):
    """Records with their counts, by value."""
    out = Counter()
    for record, count in counts.items():
        fields = parse_record(record)
        if len(fields) != len(columns):
            raise ValueError("%d fields, not %d: %r"
                             % (len(fields), len(columns), record))
        out[tuple(values.comparable(c.type, f)
                  for c, f in zip(columns, fields))] += count
    return out


def difference(columns, wanted, got):
    """'' if both hold the same rows, else what is missing and surplus."""
    if sorted(wanted) == sorted(got):
        return ""
    wanted, got = Counter(wanted), Counter(got)
    left, right = typed(columns, wanted - got), typed(columns, got - wanted)
    missing, surplus = left - right, right - left
    if not missing and not surplus:
        return ""
    text = "%d rows missing, %d surplus" % (sum(missing.values()),
                                            sum(surplus.values()))
    for name, rows in (("missing", missing), ("surplus", surplus)):
        for row, count in list(rows.items())[:5]:
            text += "\n  %s %d x %r" % (name, count, row)
    return text
