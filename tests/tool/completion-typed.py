# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""completion-typed.py SHELL COMPLETION: types command lines with tabs into SHELL on a pseudo-terminal.

COMPLETION is the directory of the generated completion. In place of each tool, the shell runs a script that writes
its arguments into a file, so the test reads the completed words and not the screen. The current directory must be
empty."""
import os
import pty
import re
import select
import shutil
import signal
import sys
import time

shell, made = sys.argv[1], os.path.abspath(sys.argv[2])
patience = 30  # seconds
here = os.getcwd()

# typed line (a tab completes), and the arguments that the tool gets
LINES = [
    ("syntrace-decode diag\t", ["diagnose"]),
    ("syntrace-decode critical-p\t", ["critical-path"]),
    ("syntrace-decode help crit\t", ["help", "critical-path"]),
    ("syntrace-decode export --to=perf\t", ["export", "--to=perfetto"]),
    ("syntrace-decode export --to=c\t", ["export", "--to=ctf"]),
    ("syntrace-decode export --to sql\t", ["export", "--to", "sqlite"]),
    ("syntrace-decode export --what=cont\t", ["export", "--what=contention"]),
    ("syntrace-decode events --format=j\t", ["events", "--format=jsonl"]),
    ("syntrace-decode events -f js\t", ["events", "-f", "jsonl"]),
    ("syntrace-decode check --color=nev\t", ["check", "--color=never"]),
    ("syntrace-decode stat --fail\t", ["stat", "--fail-on-loss"]),
    ("syntrace-decode stat some-tr\t", ["stat", "some-trace"]),
    ("syntrace-decode report -o some-f\t", ["report", "-o", "some-file"]),
    ("syntrace-decode check --against=some-f\t", ["check", "--against=some-file"]),
    ("syntrace snap\t", ["snapshot"]),
    ("syntrace help rec\t", ["help", "record"]),
    ("syntrace doctor --format=te\t", ["doctor", "--format=text"]),
    ("syntrace record -o some-tr\t", ["record", "-o", "some-trace"]),
    ("syntrace record --no-cl\t", ["record", "--no-clobber"]),
    ("syntrace record ./some-pr\t", ["record", "./some-program"]),
    ("syntrace record ./some-program some-f\t", ["record", "./some-program", "some-file"]),
]
# typed line, words that the shell must list, and a pattern that it must not print
LISTS = [
    ("syntrace-decode export --to=\t\t", ["perfetto", "folded", "pprof", "sqlite", "ctf"],
     r"(--to=|  |\n)\(stacks"),
    ("syntrace-decode wa\t\t", ["waits", "watch"], r"\bdiagnose\b"),
]


def write_script(name, text):
    with open(name, "w") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod(name, 0o755)


def prepare():
    os.mkdir("bin")
    os.mkdir("home")
    os.mkdir("some-trace")
    open("some-file", "w").close()
    write_script("some-program", "exit 0\n")
    for tool in ("syntrace", "syntrace-decode"):
        write_script("bin/" + tool, 'for word; do printf "%s\\n" "$word"; done >"$HERE/got.new"; '
                     'mv "$HERE/got.new" "$HERE/got"\n')
    os.mkdir("zsh")
    for tool in ("syntrace", "syntrace-decode"):
        shutil.copy(f"{made}/zsh/_{tool}", "zsh")
    begin = {
        "bash": "PS1='ready> '\nbind 'set bell-style none'\nbind 'set completion-query-items 0'\n"
                f". {made}/bash/syntrace\n. {made}/bash/syntrace-decode\n",
        "zsh": f"PS1='ready> '\nfpath=({here}/zsh $fpath)\nautoload -Uz compinit\ncompinit -u -D\n"
               "unsetopt beep\nsetopt auto_list\nLISTMAX=0\n",
        "fish": "function fish_prompt; echo 'ready> '; end\nset -g fish_greeting\n"
                "set -g fish_autosuggestion_enabled 0\n"
                f"set -p fish_complete_path {made}/fish\n",
    }[shell]
    with open("begin", "w") as f:
        f.write(begin)
    if shell == "zsh":
        os.rename("begin", "home/.zshrc")


def arguments():
    return {"bash": ["bash", "--noprofile", "--rcfile", "begin", "-i"],
            "zsh": ["zsh", "-d", "-i"],
            "fish": ["fish", "--no-config", "--init-command", f"source {here}/begin", "-i"]}[shell]


class Terminal:
    def __init__(self):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            environment = {"HOME": here + "/home", "HERE": here, "PATH": here + "/bin:" + os.environ["PATH"],
                           "TERM": "xterm", "LANG": "C.UTF-8", "COLUMNS": "200"}
            os.execvpe(arguments()[0], arguments(), environment)

    def read(self, seconds):
        """Returns the text that the shell prints until it is silent for a tenth of SECONDS, at most SECONDS."""
        text = b""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not select.select([self.fd], [], [], seconds / 10)[0]:
                break
            try:
                piece = os.read(self.fd, 65536)
            except OSError:
                break
            # a terminal answers these questions of fish: attributes, and the position of the cursor
            if b"\033[c" in piece or b"\033[0c" in piece:
                self.write("\033[?62;c")
            if b"\033[6n" in piece:
                self.write("\033[1;1R")
            text += piece
        return re.sub(r"\033(\[[0-9;?<>=]*[a-zA-Z]|\][^\a]*\a|[()=>].?)", "", text.decode(errors="replace"))

    def write(self, text):
        os.write(self.fd, text.encode())

    def wait(self, is_done):
        """Reads until IS_DONE(all text) is true. Returns the text, or None after PATIENCE."""
        text = ""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            text += self.read(1)
            if is_done(text):
                return text
        return None

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def main():
    prepare()
    terminal = Terminal()
    failures = 0
    if terminal.wait(lambda text: "ready>" in text) is None:
        print(f"FAILED: {shell} printed no prompt")
        sys.exit(1)
    for line, wanted in LINES:
        if os.path.exists("got"):
            os.unlink("got")
        terminal.write(line)
        screen = terminal.read(5)
        terminal.write("\r")
        screen += terminal.wait(lambda text: os.path.exists("got")) or ""
        try:
            with open("got") as f:
                # zsh removes the slash of a directory at the end of the line
                got = [word.rstrip("/") for word in f.read().splitlines()]
        except OSError:
            got = None
        if got != wanted:
            print(f"FAILED: {shell}: {line!r} gave {got}, not {wanted}; screen: {screen!r}")
            failures += 1
    for line, wanted, unwanted in LISTS:
        terminal.write("\x15" + line)
        screen = terminal.wait(lambda text: all(word in text for word in wanted))
        if screen is None or re.search(unwanted, screen):
            print(f"FAILED: {shell}: {line!r} printed {screen!r}")
            failures += 1
        terminal.write("\x03")
        terminal.read(2)
    terminal.close()
    print(f"{shell}: {len(LINES)} completed lines, {len(LISTS)} lists")
    sys.exit(1 if failures else 0)


main()
