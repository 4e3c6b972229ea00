# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Traces of earlier releases, with their decoded text.
TESTS += tests/golden/golden.sh
golden = tests/golden/0.1.0/pipeline.tar.xz tests/golden/0.1.0/pipeline.events.jsonl \
	tests/golden/0.1.0/pipeline.edges.jsonl tests/golden/0.1.0/sockets.tar.xz \
	tests/golden/0.1.0/sockets.events.jsonl tests/golden/0.1.0/sockets.edges.jsonl \
	tests/golden/0.1.0/columns.tar.xz tests/golden/0.1.0/columns.events.cksum tests/golden/0.1.0/columns.edges.cksum
EXTRA_DIST += tests/golden/golden.sh $(golden)
