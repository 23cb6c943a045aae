"""Avro object container files, as Iceberg's manifests are; read whole.

Records come as dictionaries keyed by field id, since names differ between
writers. Codecs: null and deflate.
"""
import json
import struct
import zlib

MAGIC = b"Obj\x01"


class Bad(Exception):
    """The bytes are not what they should be."""


class Input:
    """Avro's binary encoding, front to back."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, count):
        if count < 0 or self.at + count > len(self.data):
            raise Bad("%d bytes wanted at %d of %d" %
                      (count, self.at, len(self.data)))
        out = self.data[self.at:self.at + count]
        self.at += count
        return out

    def long(self):
        value, shift = 0, 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7f) << shift
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)
            shift += 7
            if shift > 63:
                raise Bad("a varint is too long")

    def bytes(self):
        return self.take(self.long())


def type_name(schema):
    return schema["type"] if isinstance(schema, dict) else schema


def decode_blocks(data, one):
    """The items of an array or map."""
    items = []
    while True:
        count = data.long()
        if count == 0:
            return items
        if count < 0:
            count = -count
            data.long()
        for _ in range(count):
            items.append(one())


def find_named(schema, named):
    """The named types in it, by name: others may refer to them."""
    if isinstance(schema, list):
        for branch in schema:
            find_named(branch, named)
    elif isinstance(schema, dict):
        if "name" in schema and schema["type"] in ("record", "fixed", "enum"):
            named[schema["name"]] = schema
        for value in schema.values():
            if isinstance(value, (dict, list)):
                find_named(value, named)


def decode(schema, data, named):
    if isinstance(schema, list):
        branch = data.long()
        if not 0 <= branch < len(schema):
            raise Bad("union branch %d of %d" % (branch, len(schema)))
        return decode(schema[branch], data, named)
    kind = type_name(schema)
    if isinstance(kind, (dict, list)):
        return decode(kind, data, named)
    if kind == "record":
        out = {}
        for field in schema["fields"]:
            if "field-id" not in field:
                raise Bad("field %s has no field-id" % field["name"])
            out[field["field-id"]] = decode(field["type"], data, named)
        return out
    if kind == "array":
        items = decode_blocks(data, lambda: decode(schema["items"], data,
                                                   named))
        if schema.get("logicalType") == "map":
            ids = [f["field-id"] for f in schema["items"]["fields"]]
            return {item[ids[0]]: item[ids[1]] for item in items}
        return items
    if kind == "map":
        return dict(decode_blocks(data, lambda: (
            data.bytes().decode(), decode(schema["values"], data, named))))
    if kind == "fixed":
        return data.take(schema["size"])
    if kind == "null":
        return None
    if kind == "boolean":
        return data.take(1) != b"\0"
    if kind in ("int", "long"):
        return data.long()
    if kind == "float":
        return struct.unpack("<f", data.take(4))[0]
    if kind == "double":
        return struct.unpack("<d", data.take(8))[0]
    if kind == "string":
        return data.bytes().decode()
    if kind == "bytes":
        return data.bytes()
    if kind in named:
        return decode(named[kind], data, named)
    raise Bad("unknown Avro type %r" % (kind,))


def read(path):
    """(metadata of the file as text, the schema, the records)."""
    with open(path, "rb") as file:
        data = Input(file.read())
    if data.take(4) != MAGIC:
        raise Bad("no Avro file")
    pairs = decode_blocks(data, lambda: (data.bytes().decode(), data.bytes()))
    meta = {key: value.decode() for key, value in pairs}
    sync = data.take(16)
    schema = json.loads(meta["avro.schema"])
    codec = meta.get("avro.codec")
    if codec not in ("null", "deflate"):
        raise Bad("avro.codec is %r" % codec)
    records, named = [], {}
    find_named(schema, named)
    while data.at < len(data.data):
        count, block = data.long(), data.bytes()
        if data.take(16) != sync:
            raise Bad("sync marker differs")
        if codec == "deflate":
            block = zlib.decompress(block, -15)
        rows = Input(block)
        for _ in range(count):
            records.append(decode(schema, rows, named))
        if rows.at != len(block):
            raise Bad("%d bytes behind the last record of a block" %
                      (len(block) - rows.at))
    return meta, schema, records
