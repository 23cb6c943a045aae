"""Column bounds: the binary single values of Iceberg."""
import struct

from avro import Bad

FIXED = {"boolean": (1, "?"), "int": (4, "<i"), "date": (4, "<i"),
         "long": (8, "<q"), "time": (8, "<q"), "timestamp": (8, "<q"),
         "timestamptz": (8, "<q"), "timestamp_ns": (8, "<q"),
         "timestamptz_ns": (8, "<q"), "float": (4, "<f"), "double": (8, "<d")}


def decode(kind, data):
    """A value that compares as the type does."""
    if kind in FIXED:
        size, code = FIXED[kind]
        if len(data) == 4 and kind == "long":       # widened later
            size, code = FIXED["int"]
        if len(data) == 4 and kind == "double":
            size, code = FIXED["float"]
        if len(data) != size:
            raise Bad("a bound of type %s has %d bytes" % (kind, len(data)))
        value = struct.unpack(code, data)[0]
        if value != value:
            raise Bad("a bound is NaN")
        return value
    if kind.startswith("decimal"):
        if not data or (len(data) > 1 and data[0] in (0, 255) and
                        (data[0] == 0) == (data[1] < 128)):
            raise Bad("decimal bound %s is not of least length" % data.hex())
        return int.from_bytes(data, "big", signed=True)
    if kind == "string":
        try:
            data.decode()
        except UnicodeDecodeError as bad:
            raise Bad("a text bound is no UTF-8") from bad
    return data


def check(kind, lower, upper):
    """Raise Bad unless lower <= upper, both of the type."""
    low = decode(kind, lower) if lower is not None else None
    high = decode(kind, upper) if upper is not None else None
    if low is not None and high is not None and low > high:
        raise Bad("bounds %r > %r" % (low, high))
