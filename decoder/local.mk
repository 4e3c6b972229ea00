# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Everything but main.c is a library, so that tests can take it apart.  A verb is a row in verbs.def
# and a source here.
noinst_LTLIBRARIES += libdecoder.la
DECODER_CFLAGS = $(SYT_OFFLINE_CFLAGS) -O2 -g -D_GNU_SOURCE $(LZ4_CFLAGS) $(XXHASH_CFLAGS) \
	$(LIBDW_CFLAGS) $(SMARTCOLS_CFLAGS) $(PROTOBUF_C_CFLAGS) $(ZLIB_CFLAGS) \
	$(SQLITE_CFLAGS)
libdecoder_la_CFLAGS = $(DECODER_CFLAGS)
libdecoder_la_LIBADD = $(LZ4_LIBS) $(XXHASH_LIBS) $(LIBDW_LIBS) $(SMARTCOLS_LIBS) $(PROTOBUF_C_LIBS) \
	$(ZLIB_LIBS) $(SQLITE_LIBS) libsettings.la -liberty -lm -lpthread

# A room uses those above it, never those below (tests/lint/layers.sh).
# messages, output, memory, threads of work: nothing that knows a trace
libdecoder_la_SOURCES = \
	decoder/base/compare.h \
	decoder/base/component.c \
	decoder/base/component.h \
	decoder/base/counts.c \
	decoder/base/counts.h \
	decoder/base/err.c \
	decoder/base/err.h \
	decoder/base/json.c \
	decoder/base/json.h \
	decoder/base/out.c \
	decoder/base/out.h \
	decoder/base/problem.c \
	decoder/base/problem.h \
	decoder/base/progress.c \
	decoder/base/progress.h \
	decoder/base/sort.c \
	decoder/base/sort.h \
	decoder/base/store.c \
	decoder/base/store.h \
	decoder/base/table.c \
	decoder/base/table.h \
	decoder/base/work.c \
	decoder/base/work.h
# dumps: from bytes to events
libdecoder_la_SOURCES += \
	decoder/read/block.c \
	decoder/read/block.h \
	decoder/read/call.c \
	decoder/read/call.h \
	decoder/read/chunk.c \
	decoder/read/chunk.h \
	decoder/read/clock.c \
	decoder/read/clock.h \
	decoder/read/image.c \
	decoder/read/image.h \
	decoder/read/input.c \
	decoder/read/input.h \
	decoder/read/merge.c \
	decoder/read/merge.h \
	decoder/read/meta.c \
	decoder/read/meta.h \
	decoder/read/number.c \
	decoder/read/number.h \
	decoder/read/pause.c \
	decoder/read/pause.h \
	decoder/read/peer.c \
	decoder/read/peer.h \
	decoder/read/reader.c \
	decoder/read/reader.h \
	decoder/read/record.c \
	decoder/read/rows.c \
	decoder/read/rows.h \
	decoder/read/sparse.c \
	decoder/read/sparse.h \
	decoder/read/survey.c \
	decoder/read/unpack.c \
	decoder/read/unpack.h \
	decoder/read/segment.c \
	decoder/read/sort_rows.c \
	decoder/read/sort_rows.h \
	decoder/read/symbol.c \
	decoder/read/symbol.h \
	decoder/read/tail.c \
	decoder/read/tail.h \
	decoder/read/trace.h \
	decoder/read/waiting.c
# what each object went through, and edges as such
libdecoder_la_SOURCES += \
	decoder/history/coverage.c \
	decoder/history/coverage.h \
	decoder/history/edge-kinds.def \
	decoder/history/edge.c \
	decoder/history/edge.h \
	decoder/history/history.c \
	decoder/history/history.h \
	decoder/history/instants.c \
	decoder/history/instants.h \
	decoder/history/object.c \
	decoder/history/object.h \
	decoder/history/place.c \
	decoder/history/place.h \
	decoder/history/rank.c \
	decoder/history/rank.h \
	decoder/history/touch.c \
	decoder/history/touch.h \
	decoder/history/window.c \
	decoder/history/window.h
# the rules: which event let which other happen
libdecoder_la_SOURCES += \
	decoder/match/channel.c \
	decoder/match/channel.h \
	decoder/match/datagram.h \
	decoder/match/filelock.c \
	decoder/match/filelock.h \
	decoder/match/futex.c \
	decoder/match/futex.h \
	decoder/match/lock.h \
	decoder/match/match.c \
	decoder/match/match.h \
	decoder/match/match_barrier.c \
	decoder/match/match_cancel.c \
	decoder/match/match_cond.c \
	decoder/match/match_datagram.c \
	decoder/match/match_eof.c \
	decoder/match/match_filelock.c \
	decoder/match/match_futex.c \
	decoder/match/match_listen.c \
	decoder/match/match_mutex.c \
	decoder/match/match_once.c \
	decoder/match/match_pi.c \
	decoder/match/match_process.c \
	decoder/match/match_queue.c \
	decoder/match/match_ready.c \
	decoder/match/match_rwlock.c \
	decoder/match/match_sem.c \
	decoder/match/match_signal.c \
	decoder/match/match_signalfd.c \
	decoder/match/match_stream.c \
	decoder/match/match_team.c \
	decoder/match/match_thread.c \
	decoder/match/match_timer.c \
	decoder/match/pair.c \
	decoder/match/pair.h \
	decoder/match/pair_traffic.c \
	decoder/match/pair_unix.c \
	decoder/match/signal.c \
	decoder/match/signal.h \
	decoder/match/wakeup.c \
	decoder/match/wakeup.h
# the order of all, tasks, graphs
libdecoder_la_SOURCES += \
	decoder/order/graph.c \
	decoder/order/graph.h \
	decoder/order/handoff.c \
	decoder/order/handoff.h \
	decoder/order/label.c \
	decoder/order/label.h \
	decoder/order/locks.c \
	decoder/order/locks.h \
	decoder/order/order.c \
	decoder/order/order.h \
	decoder/order/reach.c \
	decoder/order/reach.h \
	decoder/order/section.c \
	decoder/order/section.h \
	decoder/order/task.c \
	decoder/order/task.h \
	decoder/order/task_sum.c \
	decoder/order/task_sum.h \
	decoder/order/telling.c \
	decoder/order/telling.h \
	decoder/order/verify.c \
	decoder/order/verify.h
# invariants
libdecoder_la_SOURCES += \
	decoder/check/check.c \
	decoder/check/check.h \
	decoder/check/check_attribution.c \
	decoder/check/check_barrier.c \
	decoder/check/check_edges.c \
	decoder/check/check_endpoint.c \
	decoder/check/check_filelock.c \
	decoder/check/check_losses.c \
	decoder/check/check_mutex.c \
	decoder/check/check_process.c \
	decoder/check/check_rwlock.c \
	decoder/check/check_sem.c \
	decoder/check/check_sequence.c \
	decoder/check/check_stream.c \
	decoder/check/check_team.c \
	decoder/check/check_thread.c \
	decoder/check/check_time.c \
	decoder/check/check_tries.c \
	decoder/check/checks.def
# what the order says about the program
libdecoder_la_SOURCES += \
	decoder/report/alarm.c \
	decoder/report/alarm.h \
	decoder/report/awaited.c \
	decoder/report/awaited.h \
	decoder/report/baseline.c \
	decoder/report/baseline.h \
	decoder/report/blame.c \
	decoder/report/blame.h \
	decoder/report/callpath.c \
	decoder/report/callpath.h \
	decoder/report/contention.c \
	decoder/report/contention.h \
	decoder/report/dependence.c \
	decoder/report/dependence.h \
	decoder/report/difference.c \
	decoder/report/difference.h \
	decoder/report/doom.c \
	decoder/report/doom.h \
	decoder/report/exchange.c \
	decoder/report/exchange.h \
	decoder/report/fact-types.def \
	decoder/report/fact.c \
	decoder/report/fact.h \
	decoder/report/herd.c \
	decoder/report/herd.h \
	decoder/report/holding.c \
	decoder/report/holding.h \
	decoder/report/law.c \
	decoder/report/law.h \
	decoder/report/lockorder.c \
	decoder/report/lockorder.h \
	decoder/report/lockorder_arc.c \
	decoder/report/lockorder_arc.h \
	decoder/report/lockorder_cycle.c \
	decoder/report/lockorder_cycle.h \
	decoder/report/lockorder_reply.c \
	decoder/report/lockorder_reply.h \
	decoder/report/lockorder_walk.c \
	decoder/report/lockorder_walk.h \
	decoder/report/lockset.c \
	decoder/report/lockset.h \
	decoder/report/mutual.c \
	decoder/report/mutual.h \
	decoder/report/path.c \
	decoder/report/path.h \
	decoder/report/path_sum.c \
	decoder/report/path_sum.h \
	decoder/report/replay.c \
	decoder/report/replay.h \
	decoder/report/request.c \
	decoder/report/request.h \
	decoder/report/request_cause.c \
	decoder/report/request_cause.h \
	decoder/report/service.c \
	decoder/report/service.h \
	decoder/report/serving.c \
	decoder/report/serving.h \
	decoder/report/site.c \
	decoder/report/site.h \
	decoder/report/spread.c \
	decoder/report/spread.h \
	decoder/report/turns.c \
	decoder/report/turns.h \
	decoder/report/unit.c \
	decoder/report/unit.h \
	decoder/report/wait_reason.c \
	decoder/report/wait_reason.h \
	decoder/report/waits.c \
	decoder/report/waits.h
# events, edges, graphs, findings as text and JSON
libdecoder_la_SOURCES += \
	decoder/show/alarm_print.c \
	decoder/show/alarm_print.h \
	decoder/show/blind.c \
	decoder/show/blind.h \
	decoder/show/blind_example.c \
	decoder/show/blind_example.h \
	decoder/show/check_print.c \
	decoder/show/check_print.h \
	decoder/show/contention_json.c \
	decoder/show/contention_print.h \
	decoder/show/contention_text.c \
	decoder/show/coverage_print.c \
	decoder/show/coverage_print.h \
	decoder/show/difference_document.c \
	decoder/show/difference_print.c \
	decoder/show/difference_print.h \
	decoder/show/edge_print.c \
	decoder/show/edge_print.h \
	decoder/show/event_print.c \
	decoder/show/event_print.h \
	decoder/show/finding.c \
	decoder/show/finding.h \
	decoder/show/graph_print.c \
	decoder/show/graph_print.h \
	decoder/show/lockorder_print.c \
	decoder/show/lockorder_print.h \
	decoder/show/object_summary.c \
	decoder/show/object_summary.h \
	decoder/show/path_json.c \
	decoder/show/path_print.h \
	decoder/show/path_text.c \
	decoder/show/pause_print.c \
	decoder/show/pause_print.h \
	decoder/show/place_json.c \
	decoder/show/place_json.h \
	decoder/show/print.c \
	decoder/show/print.h \
	decoder/show/request_json.c \
	decoder/show/request_print.h \
	decoder/show/request_text.c \
	decoder/show/stack_text.c \
	decoder/show/stack_text.h \
	decoder/show/summary.c \
	decoder/show/summary.h \
	decoder/show/waits_json.c \
	decoder/show/waits_print.h \
	decoder/show/waits_text.c \
	decoder/show/whatif_print.c \
	decoder/show/whatif_print.h \
	decoder/show/why_print.c
# formats of other tools
libdecoder_la_SOURCES += \
	decoder/export/export_chrome.c \
	decoder/export/export_ctf.c \
	decoder/export/export_folded.c \
	decoder/export/export_perfetto.c \
	decoder/export/export_pprof.c \
	decoder/export/export_sqlite.c \
	decoder/export/exporter.c \
	decoder/export/exporter.h \
	decoder/export/exporters.def \
	decoder/export/gzip.c \
	decoder/export/gzip.h \
	decoder/export/known.c \
	decoder/export/known.h \
	decoder/export/pass.c \
	decoder/export/pass.h \
	decoder/export/perfetto_intern.c \
	decoder/export/perfetto_intern.h \
	decoder/export/sqlite_schema.h \
	decoder/export/wait_sum.c \
	decoder/export/wait_sum.h \
	decoder/export/words.c \
	decoder/export/words.h
# one page of HTML
libdecoder_la_SOURCES += \
	decoder/html/html.h \
	decoder/html/html_edges.c \
	decoder/html/html_lockorder.c \
	decoder/html/html_page.c \
	decoder/html/html_reports.c \
	decoder/html/html_time.c \
	decoder/html/html_words.c \
	decoder/html/html_write.h \
	decoder/html/longest.c \
	decoder/html/longest.h \
	decoder/html/numbers.c \
	decoder/html/numbers.h
# what the user asks for
libdecoder_la_SOURCES += \
	decoder/verb/against.c \
	decoder/verb/against.h \
	decoder/verb/answer.c \
	decoder/verb/answer.h \
	decoder/verb/cmd_baseline.c \
	decoder/verb/cmd_check.c \
	decoder/verb/cmd_contention.c \
	decoder/verb/cmd_critical_path.c \
	decoder/verb/cmd_diagnose.c \
	decoder/verb/cmd_diff.c \
	decoder/verb/cmd_edges.c \
	decoder/verb/cmd_events.c \
	decoder/verb/cmd_export.c \
	decoder/verb/cmd_graph.c \
	decoder/verb/cmd_info.c \
	decoder/verb/cmd_lock_order.c \
	decoder/verb/cmd_report.c \
	decoder/verb/cmd_stat.c \
	decoder/verb/cmd_stat.h \
	decoder/verb/cmd_tasks.c \
	decoder/verb/cmd_waits.c \
	decoder/verb/cmd_watch.c \
	decoder/verb/cmd_what_if.c \
	decoder/verb/cmd_why.c \
	decoder/verb/options.c \
	decoder/verb/options.h \
	decoder/verb/outfile.c \
	decoder/verb/outfile.h \
	decoder/verb/path_run.c \
	decoder/verb/path_run.h \
	decoder/verb/requests.c \
	decoder/verb/requests.h \
	decoder/verb/runs.c \
	decoder/verb/runs.h \
	decoder/verb/stat_json.c \
	decoder/verb/stat_order.c \
	decoder/verb/stat_text.c \
	decoder/verb/values.c \
	decoder/verb/values.h

# Messages of other tools' formats, from their descriptions.
export_messages = decoder/export/perfetto.pb-c.c decoder/export/perfetto.pb-c.h \
	decoder/export/profile.pb-c.c decoder/export/profile.pb-c.h
nodist_libdecoder_la_SOURCES = $(export_messages)
BUILT_SOURCES += $(export_messages)
CLEANFILES += $(export_messages)
EXTRA_DIST += decoder/export/perfetto.proto decoder/export/profile.proto
PROTO_TO_C = $(AM_V_GEN)$(MKDIR_P) decoder/export && $(PROTOC_C) -I$(srcdir) --c_out=.
decoder/export/perfetto.pb-c.c: decoder/export/perfetto.proto
	$(PROTO_TO_C) $(srcdir)/decoder/export/perfetto.proto
decoder/export/profile.pb-c.c: decoder/export/profile.proto
	$(PROTO_TO_C) $(srcdir)/decoder/export/profile.proto
decoder/export/perfetto.pb-c.h: decoder/export/perfetto.pb-c.c
	@:
decoder/export/profile.pb-c.h: decoder/export/profile.pb-c.c
	@:
# a variable, as Automake makes no rule for a target that it finds here
using_messages = decoder/export/libdecoder_la-export_perfetto.lo decoder/export/libdecoder_la-export_pprof.lo \
	decoder/export/libdecoder_la-perfetto_intern.lo
$(using_messages): decoder/export/perfetto.pb-c.h decoder/export/profile.pb-c.h

# The parts of the page, as bytes.  Its scripts are one.
page_scripts = decoder/html/base.js decoder/html/timeline.js decoder/html/flame.js decoder/html/tables.js \
	decoder/html/main.js
page_parts = decoder/html/page.html decoder/html/page.css $(page_scripts)
nodist_libdecoder_la_SOURCES += decoder/html/html_parts.h
BUILT_SOURCES += decoder/html/html_parts.h
CLEANFILES += decoder/html/html_parts.h
EXTRA_DIST += $(page_parts)
PART_TO_C = od -An -v -tx1 | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
decoder/html/html_parts.h: $(page_parts)
	$(AM_V_GEN)$(MKDIR_P) decoder/html && { \
		echo 'static const unsigned char page_html[] = {' && \
		cat $(srcdir)/decoder/html/page.html | $(PART_TO_C) && \
		echo '}; static const unsigned char page_css[] = {' && \
		cat $(srcdir)/decoder/html/page.css | $(PART_TO_C) && \
		echo '}; static const unsigned char page_js[] = {' && \
		for part in $(page_scripts); do cat $(srcdir)/$$part || exit 1; done | $(PART_TO_C) && \
		echo '};'; } >$@.tmp && mv $@.tmp $@
using_parts = decoder/html/libdecoder_la-html_page.lo
$(using_parts): decoder/html/html_parts.h

bin_PROGRAMS += syntrace-decode
syntrace_decode_CFLAGS = $(DECODER_CFLAGS)
syntrace_decode_SOURCES = decoder/verb/main.c decoder/verb/command.h decoder/verb/verbs.def
syntrace_decode_LDADD = libdecoder.la
