#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-fleet serve: gives the answers of the verb query, exact profiles and the page, and refuses all else. With Chromium, the
# page runs in a browser.
. "$(dirname "$0")/lib.sh"
PYTHONPATH=$top_srcdir/tests/export:$top_srcdir/tests/report python3 "$fleet_tests/serve.py" "$dir" "$top_srcdir"
