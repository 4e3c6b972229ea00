# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""Parses the output of `protoc --decode`."""
import re

LINE = re.compile(r'\s*(?:(\w+) \{|(\w+): (.*)|(\}))$')


def value_of(text):
    if text.startswith('"'):  # bytes are escaped in octal
        return text[1:-1].encode().decode('unicode_escape').encode('latin-1')
    return int(text) if re.fullmatch(r'-?\d+', text) else text


def parse(lines):
    """A field of the message after the other: its name, and its value; messages are dicts of lists."""
    stack, names = [], []
    for line in lines:
        opened, key, value, closed = LINE.match(line).groups()
        if opened:
            stack.append({})
            names.append(opened)
            continue
        value = stack.pop() if closed else value_of(value)
        key = names.pop() if closed else key
        if stack:
            stack[-1].setdefault(key, []).append(value)
        else:
            yield key, value
