# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-fleet(1): the store of the windows of many hosts. Knows only base/.
bin_PROGRAMS += syntrace-fleet
noinst_LIBRARIES += libfleet.a
libfleet_a_SOURCES = fleet/answers.h fleet/clickhouse.c fleet/clickhouse.h fleet/clickhouse_native.c fleet/clickhouse_native.h fleet/frames.c fleet/frames.h fleet/lines.c fleet/load.c fleet/load.h fleet/names.c fleet/names.h fleet/profile.c fleet/profile.h fleet/push.c fleet/push.h fleet/query.c fleet/query.h fleet/rows.c fleet/rows.h fleet/selection.c fleet/selection.h fleet/serve.c fleet/serve.h fleet/sql.c fleet/sql.h fleet/stability.c fleet/statistics.c fleet/statistics.h fleet/stop.c fleet/stop.h \
	fleet/store.c fleet/store.h fleet/store_clickhouse.c fleet/store_sqlite.c fleet/store_sqlite.h fleet/sums.c fleet/sums.h fleet/symbols.c fleet/symbols.h fleet/try.c fleet/try.h fleet/versions.c fleet/window_file.c fleet/window_file.h
FLEET_CFLAGS = $(SYT_OFFLINE_CFLAGS) -O2 -g -D_GNU_SOURCE $(JANSSON_CFLAGS) $(ZLIB_CFLAGS) $(SQLITE_CFLAGS) $(XXHASH_CFLAGS) $(CURL_CFLAGS) $(GSL_CFLAGS) $(MICROHTTPD_CFLAGS) $(PROTOBUF_C_CFLAGS) $(LIBDW_CFLAGS)
nodist_libfleet_a_SOURCES = $(profile_messages) fleet/page/page_parts.h
libfleet_a_CFLAGS = $(FLEET_CFLAGS)
fleet_libs = libfleet.a libbase.a $(JANSSON_LIBS) $(ZLIB_LIBS) $(SQLITE_LIBS) $(XXHASH_LIBS) $(CURL_LIBS) $(GSL_LIBS) $(MICROHTTPD_LIBS) $(PROTOBUF_C_LIBS) $(LIBDW_LIBS) -liberty -lm -lpthread
syntrace_fleet_SOURCES = fleet/main.c
syntrace_fleet_CFLAGS = $(FLEET_CFLAGS)
syntrace_fleet_LDADD = $(fleet_libs)
dist_man_MANS += man/syntrace-fleet.1

# The page, as bytes (PART_TO_C: decoder/report/page/local.mk).
fleet_page = fleet/page/page.html fleet/page/page.css fleet/page/page.js
BUILT_SOURCES += fleet/page/page_parts.h
CLEANFILES += fleet/page/page_parts.h
EXTRA_DIST += $(fleet_page)
fleet/page/page_parts.h: $(fleet_page)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && for part in $(fleet_page); do \
		name=`basename $$part | tr . _` && echo "static const unsigned char $$name[] = {" && \
		cat $(srcdir)/$$part | $(PART_TO_C) && echo '};' || exit 1; \
	done >$@.tmp && mv $@.tmp $@
using_fleet_parts = fleet/libfleet_a-serve.$(OBJEXT) fleet/libfleet_a-profile.$(OBJEXT)
$(using_fleet_parts): fleet/page/page_parts.h base/profile.pb-c.h
