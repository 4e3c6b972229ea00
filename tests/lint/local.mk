# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Checks of the source and of libsyntrace.so itself.
lints = tests/lint/layers.sh tests/lint/headers.sh tests/lint/tags.sh tests/lint/exports.sh tests/lint/undefined.sh \
	tests/lint/binary.sh tests/lint/text.sh tests/lint/dist.sh \
	tests/lint/format.sh tests/lint/environment.sh tests/lint/tested.sh tests/lint/pitfalls.sh \
	tests/lint/optional.sh tests/lint/pictures.sh tests/lint/selftest.sh
TESTS += $(lints)
EXTRA_DIST += $(lints) tests/lint/lib.sh tests/lint/undefined.list

# For developers: formats the C sources, or says which differ.
SYT_C_DIRS = format runtime preload base settings decoder tool tests examples
format:
	cd $(top_srcdir) && find $(SYT_C_DIRS) -name '*.[ch]' 2>/dev/null | xargs clang-format -i
format-check:
	cd $(top_srcdir) && find $(SYT_C_DIRS) -name '*.[ch]' 2>/dev/null | xargs clang-format -n --Werror
.PHONY: format format-check
