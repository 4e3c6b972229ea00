# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Everything but main.c is a library, so that tests can take it apart.  A verb is a row in
# command/reports.def and a folder below report/ (doc/howto-add-a-report.md).
noinst_LIBRARIES += libdecoder.a
DECODER_CFLAGS = $(SYT_OFFLINE_CFLAGS) -O2 -g -D_GNU_SOURCE $(LZ4_CFLAGS) $(XXHASH_CFLAGS) \
	$(LIBDW_CFLAGS) $(PROTOBUF_C_CFLAGS) $(ZLIB_CFLAGS) \
	$(SQLITE_CFLAGS)
libdecoder_a_CFLAGS = $(DECODER_CFLAGS)
decoder_libs = libdecoder.a libsettings.a libbase.a $(LZ4_LIBS) $(XXHASH_LIBS) $(LIBDW_LIBS) $(PROTOBUF_C_LIBS) \
	$(ZLIB_LIBS) $(SQLITE_LIBS) $(INIH_LIBS) -liberty -lm -lpthread

nodist_libdecoder_a_SOURCES =
# A folder uses the folders above it, never those below (tests/lint/layers.sh).
# dumps: from bytes to events
libdecoder_a_SOURCES = \
	decoder/read/block.c \
	decoder/read/block.h \
	decoder/read/boot.c \
	decoder/read/boot.h \
	decoder/read/call.c \
	decoder/read/call.h \
	decoder/read/chunk.c \
	decoder/read/chunk.h \
	decoder/read/clock.c \
	decoder/read/clock.h \
	decoder/read/component.c \
	decoder/read/field.c \
	decoder/read/field.h \
	decoder/read/identity.c \
	decoder/read/image.c \
	decoder/read/image.h \
	decoder/read/input.c \
	decoder/read/input.h \
	decoder/read/kept.h \
	decoder/read/left_out.c \
	decoder/read/merge.c \
	decoder/read/merge.h \
	decoder/read/meta.c \
	decoder/read/meta.h \
	decoder/read/name.c \
	decoder/read/name.h \
	decoder/read/number.c \
	decoder/read/number.h \
	decoder/read/part.c \
	decoder/read/part.h \
	decoder/read/pause.c \
	decoder/read/peer.c \
	decoder/read/peer.h \
	decoder/read/perf.c \
	decoder/read/perf.h \
	decoder/read/perf_map.c \
	decoder/read/perf_map.h \
	decoder/read/plain.h \
	decoder/read/quick.h \
	decoder/read/reader.c \
	decoder/read/reader.h \
	decoder/read/record.c \
	decoder/read/rows.c \
	decoder/read/segment.c \
	decoder/read/sparse.c \
	decoder/read/sparse.h \
	decoder/read/survey.c \
	decoder/read/symbol.c \
	decoder/read/symbol.h \
	decoder/read/symtab.c \
	decoder/read/symtab.h \
	decoder/read/tail.c \
	decoder/read/tail.h \
	decoder/read/unpack.c \
	decoder/read/unpack.h \
	decoder/read/waiting.c
# the clocks of several hosts on one time axis
libdecoder_a_SOURCES += \
	decoder/host/axis.c \
	decoder/host/axis.h \
	decoder/host/bounds.c \
	decoder/host/bounds.h \
	decoder/host/certain.c \
	decoder/host/certain.h \
	decoder/host/connect.c \
	decoder/host/connect.h \
	decoder/host/cut.c \
	decoder/host/cut.h \
	decoder/host/fit.c \
	decoder/host/fit.h \
	decoder/host/graph.c \
	decoder/host/graph.h \
	decoder/host/join.c \
	decoder/host/join.h \
	decoder/host/knots.c \
	decoder/host/knots.h \
	decoder/host/line.c \
	decoder/host/line.h \
	decoder/host/message.c \
	decoder/host/message.h \
	decoder/host/move.c \
	decoder/host/move.h \
	decoder/host/place.c \
	decoder/host/place.h \
	decoder/host/placement.c \
	decoder/host/placement.h \
	decoder/host/result.c \
	decoder/host/result.h \
	decoder/host/summary.c \
	decoder/host/summary.h \
	decoder/host/thinning.c \
	decoder/host/thinning.h
# what each object went through, and edges as such
libdecoder_a_SOURCES += \
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
libdecoder_a_SOURCES += \
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
	decoder/match/rules.c \
	decoder/match/signal.c \
	decoder/match/signal.h \
	decoder/match/wakeup.c \
	decoder/match/wakeup.h
# the order of all, tasks, graphs
libdecoder_a_SOURCES += \
	decoder/order/distinguish.c \
	decoder/order/distinguish.h \
	decoder/order/end.c \
	decoder/order/end.h \
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
	decoder/order/verify.c \
	decoder/order/verify.h
# invariants
libdecoder_a_SOURCES += \
	decoder/check/check.c \
	decoder/check/check.h \
	decoder/check/check_attribution.c \
	decoder/check/check_barrier.c \
	decoder/check/check_edges.c \
	decoder/check/check_endpoint.c \
	decoder/check/check_filelock.c \
	decoder/check/check_hosts.c \
	decoder/check/check_identity.c \
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
# facts that several reports share: holdings, blame, call paths, exchanges, the critical path
libdecoder_a_SOURCES += \
	decoder/analysis/blame.c \
	decoder/analysis/blame.h \
	decoder/analysis/blocked.c \
	decoder/analysis/blocked.h \
	decoder/analysis/blocked_object.c \
	decoder/analysis/blocked_object.h \
	decoder/analysis/blocked_reason.c \
	decoder/analysis/call_path.c \
	decoder/analysis/call_path.h \
	decoder/analysis/call_rule.c \
	decoder/analysis/call_rule.h \
	decoder/analysis/cause.c \
	decoder/analysis/cause.h \
	decoder/analysis/cause_group.c \
	decoder/analysis/cause_deadline.c \
	decoder/analysis/cause_loop.c \
	decoder/analysis/cause_poll.c \
	decoder/analysis/cause_queue.c \
	decoder/analysis/cause_stream.c \
	decoder/analysis/cause_trip.c \
	decoder/analysis/cause_wake.c \
	decoder/analysis/classify.c \
	decoder/analysis/classify.h \
	decoder/analysis/cpu_time.c \
	decoder/analysis/cpu_time.h \
	decoder/analysis/critical_path.c \
	decoder/analysis/critical_path.h \
	decoder/analysis/dependence.c \
	decoder/analysis/dependence.h \
	decoder/analysis/exchange.c \
	decoder/analysis/exchange.h \
	decoder/analysis/holding.c \
	decoder/analysis/holding.h \
	decoder/analysis/live_holding.c \
	decoder/analysis/live_holding.h \
	decoder/analysis/lockset.c \
	decoder/analysis/lockset.h \
	decoder/analysis/own_frame.c \
	decoder/analysis/own_frame.h \
	decoder/analysis/path_sum.c \
	decoder/analysis/path_sum.h \
	decoder/analysis/request.c \
	decoder/analysis/request.h \
	decoder/analysis/role_conflict.c \
	decoder/analysis/role_conflict.h \
	decoder/analysis/roles.c \
	decoder/analysis/roles.h \
	decoder/analysis/service.c \
	decoder/analysis/service.h \
	decoder/analysis/spread.c \
	decoder/analysis/spread.h \
	decoder/analysis/wait_walk.c \
	decoder/analysis/wait_walk.h
# tasks that consist of tasks: mined from the leaf tasks
libdecoder_a_SOURCES += \
	decoder/model/build.c \
	decoder/model/carry.c \
	decoder/model/carry.h \
	decoder/model/detour.c \
	decoder/model/detour.h \
	decoder/model/expect.c \
	decoder/model/expect.h \
	decoder/model/expect_parse.c \
	decoder/model/forest.c \
	decoder/model/forest.h \
	decoder/model/function.c \
	decoder/model/hidden.c \
	decoder/model/hidden.h \
	decoder/model/inline.c \
	decoder/model/input.c \
	decoder/model/input.h \
	decoder/model/join.c \
	decoder/model/join.h \
	decoder/model/key.c \
	decoder/model/latency.c \
	decoder/model/latency.h \
	decoder/model/loop.c \
	decoder/model/merge.c \
	decoder/model/merge.h \
	decoder/model/mine.c \
	decoder/model/mine.h \
	decoder/model/model.c \
	decoder/model/model.h \
	decoder/model/name.c \
	decoder/model/name.h \
	decoder/model/open.c \
	decoder/model/parse.c \
	decoder/model/profile.c \
	decoder/model/profile.h \
	decoder/model/refine.h \
	decoder/model/rename.c \
	decoder/model/rename.h \
	decoder/model/round.c \
	decoder/model/rules.c \
	decoder/model/rules_count.c \
	decoder/model/rules.h \
	decoder/model/shape.c \
	decoder/model/shape.h \
	decoder/model/start.c \
	decoder/model/start.h \
	decoder/model/unique.c
# requests as a population: behaviours, clusters, automata, models of workloads
libdecoder_a_SOURCES += \
	decoder/request/alergia.c \
	decoder/request/automaton.c \
	decoder/request/automaton.h \
	decoder/request/behaviour.c \
	decoder/request/behaviour.h \
	decoder/request/cluster.c \
	decoder/request/cluster.h \
	decoder/request/disguised_lock.c \
	decoder/request/disguised_lock.h \
	decoder/request/distance.c \
	decoder/request/distance.h \
	decoder/request/extent.c \
	decoder/request/extent.h \
	decoder/request/gather.c \
	decoder/request/gather.h \
	decoder/request/member.c \
	decoder/request/member.h \
	decoder/request/merge.c \
	decoder/request/merge.h \
	decoder/request/mix.c \
	decoder/request/mix.h \
	decoder/request/nearest.c \
	decoder/request/nearest.h \
	decoder/request/novelty.c \
	decoder/request/novelty.h \
	decoder/request/odd.c \
	decoder/request/odd.h \
	decoder/request/piece.c \
	decoder/request/piece.h \
	decoder/request/population.c \
	decoder/request/population_parse.c \
	decoder/request/population.h \
	decoder/request/prefix.c \
	decoder/request/prefix.h \
	decoder/request/queue_take.c \
	decoder/request/queue_take.h \
	decoder/request/visit.c \
	decoder/request/visit.h \
	decoder/request/work.c \
	decoder/request/work.h \
	decoder/request/workload.c \
	decoder/request/workload.h \
	decoder/request/workload_calibrate.c \
	decoder/request/workload_kind.c \
	decoder/request/workload_kind.h \
	decoder/request/workload_parse.c \
	decoder/request/workload_save.c \
	decoder/request/workload_score.c
# samplers, replayed on a trace
libdecoder_a_SOURCES += \
	decoder/sample/input.c \
	decoder/sample/input.h \
	decoder/sample/metrics.c \
	decoder/sample/metrics.h \
	decoder/sample/replay.c \
	decoder/sample/replay.h \
	decoder/sample/tune.c \
	decoder/sample/tune.h \
	decoder/sample/turn.c \
	decoder/sample/turn.h
# printers that several reports share
libdecoder_a_SOURCES += \
	decoder/show/blind.c \
	decoder/show/blind.h \
	decoder/show/client.c \
	decoder/show/client.h \
	decoder/show/coverage_print.c \
	decoder/show/coverage_print.h \
	decoder/show/edge_print.c \
	decoder/show/edge_print.h \
	decoder/show/finding.c \
	decoder/show/finding.h \
	decoder/show/host_error.c \
	decoder/show/host_error.h \
	decoder/show/listing.c \
	decoder/show/listing.h \
	decoder/show/place_json.c \
	decoder/show/place_json.h \
	decoder/show/print.c \
	decoder/show/print.h \
	decoder/show/wrap.c \
	decoder/show/wrap.h
# the primitives of the HTML page
libdecoder_a_SOURCES += \
	decoder/html/longest.c \
	decoder/html/longest.h \
	decoder/html/stacks.c \
	decoder/html/words.c \
	decoder/html/write.h
# the interface of a verb: its row, its options, its output file
libdecoder_a_SOURCES += \
	decoder/command/command.h \
	decoder/command/option.c \
	decoder/command/option.h \
	decoder/command/options.c \
	decoder/command/options.h \
	decoder/command/outfile.c \
	decoder/command/outfile.h \
	decoder/command/reports.c \
	decoder/command/runs.c \
	decoder/command/runs.h \
	decoder/command/view.c \
	decoder/command/view.h
# What a folder lists: its sources, its command (for the manual), its page and its test.
report_commands = decoder/export/command.c
report_tests =
# one folder per question that a report answers: analysis, text, JSON, command, options
include decoder/report/blocked/local.mk
include decoder/report/check/local.mk
include decoder/report/clocks/local.mk
include decoder/report/compare/local.mk
include decoder/report/contention/local.mk
include decoder/report/critical_path/local.mk
include decoder/report/diagnose/local.mk
include decoder/report/edges/local.mk
include decoder/report/events/local.mk
include decoder/report/graph/local.mk
include decoder/report/info/local.mk
include decoder/report/lock_order/local.mk
include decoder/report/model/local.mk
include decoder/report/page/local.mk
include decoder/report/requests/local.mk
include decoder/report/sampling/local.mk
include decoder/report/stat/local.mk
include decoder/report/tasks/local.mk
include decoder/report/waits/local.mk
include decoder/report/top/local.mk
include decoder/report/watch/local.mk
include decoder/report/what_if/local.mk
include decoder/report/why/local.mk
include decoder/report/workload/local.mk
# formats of other tools
libdecoder_a_SOURCES += \
	decoder/export/archive.c \
	decoder/export/archive.h \
	decoder/export/command.c \
	decoder/export/export_ctf.c \
	decoder/export/export_folded.c \
	decoder/export/export_perfetto.c \
	decoder/export/export_pprof.c \
	decoder/export/export_sqlite.c \
	decoder/export/export_window.c \
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
	decoder/export/selection.c \
	decoder/export/selection.h \
	decoder/export/sqlite_facts.c \
	decoder/export/sqlite_requests.c \
	decoder/export/sqlite_row.c \
	decoder/export/sqlite_row.h \
	decoder/export/sqlite_schema.h \
	decoder/export/wait_sum.c \
	decoder/export/wait_sum.h \
	decoder/export/window_facts.c \
	decoder/export/window_facts.h \
	decoder/export/words.c \
	decoder/export/words.h

# Messages of other tools' formats, from their descriptions.
export_messages = decoder/export/perfetto.pb-c.c decoder/export/perfetto.pb-c.h
nodist_libdecoder_a_SOURCES += $(export_messages) $(profile_messages)
BUILT_SOURCES += $(export_messages)
CLEANFILES += $(export_messages)
EXTRA_DIST += decoder/export/perfetto.proto
decoder/export/perfetto.pb-c.c: decoder/export/perfetto.proto
	$(PROTO_TO_C) $(srcdir)/decoder/export/perfetto.proto
decoder/export/perfetto.pb-c.h: decoder/export/perfetto.pb-c.c
	@:
# a variable, as Automake makes no rule for a target that it finds here
using_messages = decoder/export/libdecoder_a-export_perfetto.$(OBJEXT) decoder/export/libdecoder_a-export_pprof.$(OBJEXT) \
	decoder/export/libdecoder_a-perfetto_intern.$(OBJEXT)
$(using_messages): decoder/export/perfetto.pb-c.h base/profile.pb-c.h

bin_PROGRAMS += syntrace-decode
syntrace_decode_CFLAGS = $(DECODER_CFLAGS)
syntrace_decode_SOURCES = decoder/main.c decoder/command/reports.def
syntrace_decode_LDADD = $(decoder_libs)
