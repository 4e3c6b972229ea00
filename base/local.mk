# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Messages, memory, output and algorithms of all programs that run offline: nothing that knows a trace.
# A library that only programs take in is a plain archive: libtool starts some 40 processes for each object.
noinst_LIBRARIES += libbase.a
libbase_a_SOURCES = \
	base/bisect.h \
	base/compare.h \
	base/component.c \
	base/component.h \
	base/counts.c \
	base/counts.h \
	base/err.c \
	base/err.h \
	base/hash.c \
	base/hash.h \
	base/json.c \
	base/json.h \
	base/lines.c \
	base/lines.h \
	base/ordered.c \
	base/ordered.h \
	base/out.c \
	base/out.h \
	base/problem.c \
	base/problem.h \
	base/progress.c \
	base/progress.h \
	base/protobuf.h \
	base/random.h \
	base/rest.h \
	base/sort.c \
	base/sort.h \
	base/source.c \
	base/source.h \
	base/store.c \
	base/store.h \
	base/table.c \
	base/table.h \
	base/work.c \
	base/work.h
libbase_a_CFLAGS = $(SYT_OFFLINE_CFLAGS) -O2 -g -D_GNU_SOURCE $(LIBDW_CFLAGS)

# Messages of the profiles of pprof, from their description; a library that writes them compiles them.
profile_messages = base/profile.pb-c.c base/profile.pb-c.h
BUILT_SOURCES += $(profile_messages)
CLEANFILES += $(profile_messages)
EXTRA_DIST += base/profile.proto
PROTO_TO_C = $(AM_V_GEN)$(MKDIR_P) $(@D) && $(PROTOC_C) -I$(srcdir) --c_out=.
base/profile.pb-c.c: base/profile.proto
	$(PROTO_TO_C) $(srcdir)/base/profile.proto
base/profile.pb-c.h: base/profile.pb-c.c
	@:
