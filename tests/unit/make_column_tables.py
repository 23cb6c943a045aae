#!/usr/bin/env python3
"""Make the tables of the column tests from what Python's float, decimal and
datetime say.

	python3 make_column_tables.py floats >column_float_tables.h
	python3 make_column_tables.py decimals >column_decimal_tables.h

The seed is fixed, so the same files come out every time.
"""
import math
import random
import struct
import sys
from datetime import datetime, timedelta
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 3000
random.seed(20240131)


def c_string(text):
    parts = [text[i:i + 64] for i in range(0, len(text), 64)] or [""]
    return "\n\t  ".join('"%s"' % part for part in parts)


def double_of(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def bits_of(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def real_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def java_spelling(text):
    """A decimal text of the shortest digits as Java prints it."""
    sign, digits, exponent = Decimal(text).as_tuple()
    digits = "".join(map(str, digits)).lstrip("0")
    exponent += len(digits) - len(digits.rstrip("0"))
    digits = digits.rstrip("0")
    sign = "-" if sign else ""
    if not digits:
        return sign + "0.0"
    power = len(digits) - 1 + exponent
    if -3 <= power < 0:
        return sign + "0." + "0" * (-power - 1) + digits
    if 0 <= power < 7:
        whole = power + 1
        return (sign + digits[:whole].ljust(whole, "0") + "." +
                (digits[whole:] or "0"))
    return sign + digits[0] + "." + (digits[1:] or "0") + "E%d" % power


def round_real(exact):
    """A positive fraction to the nearest REAL, as a fraction."""
    power = math.floor(math.log2(exact.numerator) -
                       math.log2(exact.denominator))
    while Fraction(2) ** power > exact:
        power -= 1
    while Fraction(2) ** (power + 1) <= exact:
        power += 1
    unit = Fraction(2) ** max(power - 23, -149)
    count = exact / unit
    whole = count.numerator // count.denominator
    rest = count - whole
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1):
        whole += 1
    return whole * unit


def shortest_real(value):
    exact = Fraction(value)
    for count in range(1, 10):
        mantissa, exponent = ("%.*e" % (count - 1, value)).split("e")
        middle = int(mantissa.replace(".", ""))
        exponent = int(exponent) - (count - 1)
        found = []
        for digits in (middle - 1, middle, middle + 1):
            near = Fraction(digits) * Fraction(10) ** exponent
            if digits > 0 and round_real(near) == exact:
                found.append((abs(near - exact), digits & 1, digits))
        if found:
            return "%de%d" % (min(found)[2], exponent)
    raise AssertionError(value)


def print_table(head, rows):
    print("\nstatic const struct %s = {" % head)
    for row in rows:
        short = row.replace("\n\t  ", " ")
        print("\t{ %s }," % (short if len(short) < 66 else row))
    print("};")


def shortest_doubles():
    values = [0.1, 0.3, 1.0, 100.0, 1e7, 9999999.0, 1e-3, 9.99e-4, 1e22, 1e23,
              5e-324, 2.2250738585072014e-308, 1.7976931348623157e308,
              9007199254740993.0, 2.0 ** -44, 123456.7, 12345678.0, 1e17,
              1e16, 1e15, 4.35, 2.675, 1 / 3, 2 / 3, 1e-7]
    values += [random.uniform(-1e6, 1e6) for _ in range(20)]
    values += [random.randrange(10 ** 9) / 100 for _ in range(10)]
    values += [random.random() * 10.0 ** random.randrange(-30, 30)
               for _ in range(30)]
    values += [math.ldexp(1, random.randrange(-1074, 1024))
               for _ in range(30)]
    for _ in range(30):
        value = double_of(random.getrandbits(64))
        if math.isfinite(value):
            values.append(value)
    return ["UINT64_C(0x%016x), \"%s\"" % (bits_of(v), java_spelling(repr(v)))
            for v in values]


def shortest_reals():
    values = [0.1, 0.3, 1.0, 16777216.0, 1e7, 1e-3, 3.4028234663852886e38,
              1.1754943508222875e-38, 1.401298464324817e-45, 2.0 ** -44,
              33554432.0, 8.5899e9, 123456.7, 1048576.25, 1048576.75]
    values += [random.uniform(0, 1e5) for _ in range(20)]
    values += [random.randrange(10 ** 6) / 100 for _ in range(10)]
    values += [math.ldexp(1, random.randrange(-149, 128)) for _ in range(20)]
    values += [random.random() * 10.0 ** random.randrange(-37, 38)
               for _ in range(20)]
    values = [struct.unpack("<f", struct.pack("<f", v))[0] for v in values]
    return ["UINT32_C(0x%08x), \"%s\"" %
            (real_bits(v), java_spelling(shortest_real(v)))
            for v in values if v]


def number_texts():
    texts = ["0", "-0", "+0.0", "1e0", "1E+2", ".5", "5.", "1e-400",
             "0e999999999999999999999", "4.9e-324", "2.4e-324", "1e308",
             "0." + "0" * 400 + "1e400", "1" + "0" * 400 + "e-400",
             "9007199254740993", "9007199254740992.9999999999999999999",
             "9007199254740993.00000000000000000000000000000000000001",
             # a tie in the first 128 bits of the quotient, not beyond
             "8536966156026740080e-27", "5486047249237414878e-26",
             # the nearest double is just between two reals, the text not
             "3712307929992676e-14", "344947612285614e-14",
             "3449476122856140e-15", "5407956801354885e-17"]
    for _ in range(60):
        count = random.choice([1, 5, 15, 17, 18, 19, 20, 21, 25, 40])
        text = "".join(random.choice("0123456789") for _ in range(count))
        point = random.randrange(-1, count + 1)
        if point >= 0:
            text = text[:point] + "." + text[point:]
        if random.random() < .5:
            text += "e%d" % random.randrange(-40, 30)
        texts.append(text)
    for _ in range(12):    # just between two doubles, and a hair beside
        middle = (Decimal(2 * (random.getrandbits(52) | 1 << 52) + 1) *
                  Decimal(2) ** random.randrange(-80, 20))
        texts += [str(middle), str(middle * (1 + Decimal(10) ** -60)),
                  str(middle * (1 - Decimal(10) ** -60))]
    middle = Decimal(2 ** 53 + 1) * Decimal(2) ** -1074
    texts += [str(middle), str(middle * (1 + Decimal(10) ** -1200)),
              str(middle * (1 - Decimal(10) ** -1200))]
    return texts


def read_doubles():
    return ["%s,\n\t  UINT64_C(0x%016x)" % (c_string(t), bits_of(float(t)))
            for t in number_texts()]


def read_reals():
    rows = []
    texts = [t for t in number_texts() if len(t) < 90 and "e9" not in t]
    for _ in range(20):    # just between two reals
        texts.append(str(Decimal(2 * (random.getrandbits(23) | 1 << 23) + 1) *
                         Decimal(2) ** random.randrange(-60, 40)))
    for text in texts:
        exact = Fraction(Decimal(text)) if abs(
            Decimal(text).adjusted()) < 1000 else Fraction(0)
        value = round_real(exact) if exact else Fraction(0)
        if value >= 2 ** 128:
            continue
        bits = real_bits(float(value))
        if text.startswith("-"):
            bits |= 1 << 31
        rows.append("%s,\n\t  UINT32_C(0x%08x)" % (c_string(text), bits))
    return rows


def random_unscaled():
    value = random.randrange(10 ** random.randrange(1, 39))
    return -value if random.random() < .5 else value


def half_up(exact):
    count, unit = abs(exact.numerator), exact.denominator
    whole = (2 * count + unit) // (2 * unit)
    return -whole if exact < 0 else whole


def decimal_texts():
    rows = []
    for _ in range(100):
        unscaled, scale = random_unscaled(), random.randrange(39)
        digits = str(abs(unscaled)).rjust(scale + 1, "0")
        text = "-" if unscaled < 0 else random.choice(["", "", "+"])
        text += digits if scale == 0 else digits[:-scale] + "." + \
            digits[-scale:]
        if random.random() < .5:
            text += "e%d" % random.randrange(-30, 30)
        elif "." in text and random.random() < .3:
            text += "0" * random.randrange(45)
        precision = random.randrange(1, 39)
        to_scale = random.randrange(precision + 1)
        is_rounded = random.random() < .6
        exact = Fraction(Decimal(text)) * 10 ** to_scale
        value = half_up(exact)
        verdict, shown = "0", value
        if abs(value) >= 10 ** precision:
            verdict, shown = "ERROR_OVERFLOW", 0
        elif exact.denominator != 1 and not is_rounded:
            verdict, shown = "ERROR_CAST", 0
        if verdict == "ERROR_OVERFLOW" and exact.denominator != 1 and \
                not is_rounded:
            continue    # two reasons, either may be named
        rows.append("%s, %d, %d,\n\t  %s, %s, \"%d\"" % (
            c_string(text), precision, to_scale,
            "true" if is_rounded else "false", verdict, shown))
    return rows


# a digit of these quotients is guessed two too great at first
HARD_QUOTIENTS = [
    (15692754423554654826, 85070592191497337258044389413919611788, 38),
    (6901746346806446876147941367423222670,
     81129638414795213723150147141542, 33),
    (149657767662678890386, 81129638414606758239390482920711, 31),
    (4417117661945862311313638040356203321,
     21267647932558654086364749443597598685, 35),
]


def decimal_quotients():
    rows = []
    while len(rows) < 80:
        a, b = random_unscaled(), random_unscaled() or 1
        a_scale, b_scale, scale = (random.randrange(39) for _ in range(3))
        if len(rows) < len(HARD_QUOTIENTS):
            a, b, scale = HARD_QUOTIENTS[len(rows)]
            a_scale, b_scale = 0, 0
        value = half_up(Fraction(a, 10 ** a_scale) /
                        Fraction(b, 10 ** b_scale) * 10 ** scale)
        fits = abs(value) < 10 ** 38
        if not fits and random.random() < .8:
            continue
        larger = max(a_scale, b_scale)
        rest = (abs(a) * 10 ** (larger - a_scale)) % \
            (abs(b) * 10 ** (larger - b_scale))
        if rest >= 10 ** 38:
            continue
        form = ("\"%d\", %d,\n\t  \"%d\", %d, %d, %s,\n\t  "
                "\"%d\",\n\t  \"%d\"")
        rows.append(form % (
            a, a_scale, b, b_scale, scale, "true" if fits else "false",
            value if fits else 0, -rest if a < 0 else rest))
    return rows


def decimals_as_doubles():
    rows = []
    for _ in range(60):
        value, scale = random_unscaled(), random.randrange(39)
        rows.append("\"%d\", %d,\n\t  UINT64_C(0x%016x)" % (
            value, scale, bits_of(value / 10 ** scale)))
    return rows


def doubles_as_decimals():
    rows = []
    for _ in range(60):
        value = random.uniform(-10, 10) * 10 ** random.randrange(-5, 25)
        precision = random.randrange(1, 39)
        scale = random.randrange(precision + 1)
        whole = half_up(Fraction(Decimal(repr(value))) * 10 ** scale)
        fits = abs(whole) < 10 ** precision
        rows.append("UINT64_C(0x%016x), %d, %d,\n\t  %s, \"%d\"" % (
            bits_of(value), precision, scale, "true" if fits else "false",
            whole if fits else 0))
    return rows


def timestamps():
    rows = []
    epoch = datetime(1970, 1, 1)
    for _ in range(100):
        us = random.randrange(-62135596800 * 10 ** 6, 253402300800 * 10 ** 6)
        us -= us % random.choice([1, 1000, 10 ** 5, 10 ** 6])
        at = epoch + timedelta(microseconds=us)
        text = "%04d-%02d-%02d %02d:%02d:%02d" % (
            at.year, at.month, at.day, at.hour, at.minute, at.second)
        if at.microsecond:
            text += (".%06d" % at.microsecond).rstrip("0")
        rows.append("INT64_C(%d), %d,\n\t  \"%s\"" % (
            us, (at.date() - epoch.date()).days, text))
    return rows


STRUCTS = {
    "floats": """
struct shortest_double_row {
	uint64_t bits;
	const char *text;
};
struct shortest_real_row {
	uint32_t bits;
	const char *text;
};
struct read_double_row {
	const char *text;
	uint64_t bits;
};
struct read_real_row {
	const char *text;
	uint32_t bits;
};""",
    "decimals": """
struct decimal_text_row {
	const char *text;
	unsigned precision;
	unsigned scale;
	bool round;
	int rc;
	const char *unscaled;
};
struct quotient_row {
	const char *a;
	unsigned a_scale;
	const char *b;
	unsigned b_scale;
	unsigned scale;
	bool fits;
	const char *quotient;
	const char *rest;
};
struct decimal_double_row {
	const char *unscaled;
	unsigned scale;
	uint64_t bits;
};
struct double_decimal_row {
	uint64_t bits;
	unsigned precision;
	unsigned scale;
	bool fits;
	const char *unscaled;
};
struct timestamp_row {
	int64_t us;
	int32_t days;
	const char *text;
};""",
}
TABLES = {
    "floats": [
        ("shortest_double_row shortest_doubles[]", shortest_doubles),
        ("shortest_real_row shortest_reals[]", shortest_reals),
        ("read_double_row read_doubles[]", read_doubles),
        ("read_real_row read_reals[]", read_reals),
    ],
    "decimals": [
        ("decimal_text_row decimal_texts[]", decimal_texts),
        ("quotient_row quotients[]", decimal_quotients),
        ("decimal_double_row decimals_as_doubles[]", decimals_as_doubles),
        ("double_decimal_row doubles_as_decimals[]", doubles_as_decimals),
        ("timestamp_row timestamps[]", timestamps),
    ],
}


def main():
    kind = sys.argv[1]
    guard = "TESTS_UNIT_COLUMN_%s_TABLES_H" % kind[:-1].upper()
    print("/* Made by make_column_tables.py; do not edit. */")
    print("#ifndef %s" % guard)
    print("#define %s" % guard)
    print('#include "column/column.h"')
    print("\n/* Each test uses some of the tables. */")
    print('#pragma GCC diagnostic ignored "-Wunused-variable"')
    print(STRUCTS[kind])
    for head, make in TABLES[kind]:
        print_table(head, make())
    if kind == "decimals":
        print("""
/* Digits with an optional '-', by plain schoolbook. */
static inline int128_t wide_of(const char *text)
{
	bool negative = *text == '-';
	int128_t value = 0;

	for (text += negative; *text; text++)
		value = value * 10 + (*text - '0');
	return negative ? -value : value;
}""")
    print("#endif")


main()
