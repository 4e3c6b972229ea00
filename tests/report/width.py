# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""width.py COLUMNS CMD...: runs CMD on a terminal of this width, prints the output, and fails if a line is wider."""
import fcntl
import os
import struct
import sys
import termios
import unicodedata


def width(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else not unicodedata.combining(c) for c in line)


def main():
    columns = int(sys.argv[1])
    master, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    pid = os.fork()
    if not pid:
        os.dup2(terminal, 1)
        os.close(master)
        os.execv(sys.argv[2], sys.argv[2:])
    os.close(terminal)
    output = b""
    while True:
        try:
            output += os.read(master, 65536)
        except OSError:  # the other end is closed
            break
    _, status = os.waitpid(pid, 0)
    lines = output.decode("utf-8").replace("\r\n", "\n")  # also fails for a character that was cut
    print(lines)
    too_wide = [line for line in lines.splitlines() if width(line) > columns]
    for line in too_wide:
        print(f"wider than {columns} columns: {line}")
    sys.exit(1 if too_wide or status or not output else 0)


main()
