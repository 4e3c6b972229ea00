# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
EXTRA_DIST += examples/demo.sh examples/follow-request.sh

# Small programs to try the tools on; `make check` builds them.
check_PROGRAMS += examples/pipeline
examples_pipeline_SOURCES = examples/pipeline.c
