#!/usr/bin/env python3
"""Writes images in the IDX format of MNIST and Fashion-MNIST as a file for the problem libsvm.

A line is an image: its class, then place:value of every pixel that is not 0. Grey levels are
divided by 255. Both files may be compressed with gzip.

usage: idx_to_libsvm.py IMAGES LABELS > FILE
"""

import gzip
import struct
import sys


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def main(images_path, labels_path):
    images, labels = read(images_path), read(labels_path)
    magic, count, rows, columns = struct.unpack(">4I", images[:16])
    label_magic, label_count = struct.unpack(">2I", labels[:8])
    if (magic, label_magic) != (0x803, 0x801) or count != label_count:
        sys.exit("expected an IDX file of images and one of as many labels")
    size = rows * columns
    if len(images) != 16 + count * size or len(labels) != 8 + count:
        sys.exit("a file is too short or too long")
    words = [f"{level / 255:.3g}" for level in range(256)]
    for i in range(count):
        pixels = images[16 + i * size : 16 + (i + 1) * size]
        line = [str(labels[8 + i])]
        line += [f"{place + 1}:{words[level]}" for place, level in enumerate(pixels) if level]
        print(" ".join(line))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
