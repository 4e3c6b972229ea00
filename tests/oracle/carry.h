/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Carries one word, or some, from one call to another. Each word names the call that sent it, so
 * the receiver knows its source.
 */
#ifndef SYT_TESTS_ORACLE_CARRY_H
#define SYT_TESTS_ORACLE_CARRY_H

#include "tests/oracle/world.h"

/* Fills WORDS, which the call E is about to send. EXTRA is a value for the receiver. */
void carry_fill(struct word *words, unsigned nr, const struct log_entry *e, uint32_t extra);
/* Adds the calls that sent the received WORDS as sources of the log entry E. */
void carry_follow(struct log_entry *e, const struct word *words, unsigned nr,
                  enum log_sureness sureness);

/* Sends or receives by one of several calls, chosen by HOW. Returns the call's result. */
long carry_send_by(int fd, struct word *words, unsigned nr, unsigned number, unsigned how,
                   bool is_socket);
long carry_receive_by(int fd, struct word *words, unsigned nr, struct log_entry **e,
                      unsigned number, unsigned how, bool is_socket);
long carry_queue_send(const struct object *o, unsigned number, unsigned priority, bool is_timed);
long carry_queue_receive(const struct object *o, unsigned number, bool is_timed,
                         enum log_sureness sureness);

/* Waits until FD is readable; returns the log entry of the call that reported this, or NULL if no call
 * was made. */
struct log_entry *carry_await(int fd, unsigned number, unsigned how);
/* Adds the senders of the words that E received first as sources of READY, the call that reported the
 * words as readable. */
void carry_explain(struct log_entry *ready, const struct log_entry *e);

#endif
