#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
cpython_module.py MODULE [OPTION...]: runs a module of CPython's own tests behind $RECORD and prints `CASE: RESULT` for each of its
test cases, and one more line when it did not come to its end.
"""
import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

PYTHON = "/usr/bin/python3.11"
TEST_SECONDS = 500


def main():
    here = pathlib.Path.cwd()
    (here / "tests").mkdir()
    command = [PYTHON, "-m", "test", "-v", "--junit-xml", here / "results.xml", "--tempdir", here / "tests", *sys.argv[1:]]
    with (here / "log").open("w") as log:
        try:
            status = subprocess.run(os.environ["RECORD"].split() + command, stdout=log, stderr=log, timeout=TEST_SECONDS,
                                    check=False).returncode
        except subprocess.TimeoutExpired:
            status = "timeout"
    try:
        tree = xml.etree.ElementTree.parse(here / "results.xml")
    except (OSError, xml.etree.ElementTree.ParseError):
        print(f"(module): no results, exit status {status}")
        sys.stderr.write((here / "log").read_text(errors="replace")[-3000:])
        return
    for case in tree.iter("testcase"):
        results = sorted({child.tag for child in case} - {"system-out", "system-err"})
        print(f"{case.get('name').replace(': ', ' ')}: {' '.join(results) or 'ok'}")


main()
