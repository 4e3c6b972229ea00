/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The numbers behind the coverage line: how much of the synchronization the happens-before edges explain.
 *
 * Every acquire is counted once: attributed (an edge ends there), unneeded (no other thread had to come first: the
 * first lock of a mutex, a lock taken again by the same thread, an initial token), or unattributed for one reason.
 * Every received byte is counted once: matched to its send, or unmatched for one reason.
 */
#ifndef SYT_DECODER_COVERAGE_H
#define SYT_DECODER_COVERAGE_H

#include "decoder/history/edge.h"

/* clang-format off */
#define SYT_REASONS(REASON) \
	REASON(OVERWRITTEN,     "the record of the unlock, wake-up or send was overwritten, lost or damaged")                \
	REASON(UNTRACED_PEER,   "the process at the other end of the connection is not recorded")                                 \
	REASON(UNTRACED_WRITER, "a process that is not recorded, or stdio, also uses the pipe or connection")                \
	REASON(UNSEEN_WRITER,   "the data was written by calls that are not recorded: stdio, direct system calls")      \
	REASON(UNPAIRED,        "the other end of the connection is one of several sockets")            \
	REASON(BEFORE,          "the wake-up or send came before the recording of the process began")                    \
	REASON(NO_OFFSET,       "the position of the bytes in the connection is unknown")                       \
	REASON(NO_RELEASE,      "no unlock, wake-up or send was recorded for this object")                                     \
	REASON(FOREIGN,         "a thread released the object without having acquired it")               \
	REASON(PRESHARED,       "the object is in shared memory that could not be identified")                  \
	REASON(TOO_MANY,        "too many unlocks, wake-ups or sends are possible")                                   \
	REASON(UNCERTAIN,       "several unlocks, wake-ups or sends are possible, and their order is unknown")       \
	REASON(KERNEL,          "the kernel ended the wait: a timer, a signal, free space in a buffer")     \
	REASON(BACKWARDS,       "the only possible wake-up or send ends later than the wait")                               \
	REASON(UNRETURNED,      "an earlier call that did not return may have sent or received bytes") \
	REASON(PAUSED,          "the recording was paused at that time")

#define SYT_REASON_ID(name_, ...) SYT_REASON_##name_,
enum syt_reason { SYT_REASONS(SYT_REASON_ID) SYT_NR_REASONS };
/* clang-format on */

struct syt_coverage {
	uint64_t acquires, attributed, unneeded;
	uint64_t unattributed[SYT_NR_REASONS];
	uint64_t ambiguous; /* attributed acquires with several possible sources */
	uint64_t bytes_received, bytes_matched; /* on traced streams, pipes and datagrams */
	uint64_t bytes_unmatched[SYT_NR_REASONS];
	struct {
		uint64_t bytes;
		uint32_t object;
	} most[SYT_NR_REASONS]; /* the object with most of bytes_unmatched; bytes 0: none */
	uint64_t edges[SYT_NR_EDGE_KINDS];
	uint64_t edges_ambiguous[SYT_NR_EDGE_KINDS];
	uint64_t pairs_exact,
		pairs_inferred; /* connections with two known ends, by kind of evidence */
	uint64_t unpaired_unix; /* connected unix sockets with an unknown other end */
	uint64_t unknown_fds;   /* eventfds and similar that may be the same file as another fd */
	uint64_t defects;       /* edges refused because they ran backwards in time */
};

/* Return the text for users, and the name in JSON. */
const char *syt_reason_text(enum syt_reason reason);
const char *syt_reason_name(enum syt_reason reason);

/* Returns the sum over all reasons. */
uint64_t syt_coverage_unattributed(const struct syt_coverage *c);
uint64_t syt_coverage_bytes_unmatched(const struct syt_coverage *c);

/* Charges to OBJECT the unmatched bytes since BEFORE, a copy of bytes_unmatched. */
void syt_coverage_of_object(struct syt_coverage *c, const uint64_t *before, uint32_t object);

/* Adds the counts of MORE to C, except edges, pairs and unknown fds, as if MORE's objects were matched after C's. */
void syt_coverage_add(struct syt_coverage *c, const struct syt_coverage *more);

/* Counts the edges and defects of E. */
void syt_coverage_edges(struct syt_coverage *c, const struct syt_edges *e);

#endif
