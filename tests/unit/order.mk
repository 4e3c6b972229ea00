# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Ordering, against histories made by hand: tests/lib/trace-builder.h.
order_tests = \
	tests/unit/test-match-lock \
	tests/unit/test-match-sampled \
	tests/unit/test-match-cond \
	tests/unit/test-match-sem \
	tests/unit/test-match-filelock \
	tests/unit/test-match-queue \
	tests/unit/test-match-life \
	tests/unit/test-match-signal \
	tests/unit/test-match-futex \
	tests/unit/test-match-timer \
	tests/unit/test-match-stream \
	tests/unit/test-order-random \
	tests/unit/test-reach \
	tests/unit/test-sparse \
	tests/unit/test-handoff \
	tests/unit/test-alarm \
	tests/unit/test-automaton \
	tests/unit/test-count-model \
	tests/unit/test-rules \
	tests/unit/test-distance \
	tests/unit/test-cluster \
	tests/unit/test-certain \
	tests/unit/test-line \
	tests/unit/test-forward \
	tests/unit/test-page \
	tests/unit/test-place \
	tests/unit/test-mix \
	tests/unit/test-sample \
	tests/unit/test-budget \
	tests/unit/test-sampler \
	tests/unit/test-complete \
	tests/unit/test-pace \
	tests/unit/test-prefix \
	tests/unit/test-check \
	tests/unit/test-check-hosts \
	tests/unit/test-check-lock \
	tests/unit/test-check-random \
	tests/unit/test-blame \
	tests/unit/test-cpu-time \
	tests/unit/test-holding \
	tests/unit/test-contention \
	tests/unit/test-blocked \
	tests/unit/test-difference \
	tests/unit/test-expect \
	tests/unit/test-lockorder \
	tests/unit/test-model \
	tests/unit/test-model-oracle \
	tests/unit/test-model-large \
	tests/unit/test-odd \
	tests/unit/test-path \
	tests/unit/test-replay \
	tests/unit/test-request \
	tests/unit/test-task \
	tests/unit/test-extent \
	tests/unit/test-piece \
	tests/unit/test-label \
	tests/unit/test-waits \
	tests/unit/test-window \
	tests/unit/test-workload
order_support = tests/unit/order-check.h
ORDER_TEST_CFLAGS = $(SYT_OFFLINE_CFLAGS) -D_GNU_SOURCE $(CMOCKA_CFLAGS)
ORDER_TEST_LIBS = libtracebuilder.a $(decoder_libs) $(CMOCKA_LIBS)
check_LIBRARIES += libtracebuilder.a
libtracebuilder_a_SOURCES = tests/lib/trace-builder.c tests/lib/trace-builder.h
libtracebuilder_a_CFLAGS = $(ORDER_TEST_CFLAGS)

tests_unit_test_match_lock_SOURCES = tests/unit/test-match-lock.c $(order_support)
tests_unit_test_match_lock_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_match_lock_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_match_sampled_SOURCES = tests/unit/test-match-sampled.c $(order_support)
tests_unit_test_match_sampled_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_match_sampled_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_match_cond_SOURCES = tests/unit/test-match-cond.c $(order_support)
tests_unit_test_match_cond_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_match_cond_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_match_sem_SOURCES = tests/unit/test-match-sem.c $(order_support)
tests_unit_test_match_sem_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_match_sem_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_match_filelock_SOURCES = tests/unit/test-match-filelock.c $(order_support)
tests_unit_test_match_filelock_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_match_filelock_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_match_futex_SOURCES = tests/unit/test-match-futex.c $(order_support)
tests_unit_test_match_futex_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_match_futex_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_match_queue_SOURCES = tests/unit/test-match-queue.c $(order_support)
tests_unit_test_match_queue_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_match_queue_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_match_life_SOURCES = tests/unit/test-match-life.c $(order_support)
tests_unit_test_match_life_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_match_life_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_match_signal_SOURCES = tests/unit/test-match-signal.c $(order_support)
tests_unit_test_match_signal_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_match_signal_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_match_timer_SOURCES = tests/unit/test-match-timer.c $(order_support)
tests_unit_test_match_timer_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_match_timer_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_match_stream_SOURCES = tests/unit/test-match-stream.c $(order_support)
tests_unit_test_match_stream_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_match_stream_LDADD = $(ORDER_TEST_LIBS)
random_machine = tests/lib/random-machine.c tests/lib/random-machine.h
tests_unit_test_sparse_SOURCES = tests/unit/test-sparse.c
tests_unit_test_sparse_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_sparse_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_order_random_SOURCES = tests/unit/test-order-random.c $(random_machine) $(order_support)
tests_unit_test_order_random_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_order_random_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_reach_SOURCES = tests/unit/test-reach.c $(random_machine) $(order_support)
tests_unit_test_reach_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_reach_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_handoff_SOURCES = tests/unit/test-handoff.c tests/lib/random.h $(order_support)
tests_unit_test_handoff_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_handoff_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_check_SOURCES = tests/unit/test-check.c tests/unit/invariant-check.h $(order_support)
tests_unit_test_check_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_check_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_check_hosts_SOURCES = tests/unit/test-check-hosts.c tests/unit/host-network.h tests/unit/host-simulation.h \
	tests/lib/random.h tests/unit/invariant-check.h $(order_support)
tests_unit_test_check_hosts_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_check_hosts_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_check_lock_SOURCES = tests/unit/test-check-lock.c tests/unit/invariant-check.h $(order_support)
tests_unit_test_check_lock_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_check_lock_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_check_random_SOURCES = tests/unit/test-check-random.c $(random_machine) \
	$(order_support)
tests_unit_test_check_random_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_check_random_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_blame_SOURCES = tests/unit/test-blame.c tests/unit/report-check.h $(order_support)
tests_unit_test_blame_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_blame_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_cpu_time_SOURCES = tests/unit/test-cpu-time.c tests/unit/report-check.h $(order_support)
tests_unit_test_cpu_time_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_cpu_time_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_holding_SOURCES = tests/unit/test-holding.c tests/unit/report-check.h $(order_support)
tests_unit_test_holding_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_holding_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_contention_SOURCES = tests/unit/test-contention.c tests/unit/report-check.h tests/lib/random.h $(order_support)
tests_unit_test_contention_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_contention_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_waits_SOURCES = tests/unit/test-waits.c tests/unit/report-check.h tests/lib/random.h $(order_support)
tests_unit_test_waits_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_waits_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_alarm_SOURCES = tests/unit/test-alarm.c
tests_unit_test_alarm_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_alarm_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_automaton_SOURCES = tests/unit/test-automaton.c tests/lib/random.h tests/lib/reber.h
tests_unit_test_automaton_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_automaton_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_count_model_SOURCES = tests/unit/test-count-model.c
tests_unit_test_count_model_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_count_model_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_rules_SOURCES = tests/unit/test-rules.c
tests_unit_test_rules_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_rules_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_distance_SOURCES = tests/unit/test-distance.c tests/lib/random.h
tests_unit_test_distance_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_distance_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_cluster_SOURCES = tests/unit/test-cluster.c tests/lib/random.h
tests_unit_test_cluster_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_cluster_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_line_SOURCES = tests/unit/test-line.c tests/unit/host-simulation.h tests/lib/random.h
tests_unit_test_line_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_line_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_forward_SOURCES = tests/unit/test-forward.c tests/unit/host-network.h tests/unit/host-simulation.h tests/lib/random.h
tests_unit_test_forward_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_forward_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_place_SOURCES = tests/unit/test-place.c tests/unit/host-network.h tests/unit/host-simulation.h tests/lib/random.h
tests_unit_test_place_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_place_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_certain_SOURCES = tests/unit/test-certain.c tests/unit/host-network.h tests/unit/host-simulation.h tests/lib/random.h
tests_unit_test_certain_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_certain_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_sample_SOURCES = tests/unit/test-sample.c tests/lib/random.h
tests_unit_test_sample_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_sample_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_budget_SOURCES = tests/unit/test-budget.c
tests_unit_test_budget_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_budget_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_sampler_SOURCES = tests/unit/test-sampler.c tests/lib/random.h
tests_unit_test_sampler_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_sampler_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_mix_SOURCES = tests/unit/test-mix.c tests/lib/random.h
tests_unit_test_mix_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_mix_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_complete_SOURCES = tests/unit/test-complete.c
tests_unit_test_complete_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_complete_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_prefix_SOURCES = tests/unit/test-prefix.c
tests_unit_test_prefix_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_prefix_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_pace_SOURCES = tests/unit/test-pace.c
tests_unit_test_pace_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_pace_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_difference_SOURCES = tests/unit/test-difference.c $(order_support)
tests_unit_test_difference_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_difference_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_blocked_SOURCES = tests/unit/test-blocked.c tests/unit/lock-history.h $(order_support)
tests_unit_test_blocked_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_blocked_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_lockorder_SOURCES = tests/unit/test-lockorder.c tests/unit/lock-history.h tests/lib/random.h $(order_support)
tests_unit_test_lockorder_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_lockorder_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_expect_SOURCES = tests/unit/test-expect.c tests/lib/random.h
tests_unit_test_expect_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_expect_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_model_SOURCES = tests/unit/test-model.c tests/lib/random.h
tests_unit_test_model_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_model_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_odd_SOURCES = tests/unit/test-odd.c tests/lib/random.h tests/lib/reber.h
tests_unit_test_odd_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_odd_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_extent_SOURCES = tests/unit/test-extent.c $(order_support) tests/lib/random.h
tests_unit_test_extent_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_extent_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_piece_SOURCES = tests/unit/test-piece.c tests/lib/random.h
tests_unit_test_piece_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_piece_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_workload_SOURCES = tests/unit/test-workload.c tests/lib/random.h
tests_unit_test_workload_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_workload_LDADD = $(ORDER_TEST_LIBS) -lm
tests_unit_test_model_oracle_SOURCES = tests/unit/test-model-oracle.c tests/lib/random.h
tests_unit_test_model_oracle_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_model_oracle_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_model_large_SOURCES = tests/unit/test-model-large.c
tests_unit_test_model_large_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_model_large_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_page_SOURCES = tests/unit/test-page.c tests/unit/report-check.h $(order_support)
tests_unit_test_page_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_page_LDFLAGS = -Wl,--wrap=syt_requests_open
tests_unit_test_page_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_path_SOURCES = tests/unit/test-path.c tests/unit/report-check.h tests/lib/random.h $(order_support)
tests_unit_test_path_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_path_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_replay_SOURCES = tests/unit/test-replay.c tests/unit/report-check.h tests/lib/random.h $(order_support)
tests_unit_test_replay_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_replay_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_request_SOURCES = tests/unit/test-request.c tests/lib/random.h $(order_support)
tests_unit_test_request_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_request_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_window_SOURCES = tests/unit/test-window.c
tests_unit_test_window_CFLAGS = $(DECODER_TEST_CFLAGS)
tests_unit_test_window_LDADD = $(DECODER_TEST_LIBS)
tests_unit_test_label_SOURCES = tests/unit/test-label.c
tests_unit_test_label_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_label_LDADD = $(ORDER_TEST_LIBS)
tests_unit_test_task_SOURCES = tests/unit/test-task.c $(order_support)
tests_unit_test_task_CFLAGS = $(ORDER_TEST_CFLAGS)
tests_unit_test_task_LDADD = $(ORDER_TEST_LIBS)

check_PROGRAMS += $(order_tests)
TESTS += $(order_tests)
