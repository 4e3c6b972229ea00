# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""progress.py DECODE DUMP: each verb that reads DUMP from a slow standard input shows, on a pseudo-terminal, that it
reads, and leaves no line behind."""
import os
import pty
import re
import subprocess
import sys
import threading
import time

decode, dump = sys.argv[1:3]
failures = []
more = {"diff": [dump], "export": ["--to=folded"], "what-if": ["--speed-up=main=50%"], "report": ["-o", "page.html"],
        "why": ["0.0.1"]}
verbs = re.findall(r"^  ([a-z][a-z-]*)  ", subprocess.run([decode, "--help"], capture_output=True, text=True).stdout,
                   re.M)
verbs = [verb for verb in verbs if verb not in ("watch", "top")]  # these follow a directory
with open(dump, "rb") as f:
    bytes_ = f.read()


def last_line(text):
    """Returns the line that the terminal shows after TEXT, which ends with the messages of the verb."""
    line = ""
    for piece in re.split(r"(\r\033\[K|\r\n|\r|\033\[K)", text):
        if piece.startswith("\r"):
            line = ""
        elif piece != "\033[K":
            line += piece
    return line


def run(verb, seconds):
    master, slave = pty.openpty()
    process = subprocess.Popen([decode, verb, *more.get(verb, []), "-"], stdin=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    got = []

    def read():
        try:
            while piece := os.read(master, 65536):
                got.append(piece)
        except OSError:
            pass

    reader = threading.Thread(target=read)
    reader.start()
    process.stdin.write(bytes_[:5000])
    process.stdin.flush()
    time.sleep(seconds)
    process.stdin.write(bytes_[5000:])
    process.stdin.close()
    process.wait()
    reader.join()
    os.close(master)
    text = b"".join(got).decode()
    if process.returncode not in (0, 1):
        failures.append(f"{verb}: exit status {process.returncode}: {text!r}")
    if seconds and "\rreading: 1 s\033[K" not in text:
        failures.append(f"{verb} shows no progress: {text!r}")
    if last_line(text):
        failures.append(f"{verb} leaves a line behind: {text!r}")


threads = [threading.Thread(target=run, args=(verb, 2)) for verb in verbs]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for failure in failures:
    print("FAILED:", failure)
print(f"{len(verbs)} verbs")
sys.exit(1 if failures or len(verbs) < 15 else 0)
