#!/usr/bin/env python3
"""Writes a data frame of an R data file (.rda) as rows for the problem csv, without needing R.

Reads the first data frame in the file: numbers, and factors as their words. Missing values are
written as ?.

usage: rda_to_csv.py FILE > CSV
"""

import bz2
import csv
import gzip
import lzma
import math
import struct
import sys

NULL, SYMBOL, PAIRS, STRING, LOGICAL, INTEGER, REAL, TEXT, LIST = 254, 1, 2, 9, 10, 13, 14, 16, 19
REFERENCE, MISSING = 255, -(2**31)


class Reader:
    """R's serialisation, version 2 or 3, big-endian (XDR)."""

    def __init__(self, data):
        self.data, self.at, self.symbols = data, 0, []

    def take(self, form):
        values = struct.unpack_from(">" + form, self.data, self.at)
        self.at += struct.calcsize(">" + form)
        return values

    def whole(self):
        return self.take("i")[0]

    def start(self):
        self.at = self.data.index(b"X\n") + 2
        version, _, _ = self.take("3i")
        if version == 3:
            self.at += self.whole()

    def item(self):
        """A pair of the value and its attributes, a dictionary."""
        flags = self.whole()
        kind, has_attributes, has_tag = flags & 255, flags & 512, flags & 1024
        if kind == NULL:
            return None, {}
        if kind == REFERENCE:
            return self.symbols[(flags >> 8 or self.whole()) - 1], {}
        if kind == SYMBOL:
            self.symbols.append(self.item()[0])
            return self.symbols[-1], {}
        if kind == STRING:
            size = self.whole()
            self.at += max(size, 0)
            return self.data[self.at - size : self.at].decode("latin-1") if size >= 0 else "?", {}
        if kind == PAIRS:
            pairs, first = {}, True
            while first or (flags & 255) == PAIRS:
                if not first or has_attributes:
                    if flags & 512:
                        self.item()
                tag = self.item()[0] if flags & 1024 else None
                pairs[tag] = self.item()
                flags, first = self.whole(), False
            return pairs, {}
        count = self.whole()
        if kind in (LOGICAL, INTEGER):
            value = ["?" if x == MISSING else x for x in self.take(f"{count}i")]
        elif kind == REAL:
            value = ["?" if math.isnan(x) else x for x in self.take(f"{count}d")]
        elif kind in (TEXT, LIST):
            value = [self.item() for _ in range(count)]
            if kind == TEXT:
                value = [text for text, _ in value]
        else:
            sys.exit(f"a value of kind {kind}, which this program does not know")
        return value, self.item()[0] if has_attributes else {}


def unpacked(data):
    for magic, module in ((b"\x1f\x8b", gzip), (b"BZh", bz2), (b"\xfd7zXZ", lzma)):
        if data.startswith(magic):
            return module.decompress(data)
    return data


def words(column):
    values, attributes = column
    if "levels" not in attributes:
        return values
    levels = attributes["levels"][0]
    return ["?" if value == "?" else levels[value - 1] for value in values]


def main(path):
    with open(path, "rb") as file:
        reader = Reader(unpacked(file.read()))
    reader.start()
    for columns, attributes in reader.item()[0].values():
        if "names" in attributes and isinstance(columns[0], tuple):
            out = csv.writer(sys.stdout, lineterminator="\n")
            out.writerow(attributes["names"][0])
            out.writerows(zip(*map(words, columns)))
            return
    sys.exit("there is no data frame in this file")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
