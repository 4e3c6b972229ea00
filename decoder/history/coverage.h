/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Counts behind the coverage line of a report: the share of the synchronization that happens-before edges explain.
 *
 * Every successful acquire (a lock taken, a wait ended) is counted once. An acquire is attributed if a
 * happens-before edge ends at it. An acquire is unneeded if no other thread had to come first: the first lock of a
 * mutex, a lock taken again by the same thread, an initial token of a semaphore. Any other acquire is unattributed,
 * for exactly one reason (SYT_REASONS). Every received byte is counted once too, as matched to the call that sent
 * it, or as unmatched for exactly one reason.
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
	REASON(PAUSED,          "the recording was paused, or a snapshot was copied, at that time") \
	REASON(NOT_SAMPLED,     "the sampler left out the unlock, wake-up or send")

#define SYT_REASON_ID(name_, ...) SYT_REASON_##name_,
enum syt_reason { SYT_REASONS(SYT_REASON_ID) SYT_NR_REASONS };
/* clang-format on */

struct syt_coverage {
	uint64_t acquires, attributed, unneeded;
	uint64_t unattributed[SYT_NR_REASONS];
	uint64_t ambiguous; /* number of attributed acquires with several possible sources */
	uint64_t bytes_received, bytes_matched; /* bytes of traced streams, pipes, datagrams */
	uint64_t bytes_unmatched[SYT_NR_REASONS];
	struct {
		uint64_t bytes;
		uint32_t object;
	} most[SYT_NR_REASONS]; /* object with most unmatched bytes; bytes 0: no object */
	uint64_t edges[SYT_NR_EDGE_KINDS];
	uint64_t edges_ambiguous[SYT_NR_EDGE_KINDS];
	uint64_t pairs_exact,
		pairs_inferred; /* number of connections with two known sockets, by certainty */
	uint64_t unpaired_unix; /* number of connected unix sockets whose peer is unknown */
	uint64_t unknown_fds;   /* number of eventfds etc. that may be one file with another fd */
	uint64_t defects;       /* number of edges refused because they ran backwards in time */
};

/* Return the explanation of REASON for users, and its name in JSON. */
const char *syt_reason_text(enum syt_reason reason);
const char *syt_reason_name(enum syt_reason reason);

/* Return the number of unattributed acquires and of unmatched bytes, summed over all reasons. */
uint64_t syt_coverage_unattributed(const struct syt_coverage *c);
uint64_t syt_coverage_bytes_unmatched(const struct syt_coverage *c);

/* Charges to OBJECT the bytes that became unmatched since bytes_unmatched was copied to BEFORE. */
void syt_coverage_of_object(struct syt_coverage *c, const uint64_t *before, uint32_t object);

/* Adds the counts of MORE to C, except those of edges, socket pairs and unknown fds. The sums are those that would
 * result if the objects of MORE were matched after the objects of C. */
void syt_coverage_add(struct syt_coverage *c, const struct syt_coverage *more);

/* Adds the numbers of happens-before edges and of refused edges in the set E to C. */
void syt_coverage_edges(struct syt_coverage *c, const struct syt_edges *e);

#endif
