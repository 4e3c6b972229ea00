# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
libdecoder_a_SOURCES += \
	decoder/report/page/command.c \
	decoder/report/page/edges.c \
	decoder/report/page/hosts.c \
	decoder/report/page/hosts.h \
	decoder/report/page/page.c \
	decoder/report/page/page.h \
	decoder/report/page/time.c
report_commands += decoder/report/page/command.c
dist_man_MANS += man/syntrace-decode-report.1
report_tests += tests/report/html.sh

# The parts of the page, as bytes.  Its scripts are one.  A tab is one script, which calls section(); the tabs have the
# order of the scripts.
page_scripts = decoder/report/page/base.js decoder/report/page/timeline.js decoder/report/page/flame.js \
	decoder/report/page/critical.js \
	decoder/report/page/requests.js \
	decoder/report/page/contention.js \
	decoder/report/page/waits.js \
	decoder/report/page/lockorder.js \
	decoder/report/page/main.js
page_parts = decoder/report/page/page.html decoder/report/page/page.css $(page_scripts)
nodist_libdecoder_a_SOURCES += decoder/report/page/page_parts.h
BUILT_SOURCES += decoder/report/page/page_parts.h
CLEANFILES += decoder/report/page/page_parts.h
EXTRA_DIST += $(page_parts)
PART_TO_C = od -An -v -tx1 | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
decoder/report/page/page_parts.h: $(page_parts)
	$(AM_V_GEN)$(MKDIR_P) decoder/report/page && { \
		echo 'static const unsigned char page_html[] = {' && \
		cat $(srcdir)/decoder/report/page/page.html | $(PART_TO_C) && \
		echo '}; static const unsigned char page_css[] = {' && \
		cat $(srcdir)/decoder/report/page/page.css | $(PART_TO_C) && \
		echo '}; static const unsigned char page_js[] = {' && \
		for part in $(page_scripts); do cat $(srcdir)/$$part || exit 1; done | $(PART_TO_C) && \
		echo '};'; } >$@.tmp && mv $@.tmp $@
using_parts = decoder/report/page/libdecoder_a-page.$(OBJEXT)
$(using_parts): decoder/report/page/page_parts.h
