/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A thread of the oracle's program logs its calls, and the earlier calls that it knows to have happened
 * before them:
 *
 *  struct log_entry *e = write_begin(LOG_sem_wait, object); int rv = sem_wait(s); write_end(e, rv);
 *  write_source(e, poster, LOG_BY_TOKEN, LOG_SURE);
 *
 * The thread keeps this knowledge as a vector clock, which is copied into each log entry when its call
 * begins. A thread that receives an entry's name (in a message, in locked data) thereby has the
 * knowledge of this entry. Signal handlers may call all functions.
 */
#ifndef SYT_TESTS_ORACLE_WRITE_H
#define SYT_TESTS_ORACLE_WRITE_H

#include "tests/oracle/log.h"

/* The name of a call: the thread and the number of the call. `seq` 0 means no call. */
struct call_name {
	uint32_t slot, seq;
};

extern struct log_file *the_log;

/* Returns the slot of the calling thread in the log, or LOG_SLOTS if the thread writes no entries. */
extern __thread uint32_t my_slot __attribute__((tls_model("initial-exec")));

/* Returns a log slot for a thread that will be created. */
uint32_t write_new_slot(void);

/* Assigns SLOT to the calling thread. The next calls of the thread happen after PARENT. */
void write_start(uint32_t slot, struct call_name parent);

struct log_entry *write_begin(enum log_call call, unsigned object);
void write_source(struct log_entry *e, struct call_name source, enum log_why why,
                  enum log_sureness sureness);
/* Returns RESULT. */
long write_end(struct log_entry *e, long result);
struct call_name write_name(const struct log_entry *e);

#endif
