/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The spool of the agent (doc/fleet.md, "The agent"): a directory with window files and the file `state`. Each change is one
 * rename of a synced file, so the spool is whole whenever the agent or the machine stops. The state remembers the slots that
 * have begun, so that no slot has two windows, and counts the windows that the agent dropped.
 */
#ifndef SYT_TOOL_AGENT_SPOOL_H
#define SYT_TOOL_AGENT_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYT_SPOOL_ID 32u       /* hexadecimal digits of the id of a window */
#define SYT_SPOOL_SLOTS_S 7200 /* the state tells the results of the slots of two hours */
#define SYT_SPOOL_MOST_SLOTS 4096u

struct syt_spool_service {
	char *name;
	char *version; /* of the last window */
	uint64_t slot; /* number of the last slot that has begun, plus one */
	unsigned nr_failures;
	int64_t rest_until_s; /* time of the day */
	double length_s;      /* length of the next window, or 0 */
};

struct syt_spool_slot {
	int64_t time_s;
	const char *result; /* ok, skipped, failed; begun: not known yet */
	char *name;         /* "SERVICE VERSION" */
};

struct syt_spool {
	char *path;
	char *work; /* directory for unfinished files, in the spool. No other agent ever uses its name: a decoder may outlive its
	             * agent. */
	int fd, work_fd;
	uint64_t most_bytes;
	bool has_news; /* since the last delivery */
	uint64_t nr_dropped, dropped_bytes;
	/* id of a window that is counted as dropped, and perhaps still there; or empty */
	char dropping[SYT_SPOOL_ID + 1];
	size_t nr_services, room_services, nr_slots, room_slots;
	struct syt_spool_service *services;
	struct syt_spool_slot *slots;
};

/* Opens the spool PATH, which is created if necessary. Removes the unfinished files of earlier agents. Returns false after a
 * message, also if another agent uses the spool. syt_spool_close() frees S in any case. */
bool syt_spool_open(struct syt_spool *s, const char *path, uint64_t most_bytes);
void syt_spool_close(struct syt_spool *s);

/* Returns the service NAME, which is added if necessary. The pointer is valid until the next call. */
struct syt_spool_service *syt_spool_service(struct syt_spool *s, const char *name);

/* Adds a slot of SERVICE with the result "begun", and sets the result of the last added slot. Both save the state. They
 * return false after a message. */
bool syt_spool_begin_slot(struct syt_spool *s, const char *service, const char *version,
                          int64_t now_s);
bool syt_spool_end_slot(struct syt_spool *s, const char *result);

/* Makes the file NAME of the directory `work` the window ID. Drops the oldest windows if the spool would be too
 * large. Returns false after a message. */
bool syt_spool_put(struct syt_spool *s, const char *name, const char *id);

/* Moves all windows to TO/HOST/, and copies the state there, if there are news. Returns false after a message. */
bool syt_spool_deliver(struct syt_spool *s, const char *to, const char *host);

/* Removes the directory PATH and the files in it. */
void syt_spool_remove(const char *path);

#endif
