"""Reads lines of dsjson by the rules of Vowpal Wabbit's own reader, for --cb_explore_adf.

It stands in for Vowpal Wabbit in the tests: it refuses what Vowpal Wabbit refuses, and says which
label, actions, probabilities and features Vowpal Wabbit would take from a line. Written from the
behaviour of its json_parser (version 9):

- Keys of the line are read in their order. The label must come before `c`.
- In `c`, an object or an array is a namespace. Only the innermost one counts.
- A text is a feature of its key and its value, a number a feature of its key, `true` a feature,
  `false` and null are none. Blanks, `|` and `:` in a text become `_`.
- An array may have numbers, nulls and objects. Texts, booleans and arrays in it are errors.
- A key that begins with `_` is never a feature. Some of them have a meaning anywhere in `c`. The
  others are skipped, but that fails if they are written with escapes or followed by a blank.
- A namespace whose name begins with a byte outside ASCII is written outside of an array.
"""

import json
import re
import struct
from json.decoder import scanstring

NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
BLANKS = " \t\r\n"
LARGEST = 3.4028234663852886e38  # of single precision


class VwError(Exception):
    """Vowpal Wabbit would not read this line, or would do harm to itself."""


class Example:
    def __init__(self):
        self.tag = ""
        self.features = []  # (namespace, name, value); a number in an array has its place as name
        self.label = None  # {"action", "cost", "probability"}

    def values(self):
        """The features as a dictionary; the same one twice is an error of the caller."""
        found = {(space, name): value for space, name, value in self.features}
        assert len(found) == len(self.features), self.features
        return found


class Interaction:
    def __init__(self):
        self.event_id = self.timestamp = ""
        self.actions, self.probabilities, self.baseline = [], [], []
        self.original_label_cost = self.pdrop = 0.0
        self.skip_learn = False
        self.examples = [Example()]  # the shared one, then the actions

    @property
    def shared(self):
        return self.examples[0]

    def labels(self):
        """(place from 0, label) of every action that has one."""
        return [(i, each.label) for i, each in enumerate(self.examples[1:]) if each.label]

    def used(self):
        """Whether Vowpal Wabbit learns from it."""
        return bool(self.actions) and not self.skip_learn


class Reader:
    def __init__(self, line):
        self.line, self.at = line, 0
        self.result = Interaction()
        self.example = self.result.shared
        self.label, self.label_index = {}, -1
        self.place = 0  # in the array that began last: there is one counter for all of them

    # JSON

    def fail(self, why):
        raise VwError(f"{why} at {self.at}: {self.line[max(0, self.at - 30):self.at + 30]!r}")

    def peek(self):
        while self.at < len(self.line) and self.line[self.at] in BLANKS:
            self.at += 1
        return self.line[self.at:self.at + 1]

    def take(self, sign):
        if self.peek() != sign:
            self.fail(f"expected {sign}")
        self.at += 1

    def text(self):
        self.take('"')
        try:
            found, self.at = scanstring(self.line, self.at)
        except json.JSONDecodeError as error:
            self.fail(str(error))
        return found

    def number(self):
        self.peek()
        found = NUMBER.match(self.line, self.at)
        if not found:
            self.fail("expected a number")
        self.at = found.end()
        value = float(found.group())
        if abs(value) > LARGEST:
            self.fail(f"{value} is infinite in single precision")
        return struct.unpack("f", struct.pack("f", value))[0]

    def word(self, *words):
        self.peek()
        for word in words:
            if self.line.startswith(word, self.at):
                self.at += len(word)
                return word
        return self.fail("expected a value")

    def members(self):
        """The keys of an object, each with the text it is written as."""
        self.take("{")
        if self.peek() == "}":
            self.at += 1
            return
        while True:
            self.peek()
            begin = self.at
            key = self.text()
            written = self.line[begin + 1:self.at - 1]
            blank = self.line[self.at:self.at + 1] != ":"
            self.take(":")
            yield key, written != key or blank
            if self.peek() == "}":
                self.at += 1
                return
            self.take(",")

    def items(self):
        self.take("[")
        if self.peek() == "]":
            self.at += 1
            return
        while True:
            yield self.peek()
            if self.peek() == "]":
                self.at += 1
                return
            self.take(",")

    def skip(self, clumsy=False):
        """A value that nobody looks at."""
        if clumsy:
            self.fail("a key that is skipped, written with escapes or followed by a blank")
        sign = self.peek()
        if sign == "{":
            for _ in self.members():
                self.skip()
        elif sign == "[":
            for _ in self.items():
                self.skip()
        elif sign == '"':
            self.text()
        elif sign in "-0123456789":
            self.number()
        else:
            self.word("null", "true", "false")

    # The line

    def read(self):
        for key, clumsy in self.members():
            if key == "c":
                self.context()
            elif key == "a":
                self.result.actions = self.numbers(whole=True)
            elif key in ("p", "_p"):
                self.result.probabilities = self.numbers()
            elif key == "_ba":
                self.result.baseline = self.numbers(whole=True)
            elif key == "pdrop":
                self.result.pdrop = self.number()
            elif key == "EventId":
                self.result.event_id = self.text()
            elif key == "Timestamp":
                self.result.timestamp = self.text()
            elif key == "_skipLearn":
                self.result.skip_learn = self.word("true", "false") == "true"
            elif key == "_original_label_cost":
                self.result.original_label_cost += self.number()
            elif key == "_outcomes":
                self.fail("a decision about several slots")
            elif key.startswith("_label") and self.is_label(key):
                self.read_label(key)
            else:
                self.skip(clumsy)
        if self.peek():
            self.fail("something after the object")
        if self.result.pdrop == 1.0:
            self.fail("pdrop is 1")
        return self.result

    def numbers(self, whole=False):
        found = []
        for sign in self.items():
            if sign == "n":
                self.word("null")
            else:
                found.append(int(self.number()) if whole else self.number())
        return found

    @staticmethod
    def is_label(key):
        return key == "_label" or key.startswith("_label_") or key.lower() == "_labelindex"

    def read_label(self, key):
        if self.peek() == "n":
            self.word("null")
        elif key.lower() == "_labelindex":
            self.label_index = int(self.number())
        elif key == "_label":
            self.fail("a label in the form of other problems")
        else:
            name = key[len("_label_"):].lower()
            if name not in ("cost", "probability", "action"):
                self.fail(f"there is no label {name}")
            self.label[name] = self.number()

    def context(self):
        self.features(" ")
        if self.label_index >= 0:
            if self.label_index + 1 >= len(self.result.examples):
                self.fail("_labelIndex is too large")
            self.example = self.result.examples[self.label_index + 1]
        if self.label:
            self.example.label = dict(self.label)
        self.label, self.label_index = {}, -1

    # Features

    def features(self, space):
        if space and ord(space[0]) >= 0x80:
            self.fail("a namespace that begins with a byte outside ASCII")
        for key, clumsy in self.members():
            if key.startswith("_"):
                self.special(key, clumsy, space)
            else:
                self.feature(key, space)

    def add(self, space, name, value):
        if value != 0.0:
            self.example.features.append((space, name, value))

    def feature(self, key, space):
        sign = self.peek()
        if sign == "{":
            self.features(key)
        elif sign == "[":
            self.array(key)
        elif sign == '"':
            self.add(space, key + re.sub(r"[ \t|:]", "_", self.text()), 1.0)
        elif sign in "tfn":
            if self.word("true", "false", "null") == "true":
                self.add(space, key, 1.0)
        else:
            self.add(space, key, self.number())

    def array(self, space):
        if space and ord(space[0]) >= 0x80:
            self.fail("a namespace that begins with a byte outside ASCII")
        self.place = 0
        for sign in self.items():
            if sign == "{":
                self.features(space)
            elif sign == "n":
                self.word("null")
            elif sign in '"tf[':
                self.fail("an array has numbers, nulls and objects only")
            else:
                self.add(space, self.place, self.number())
                self.place += 1

    def special(self, key, clumsy, space):
        if key.startswith("_label"):
            if not self.is_label(key):
                self.fail(f"there is no {key}")
            self.read_label(key)
        elif key == "_text":
            for word in re.sub(r"[|:]", "_", self.text()).split():
                self.add(space, word, 1.0)
        elif key == "_multi":
            self.multi()
        elif key.lower() == "_tag":
            self.example.tag += self.text()
        elif key.lower() in ("_inc", "_a"):
            self.numbers(whole=True)
        elif key in ("_slots", "_slot_id") or key.lower() == "__aid":
            self.fail(f"{key} belongs to other problems")
        elif key == "_original_label_cost":
            self.result.original_label_cost += self.number()
        else:
            self.skip(clumsy)

    def multi(self):
        for sign in self.items():
            if sign != "{":
                self.fail("_multi has objects only")
            self.example = Example()
            self.result.examples.append(self.example)
            self.features(" ")
        self.example = self.result.shared


def read_line(line):
    """What Vowpal Wabbit takes from a line; VwError if it takes nothing."""
    if not line.startswith("{"):
        raise VwError("skipped: the line does not begin with {")
    return Reader(line.rstrip("\r\n")).read()
