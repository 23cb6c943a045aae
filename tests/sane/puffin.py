"""Puffin files with deletion vectors."""
import json
import struct
import zlib

from avro import Bad

MAGIC = b"PFA1"
VECTOR_MAGIC = b"\xd1\xd3\x39\x64"


def read_footer(data):
    """Blob descriptions of a file's bytes."""
    if data[:4] != MAGIC or data[-4:] != MAGIC:
        raise Bad("no Puffin file")
    length, flags = struct.unpack("<iI", data[-12:-4])
    start = len(data) - 12 - length - 4
    if flags or length < 0 or start < 4 or data[start:start + 4] != MAGIC:
        raise Bad("bad Puffin footer")
    return json.loads(data[start + 4:start + 4 + length])["blobs"]


def read_runs(data, at, count, flags):
    """The containers of a 32-bit Roaring bitmap; returns (positions, end)."""
    keys = [struct.unpack_from("<HH", data, at + 4 * i) for i in range(count)]
    at += 4 * count
    if flags is None or count >= 4:
        at += 4 * count
    out = []
    for i, (key, cardinality) in enumerate(keys):
        cardinality += 1
        if flags is not None and flags[i // 8] >> (i % 8) & 1:
            runs = struct.unpack_from("<H", data, at)[0]
            numbers = struct.unpack_from("<%dH" % (2 * runs), data, at + 2)
            at += 2 + 4 * runs
            low = [v for r in range(runs)
                   for v in range(numbers[2 * r],
                                  numbers[2 * r] + numbers[2 * r + 1] + 1)]
        elif cardinality > 4096:
            low = [8 * i + bit for i, byte in enumerate(data[at:at + 8192])
                   if byte for bit in range(8) if byte >> bit & 1]
            at += 8192
        else:
            low = list(struct.unpack_from("<%dH" % cardinality, data, at))
            at += 2 * cardinality
        if len(low) != cardinality or low != sorted(set(low)):
            raise Bad("a container holds %d values, says %d" %
                      (len(low), cardinality))
        out += [key << 16 | v for v in low]
    return out, at


def read_bitmap(data, at):
    cookie = struct.unpack_from("<I", data, at)[0]
    if cookie == 12346:
        count = struct.unpack_from("<I", data, at + 4)[0]
        return read_runs(data, at + 8, count, None)
    if cookie & 0xffff != 12347:
        raise Bad("cookie %d starts no bitmap" % cookie)
    count = (cookie >> 16) + 1
    size = (count + 7) // 8
    return read_runs(data, at + 4 + size, count, data[at + 4:at + 4 + size])


def read_vector(blob):
    """Positions of a deletion vector, ascending."""
    length = struct.unpack_from(">I", blob)[0]
    if length != len(blob) - 8 or blob[4:8] != VECTOR_MAGIC:
        raise Bad("no deletion vector")
    if zlib.crc32(blob[4:-4]) != struct.unpack(">I", blob[-4:])[0]:
        raise Bad("checksum of a deletion vector differs")
    count = struct.unpack_from("<Q", blob, 8)[0]
    at, out, last = 16, [], -1
    for _ in range(count):
        key = struct.unpack_from("<I", blob, at)[0]
        if key <= last:
            raise Bad("keys of a deletion vector do not ascend")
        last = key
        low, at = read_bitmap(blob, at + 4)
        out += [key << 32 | v for v in low]
    if at != len(blob) - 4:
        raise Bad("%d bytes behind a deletion vector" % (len(blob) - 4 - at))
    return out
