/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The sampler of the recorder: decides which calls of a thread are recorded (doc/sampling.md, "The recorder").
 *
 * While syt_control() is SYT_CONTROL_SAMPLED, the entry of each call asks the sampler. If it does not select the call,
 * the wrapper goes on, and the choice for its frame is remembered. The function that records the event then
 * writes a ghost, or no event. Calls that need no record in this case are not recorded from their entry on. Most of them
 * do not reach this file: the entry (preload/fast-entry.S) decrements the countdown of the site, which also counts the call.
 *
 * A signal handler has the state of its thread. A handler that interrupts a decision records its calls whole.
 */
#ifndef SYT_RUNTIME_SAMPLE_H
#define SYT_RUNTIME_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/sampling.h"

struct syt_self;
struct syt_event;
struct syt_frame;

/* The record of a call that the sampler did not select. */
enum syt_unsampled {
	SYT_UNSAMPLED_NONE,
	SYT_UNSAMPLED_COUNTER,
	SYT_UNSAMPLED_GHOST,
	SYT_UNSAMPLED_WHOLE
};

/* The form in which an event is recorded. */
enum syt_form { SYT_FORM_WHOLE, SYT_FORM_GHOST, SYT_FORM_NONE };

/* Values of `decision` with which a wrapper tells syt_sample_event() the kind of its object: no event is needed, or
 * none is needed because the object's counters have counted the call. */
#define SYT_OBJECT_UNORDERED SYT_DECISION_OUT
#define SYT_OBJECT_COUNTED 3u

/* The return address and the frame address of a call. */
struct syt_call_site {
	uintptr_t pc, fp;
};

/* A call in progress that the sampler did not select. */
struct syt_choice {
	uintptr_t fp; /* the frame address; 0: unused */
	uint32_t key; /* the call (or SYT_CALL_NONE) that asked */
	uint32_t
		site; /* the place of its site in the table, by which the predictor guesses its ghost */
};

#define SYT_NR_CHOICES 4u

struct syt_sample {
	/* the head of the thread's loop, and the latest wait that was not there */
	struct syt_call_site head, latest;
	uint64_t since;   /* ticks of the begin of the turn; 0: not known yet */
	uint32_t nr;      /* number of calls of the turn */
	uint64_t nr_seen; /* number of the calls left out since the last event that `nr` contains */
	bool is_kept;     /* the rest of the turn is recorded */
	uint8_t hops;     /* that the kept turn passes on by marks (runtime/mark.h) */
	uint8_t marked;   /* hops of the marks of the data that the present call received */
	uintptr_t asking; /* frame address of the call that asks the sampler now, or 0 */
	struct syt_choice choices[SYT_NR_CHOICES];
	uint32_t next_choice;
	struct syt_sampling *shared; /* in the dump */
	/* the sampler of the thread, and the value of the budget that it has; 0: none */
	struct syt_sampler sampler;
	uint64_t value;
	/* bytes of all events and of ghosts that the use does not contain yet; the position up to which they are counted */
	uint32_t used, ghosts, pos;
	uint32_t nr_records; /* number of the records, of which each 64th is timed */
	bool was_ghost, is_timed, has_budget;
};

/* Begins to sample if the trace T has a sampler. Called before the dump of the process is written. */
void syt_sample_start(struct syt_trace *t);

/* Returns true if the dump of this process is sampled, so its version is SYT_FORMAT_MAJOR_SAMPLED. */
bool syt_sample_is_real(void);
/* Returns true if this process asks a sampler. */
bool syt_sample_is_on(void);

/* Returns true if this process asks a sampler that has hops. */
bool syt_sample_has_marks(void);
/* Returns the hops of the turn of the thread S if the turn is kept, else 0. */
unsigned syt_sample_hops(const struct syt_self *s);

/* Decides about CALL (or SYT_CALL_NONE) of the thread S by the wrapper with the frame FP. Returns true if the sampler
 * selects it. */
bool syt_sample_selects(struct syt_self *s, const void *fp, uint32_t call);

/* Returns true if the countdown of its site skips CALL of the frame FP of the calling thread. The call gets a record. Otherwise,
 * syt_sample_selects() must decide. */
bool syt_sample_skips_recorded(const void *fp, uint32_t call);

/* Does syt_sample_selects() for a call that may be left out. Returns false if it is left out. */
bool syt_sample_records(struct syt_self *s, const void *fp, uint32_t call);

/* Returns the form of the event E, whose call has the frame F and has ended. Completes E's members for samplers. */
enum syt_form syt_sample_event(struct syt_self *s, const struct syt_frame *f, struct syt_event *e,
                               bool is_release);

/* Adds the calls that the entries have skipped at SITE to its count. */
void syt_sample_end_run(struct syt_sampling *shared, const struct syt_site *site);
/* Returns the number of calls left out before the event with STAMP of the thread S, and sets *GAP if there are any. */
uint64_t syt_sample_takes_gap(struct syt_self *s, uint64_t stamp, uint64_t *gap);

/* Returns true if the time of the present record of S counts for a budget: of each 64th record. */
bool syt_sample_is_timed(struct syt_self *s);
/* Adds NS, the time of the last record of S, to the use of the budget. */
void syt_sample_used(struct syt_self *s, uint64_t ns);

/* Returns true if the sampler did not select the call with the frame FP. */
bool syt_sample_is_unselected(const struct syt_self *s, const void *fp);

/* Ends the sampling of the slot's owner S: writes its counts to the dump. */
void syt_sample_end(struct syt_self *s);

/* Lets each call of the calling thread ask the sampler, until the next decision: entries skip no calls. */
void syt_sample_ask_always(void);

/* Captures the call stack of the wrapper's frame FP. */
uint32_t syt_sample_capture(const void *fp);

#endif
