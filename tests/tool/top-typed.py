# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""top-typed.py TOOL PID NAME: runs `TOOL top PID` on a pseudo-terminal, presses keys and changes the size. The process PID
runs the program NAME of tests/tool/top.sh. The class Screen interprets the few escape sequences that top writes."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

tool, pid, name = sys.argv[1:4]
patience = 20  # seconds
failures = 0


def check(is_true, text, screen=None):
    global failures
    if not is_true:
        print("FAILED:", text)
        if screen:
            print("\n".join("  |" + line for line in screen.lines()))
        failures += 1


class Screen:
    def __init__(self, columns, rows, *options):
        self.resize_to = None
        self.columns, self.rows = columns, rows
        self.other = False  # the page of full-screen programs
        self.has_cursor = True
        self.pages = {False: {}, True: {}}
        self.row = self.column = 0
        self.overlong = False
        self.rest = ""
        self.begin = time.monotonic()
        master, slave = pty.openpty()
        self.fd, self.slave = master, slave
        self.resize(columns, rows)
        self.before = termios.tcgetattr(slave)
        self.pid = os.fork()
        if self.pid == 0:
            os.close(master)
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for n in range(3):
                os.dup2(slave, n)
            os.environ["TERM"] = "xterm"
            os.execv(tool, [tool, "top", *options, pid])
        self.status = None

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        fcntl.ioctl(self.slave if hasattr(self, "pid") is False else self.fd, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))

    def put(self, text):
        self.rest += text
        while self.rest:
            m = re.match(r"\033\[(\??[0-9;]*)([a-zA-Z])", self.rest)
            page = self.pages[self.other]
            if m:
                argument, letter = m.groups()
                if letter == "H":
                    self.row = self.column = 0
                elif letter == "K":
                    page[self.row] = page.get(self.row, "")[:self.column]
                elif letter == "J" and argument == "2":
                    page.clear()
                elif letter == "J":
                    page[self.row] = page.get(self.row, "")[:self.column]
                    for row in [row for row in page if row > self.row]:
                        del page[row]
                elif argument in ("?1049", "?25"):
                    if argument == "?1049":
                        self.other = letter == "h"
                    else:
                        self.has_cursor = letter == "h"
                elif letter != "m":
                    check(False, f"unknown sequence {m.group(0)!r}")
                self.rest = self.rest[m.end():]
            elif self.rest.startswith("\033") and len(self.rest) < 12:
                return
            else:
                c, self.rest = self.rest[0], self.rest[1:]
                if c == "\r":
                    self.column = 0
                elif c == "\n":
                    self.row += 1
                else:
                    line = page.get(self.row, "").ljust(self.column)
                    page[self.row] = line[:self.column] + c + line[self.column + 1:]
                    self.column += 1
                    self.overlong |= self.other and (self.column > self.columns or self.row >= self.rows)

    def lines(self):
        page = self.pages[self.other]
        return [page.get(n, "") for n in range(max(page, default=-1) + 1)]

    def text(self):
        return "\n".join(self.lines())

    def read(self, seconds):
        if select.select([self.fd], [], [], seconds)[0]:
            try:
                self.put(os.read(self.fd, 65536).decode())
            except OSError:
                pass

    def wait(self, is_done, what):
        end = time.monotonic() + patience
        while not is_done() and time.monotonic() < end:
            self.read(0.05)
        check(is_done(), what, self)

    def press(self, key):
        os.write(self.fd, key.encode())

    def ended(self):
        if self.status is None:
            self.read(0)
            got, status = os.waitpid(self.pid, os.WNOHANG)
            if got:
                self.read(0.2)
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def check_restored(self, how):
        check(not self.other, f"{how}: the terminal still shows the page of top")
        check(self.has_cursor, f"{how}: the cursor is hidden")
        check(termios.tcgetattr(self.slave) == self.before, f"{how}: the terminal's state is not restored")


def is_raw(s):
    return not termios.tcgetattr(s.slave)[3] & (termios.ICANON | termios.ECHO)


# The first screen, with all columns, and keys.
s = Screen(160, 30, "-i", "0.5")
s.wait(lambda: re.search(" mutex:stuck.* in keep_stuck", s.text()),
       "the first screens do not show the name of the lock and the function of its holder")
first = time.monotonic() - s.begin
check(first < 5, f"the first screen came after {first:.1f} s")
check(is_raw(s), "the keys need Enter")
check(not s.has_cursor and s.other, "no page of its own")
check(s.lines()[0].startswith(name + " (pid "), "no program in the first line", s)
check("TOTAL" in s.lines()[2] and "LAST" in s.lines()[2], "no two groups of columns", s)
check(re.search(r"WAITED\*.*ACQUIRED +WAITED .*LOCK", s.lines()[3]), "the columns", s)
check(len(s.lines()) == 30, f"{len(s.lines())} lines do not fill the screen", s)
for key, title in (("a", "last acquired"), ("A", "total acquired"), ("h", "last held"), ("M", "total longest"),
                   ("n", "last waits")):
    s.press(key)
    s.wait(lambda: "sorted by " + title in s.lines()[1], f"the key {key} does not sort by {title}")
s.wait(lambda: " mutex:busy" in s.lines()[4], "the lock with the most waits is not first")
s.press("w")
s.press("\033[A")  # an arrow has no effect
s.press("x")
s.wait(lambda: "sorted by last waited" in s.lines()[1], "the key w does not sort by the time waited")
before = s.lines()[0]
s.wait(lambda: s.lines()[0] != before, "the screen does not change")

# Another size.
for columns, rows in ((70, 10), (40, 6), (20, 3), (200, 50)):
    s.resize(columns, rows)
    s.wait(lambda: len(s.lines()) == min(rows, 46), f"the lines do not fit {columns} x {rows}")
    s.overlong = False  # top may have drawn once before it knew the new size
    until = time.monotonic() + 1
    while time.monotonic() < until:
        s.read(0.1)
    check(not s.overlong, f"a line leaves the screen of {columns} x {rows}", s)
    check(rows < 4 or "WAITED*" in s.lines()[3], f"no sorted column at {columns} x {rows}", s)
    check(rows < 4 or columns >= 100 or "ACQUIRED" not in s.lines()[3], f"all columns at {columns}", s)
s.press("q")
s.wait(s.ended, "the key q does not end top")
check(s.status == 0, f"exit status {s.status} after q")
s.check_restored("after q")
check("keep_stuck" in s.text(), "the last screen does not stay as text", s)

# Signals restore the terminal; Ctrl-Z does until the process continues.
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    s = Screen(100, 20, "-i", "100")
    s.wait(lambda: "LOCK" in s.text(), "no screen")
    if name == "SIGINT":
        s.press("\x03")
    else:
        os.kill(s.pid, getattr(signal, name))
    s.wait(s.ended, f"{name} does not end top")
    check(s.status == 0, f"exit status {s.status} after {name}")
    s.check_restored("after " + name)
s = Screen(100, 20, "-i", "100")
s.wait(lambda: "LOCK" in s.text() and is_raw(s), "no screen")
os.kill(s.pid, signal.SIGTSTP)
s.wait(lambda: not s.other and not is_raw(s), "SIGTSTP does not restore the terminal")
os.kill(s.pid, signal.SIGCONT)
s.wait(lambda: s.other and is_raw(s) and "LOCK" in s.text(), "no screen after SIGCONT")
s.press("Q")
s.wait(s.ended, "the key Q does not end top")

# A number of rounds ends without a key.
s = Screen(100, 20, "-i", "0.1", "-n", "3")
s.wait(s.ended, "top -n 3 does not end")
s.check_restored("after -n 3")
print(f"first screen after {first:.2f} s")
sys.exit(1 if failures else 0)
