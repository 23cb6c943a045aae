"""The footer of a Parquet file: rows, row groups, schema, key/value pairs.

Pages are not read, since they are compressed by zstd. Of the Thrift structs
only what is used has a name; others are dictionaries by field number.
"""
import struct

from avro import Bad, Input

MAGIC = b"PAR1"


class Thrift(Input):
    """The compact protocol."""

    def varint(self):
        value, shift = 0, 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7f) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise Bad("a varint is too long")

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return struct.unpack("<b", self.take(1))[0]
        if kind in (4, 5, 6):
            return self.long()
        if kind == 7:
            return struct.unpack("<d", self.take(8))[0]
        if kind == 8:
            return self.take(self.varint())
        if kind in (9, 10):
            return self.list()
        if kind == 12:
            return self.struct()
        raise Bad("thrift type %d" % kind)

    def list(self):
        head = self.take(1)[0]
        count, kind = head >> 4, head & 15
        if count == 15:
            count = self.varint()
        if kind in (1, 2):
            return [self.take(1) == b"\1" for _ in range(count)]
        return [self.value(kind) for _ in range(count)]

    def struct(self):
        out, number = {}, 0
        while True:
            head = self.take(1)[0]
            if head == 0:
                return out
            step, kind = head >> 4, head & 15
            number = number + step if step else self.long()
            out[number] = self.value(kind)


def repeated_leaves(elements):
    """For each leaf of a schema, in order: is it or a parent REPEATED?"""
    leaves = []

    def walk(i, lists):
        element = elements[i]
        lists = lists or (i > 0 and element.get(3) == 2)
        i += 1
        if not element.get(5):
            leaves.append(lists)
            return i
        for _ in range(element[5]):
            i = walk(i, lists)
        return i

    walk(0, False)
    return leaves


class Footer:
    """rows, groups (rows, offset of each), columns {field id: (name,
    is optional)} of the leaves, properties."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read(4)
            file.seek(0, 2)
            size = file.tell()
            file.seek(max(0, size - 8))
            tail = file.read(8)
            if data != MAGIC or tail[4:] != MAGIC or size < 12:
                raise Bad("no Parquet file")
            length = struct.unpack("<I", tail[:4])[0]
            if length + 12 > size:
                raise Bad("footer of %d bytes in a file of %d" %
                          (length, size))
            file.seek(size - 8 - length)
            meta = Thrift(file.read(length)).struct()
        self.rows = meta[3]
        self.groups = []
        repeated = repeated_leaves(meta[2])
        for group in meta[4]:
            columns = group[1]
            first = columns[0][3] if columns else {}
            self.groups.append((group[3], first.get(11, first.get(9))))
            for column, lists in zip(columns, repeated):
                # a list has a value per element, at least one per row
                if (column[3][5] < group[3] if lists
                        else column[3][5] != group[3]):
                    raise Bad("a column chunk has %d values, its row group "
                              "%d rows" % (column[3][5], group[3]))
        self.columns = {}
        for element in meta[2][1:]:
            if 5 in element and element[5]:
                continue
            self.columns[element.get(9)] = (element[4].decode(),
                                            element.get(3) == 1)
        self.properties = {pair[1].decode(): pair.get(2, b"").decode()
                           for pair in meta.get(5, [])}
        if sum(rows for rows, _ in self.groups) != self.rows:
            raise Bad("row groups have %d rows, the file says %d" %
                      (sum(rows for rows, _ in self.groups), self.rows))
