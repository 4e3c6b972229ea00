# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Everything but main.c is a library, so that tests can take it apart.  A verb is a row in verbs.def
# and a source here.
noinst_LTLIBRARIES += libdecoder.la
DECODER_CFLAGS = $(SYT_OFFLINE_CFLAGS) -O2 -g -D_GNU_SOURCE $(LZ4_CFLAGS) $(XXHASH_CFLAGS) \
	$(LIBDW_CFLAGS) $(SMARTCOLS_CFLAGS)
libdecoder_la_CFLAGS = $(DECODER_CFLAGS)
libdecoder_la_LIBADD = $(LZ4_LIBS) $(XXHASH_LIBS) $(LIBDW_LIBS) $(SMARTCOLS_LIBS) -liberty -lm \
	-lpthread
# reading dumps
libdecoder_la_SOURCES = \
	decoder/block.c \
	decoder/block.h \
	decoder/call.c \
	decoder/call.h \
	decoder/chunk.c \
	decoder/chunk.h \
	decoder/clock.c \
	decoder/clock.h \
	decoder/image.c \
	decoder/image.h \
	decoder/input.c \
	decoder/input.h \
	decoder/meta.c \
	decoder/meta.h \
	decoder/peer.c \
	decoder/peer.h \
	decoder/reader.c \
	decoder/reader.h \
	decoder/record.c \
	decoder/rows.c \
	decoder/rows.h \
	decoder/segment.c \
	decoder/sort.c \
	decoder/sort.h \
	decoder/store.c \
	decoder/store.h \
	decoder/symbol.c \
	decoder/symbol.h \
	decoder/trace.h \
	decoder/work.c \
	decoder/work.h
# what happened before what, tasks, their graph
libdecoder_la_SOURCES += \
	decoder/channel.c \
	decoder/channel.h \
	decoder/check.c \
	decoder/check.h \
	decoder/check_attribution.c \
	decoder/check_barrier.c \
	decoder/check_edges.c \
	decoder/check_endpoint.c \
	decoder/check_filelock.c \
	decoder/check_losses.c \
	decoder/check_mutex.c \
	decoder/check_process.c \
	decoder/check_rwlock.c \
	decoder/check_sem.c \
	decoder/check_sequence.c \
	decoder/check_stream.c \
	decoder/check_team.c \
	decoder/check_thread.c \
	decoder/check_time.c \
	decoder/check_tries.c \
	decoder/checks.def \
	decoder/compare.h \
	decoder/coverage.c \
	decoder/coverage.h \
	decoder/datagram.h \
	decoder/edge-kinds.def \
	decoder/edge.c \
	decoder/edge.h \
	decoder/filelock.c \
	decoder/filelock.h \
	decoder/futex.c \
	decoder/futex.h \
	decoder/graph.c \
	decoder/graph.h \
	decoder/handoff.c \
	decoder/handoff.h \
	decoder/history.c \
	decoder/history.h \
	decoder/instants.c \
	decoder/instants.h \
	decoder/label.c \
	decoder/label.h \
	decoder/match.c \
	decoder/match.h \
	decoder/match_barrier.c \
	decoder/match_cancel.c \
	decoder/match_cond.c \
	decoder/match_datagram.c \
	decoder/match_eof.c \
	decoder/match_filelock.c \
	decoder/match_futex.c \
	decoder/match_listen.c \
	decoder/match_mutex.c \
	decoder/match_once.c \
	decoder/match_pi.c \
	decoder/match_process.c \
	decoder/match_queue.c \
	decoder/match_ready.c \
	decoder/match_rwlock.c \
	decoder/match_sem.c \
	decoder/match_signal.c \
	decoder/match_signalfd.c \
	decoder/match_stream.c \
	decoder/match_team.c \
	decoder/match_thread.c \
	decoder/match_timer.c \
	decoder/object.c \
	decoder/object.h \
	decoder/order.c \
	decoder/order.h \
	decoder/pair.c \
	decoder/pair.h \
	decoder/pair_traffic.c \
	decoder/pair_unix.c \
	decoder/place.c \
	decoder/place.h \
	decoder/rank.c \
	decoder/rank.h \
	decoder/reach.c \
	decoder/reach.h \
	decoder/section.c \
	decoder/section.h \
	decoder/signal.c \
	decoder/signal.h \
	decoder/task.c \
	decoder/task.h \
	decoder/verify.c \
	decoder/verify.h \
	decoder/wakeup.c \
	decoder/wakeup.h
# output and messages
libdecoder_la_SOURCES += \
	decoder/err.c \
	decoder/err.h \
	decoder/json.c \
	decoder/json.h \
	decoder/merge.c \
	decoder/merge.h \
	decoder/number.c \
	decoder/number.h \
	decoder/out.c \
	decoder/out.h \
	decoder/print.c \
	decoder/print.h \
	decoder/problem.c \
	decoder/problem.h \
	decoder/progress.c \
	decoder/progress.h \
	decoder/stack_text.c \
	decoder/stack_text.h \
	decoder/table.c \
	decoder/table.h
# verbs
libdecoder_la_SOURCES += \
	decoder/answer.c \
	decoder/answer.h \
	decoder/blind.c \
	decoder/blind.h \
	decoder/blind_example.c \
	decoder/blind_example.h \
	decoder/check_print.c \
	decoder/check_print.h \
	decoder/cmd_check.c \
	decoder/cmd_edges.c \
	decoder/cmd_events.c \
	decoder/cmd_graph.c \
	decoder/cmd_stat.c \
	decoder/cmd_stat.h \
	decoder/cmd_tasks.c \
	decoder/edge_print.c \
	decoder/edge_print.h \
	decoder/event_print.c \
	decoder/event_print.h \
	decoder/graph_print.c \
	decoder/graph_print.h \
	decoder/object_summary.c \
	decoder/object_summary.h \
	decoder/stat_json.c \
	decoder/stat_order.c \
	decoder/stat_text.c \
	decoder/summary.c \
	decoder/summary.h

bin_PROGRAMS += syntrace-decode
syntrace_decode_CFLAGS = $(DECODER_CFLAGS)
syntrace_decode_SOURCES = decoder/main.c decoder/command.h decoder/options.c decoder/options.h \
	decoder/verbs.def
syntrace_decode_LDADD = libdecoder.la
