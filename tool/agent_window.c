/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/agent_window.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/err.h"
#include "base/rest.h"
#include "tool/child.h"
#include "tool/directory.h"
#include "tool/elf.h"
#include "tool/pause.h"
#include "tool/snapshot.h"

/* estimate of the CPU time of recording an event; an uncontended lock takes some 25 ns (doc/performance.md) */
#define EVENT_S 150e-9
#define LOOK_S 0.5        /* between two looks at the processes after a window */
#define LEAST_S 0.02      /* shortest wait for the calls of a window to return */
#define LINE_BYTES 16384u /* the first line of a window file is shorter */

/* ---- the processes of a trace ---- */

struct processes {
	unsigned nr_live, first; /* `first`: pid of the first living process */
	unsigned nr_killed;      /* processes that ended without the end of their dumps */
	uint64_t nr_lost;
	double cpu_s, age_s; /* sums over the living processes */
};

static double seconds(const struct timespec *t)
{
	return (double)t->tv_sec + 1e-9 * (double)t->tv_nsec;
}

static void count_living(struct processes *p, unsigned pid, uint64_t start_time)
{
	struct timespec cpu, now;
	clockid_t clock;

	p->first = p->nr_live++ ? p->first : pid;
	if (clock_getcpuclockid((pid_t)pid, &clock) || clock_gettime(clock, &cpu) ||
	    clock_gettime(CLOCK_BOOTTIME, &now))
		return;
	p->cpu_s += seconds(&cpu);
	p->age_s =
		fmax(p->age_s, seconds(&now) - (double)start_time / (double)sysconf(_SC_CLK_TCK));
}

static struct processes look(const struct syt_live *l)
{
	struct processes p = {0};

	for (unsigned n = 0; n < SYT_NR_TRACE_PROCESSES; n++) {
		unsigned pid = __atomic_load_n(&l->trace->pids[n], __ATOMIC_RELAXED);
		char name[SYT_DUMP_NAME_BYTES];
		struct syt_file file;

		syt_dump_name(name, n, pid);
		if (!pid || !syt_file_read(l->fd, name, &file, sizeof(file), 0))
			continue;
		/* with the other losses, the events are kept */
		p.nr_lost += file.lost[SYT_LOSS_NO_SPACE] + file.lost[SYT_LOSS_NO_SLOT] +
		             file.lost[SYT_LOSS_NESTED] + file.lost[SYT_LOSS_TOO_LARGE] +
		             file.lost[SYT_LOSS_FORK];
		if (syt_process_lives(pid, file.start_time))
			count_living(&p, pid, file.start_time);
		else if ((file.state & 0xff) == SYT_STATE_RUNNING)
			p.nr_killed++;
	}
	return p;
}

double syt_live_cpus(const struct syt_live *l, unsigned *nr)
{
	struct processes p = look(l);

	*nr = p.nr_live;
	return p.cpu_s / fmax(p.age_s, 1);
}

char *syt_live_build_id(const struct syt_live *l)
{
	char *path = syt_asprintf("/proc/%u/exe", look(l).first), *id = syt_elf_build_id(path);

	free(path);
	return id;
}

/* ---- the window ---- */

static double cpu_of(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
	       1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

static double own_cpu(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return cpu_of(&u);
}

/* Returns the length of the last recorded time before the present pause. */
static double length_of(const struct syt_trace *t)
{
	uint32_t nr = t->nr_pauses;

	return nr < 2 ? 0
	              : 1e-9 * (double)(t->pauses[(nr - 1) % SYT_NR_PAUSES].from_ns -
	                                t->pauses[(nr - 2) % SYT_NR_PAUSES].to_ns);
}

/* Tells the first messages of a decoder that failed, which are in the file FD. */
static void tell(int fd, int status)
{
	char text[1024];
	ssize_t nr = pread(fd, text, sizeof(text) - 1, 0);

	text[nr > 0 ? nr : 0] = 0;
	for (char *rest = NULL, *line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		syt_warn("%s", line);
	syt_warn("syntrace-decode failed with the status 0x%x", (unsigned)status);
}

/* Writes the window file of the trace in the directory COPY. Adds the CPU time to *CPU_S. Returns false after a message. */
static bool decode(const struct syt_window_order *o, const char *copy, double length_s,
                   double *cpu_s)
{
	double p_time = o->period_s > 0 ? fmin(length_s / o->period_s, 1) : 1;
	char *texts[] = {syt_asprintf("--host=%s", o->host),
	                 syt_asprintf("--service=%s", o->service),
	                 syt_asprintf("--version=%s", o->version),
	                 syt_asprintf("--p-host=%.9g", o->p_host),
	                 syt_asprintf("--p-time=%.9g", fmax(p_time, 1e-9)),
	                 syt_asprintf("--output=%s/" SYT_WINDOW_NAME, o->work)};
	char *argv[] = {(char *)"syntrace-decode",
	                (char *)"export",
	                (char *)"--to=window",
	                (char *)"--jobs=1",
	                (char *)"--memory=64M",
	                texts[0],
	                texts[1],
	                texts[2],
	                texts[3],
	                texts[4],
	                texts[5],
	                (char *)"--",
	                (char *)(uintptr_t)copy,
	                NULL};
	char *path = syt_asprintf("%s/messages", o->work);
	int out = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), status = -1;
	/* each window is a part of a trace that is not complete, which the decoder says each time */
	pid_t pid = syt_decoder_start(argv, out, out, ", so there is no window");
	struct rusage u = {0};

	if (pid) {
		setpriority(PRIO_PROCESS, (id_t)pid, 19);
		(void)TEMP_FAILURE_RETRY(wait4(pid, &status, 0, &u));
	}
	if (pid && status)
		tell(out, status);
	*cpu_s += cpu_of(&u);
	close(out);
	free(path);
	for (size_t n = 0; n < sizeof(texts) / sizeof(*texts); n++)
		free(texts[n]);
	return pid && !status;
}

/* Reads the id and the number of events from the window file. Returns false if they are missing. */
static bool read_made(const struct syt_window_order *o, struct syt_window_made *made)
{
	char *path = syt_asprintf("%s/" SYT_WINDOW_NAME, o->work), line[LINE_BYTES];
	gzFile f = gzopen(path, "re");
	const char *id = f && gzgets(f, line, sizeof(line)) ? strstr(line, "\"id\":\"") : NULL,
		   *events = id ? strstr(line, "\"events\":") : NULL;
	bool is_done = events && strspn(id + 6, "0123456789abcdef") == SYT_SPOOL_ID;

	if (is_done) {
		memcpy(made->id, id + 6, SYT_SPOOL_ID);
		made->nr_events = strtoull(events + 9, NULL, 10);
	}
	if (f)
		gzclose(f);
	free(path);
	return is_done;
}

static bool start(struct syt_live *l, double length_s)
{
	bool is_done = syt_resume(l, (uint64_t)(length_s * 1e9));

	syt_live_unlock(l);
	return is_done;
}

/* Pauses the recording, if it does not pause itself. Returns whether it is paused. */
static bool stop(struct syt_live *l, uint32_t nr_before)
{
	bool is_done = syt_pause(l, true) &&
	               __atomic_load_n(&l->trace->control, __ATOMIC_SEQ_CST) &&
	               l->trace->nr_pauses > nr_before;

	syt_live_unlock(l);
	return is_done;
}

void syt_window_make(struct syt_live *l, const struct syt_window_order *o,
                     struct syt_window_made *made)
{
	struct processes before = look(l), after;
	uint32_t nr_before = l->trace->nr_pauses;
	char *copy = syt_asprintf("%s/copy", o->work);
	double begin_s = own_cpu();

	*made = (struct syt_window_made){0};
	if (!start(l, o->length_s)) {
		made->failure = "the recording cannot be resumed";
		goto end;
	}
	syt_rest(o->length_s);
	if (!stop(l, nr_before)) {
		made->failure = "the recorder did not pause";
		goto end;
	}
	made->length_s = length_of(l->trace);
	syt_rest(fmax(o->length_s, LEAST_S));
	if (!syt_snapshot(l, copy, true, true) || !decode(o, copy, made->length_s, &made->cost_s) ||
	    !read_made(o, made)) {
		made->failure = "the window cannot be decoded";
		goto end;
	}
	made->cost_s += own_cpu() - begin_s + EVENT_S * (double)made->nr_events;
	after = look(l);
	for (double waited = 0; waited < o->watch_s && after.nr_killed == before.nr_killed;
	     waited += LOOK_S) {
		syt_rest(LOOK_S);
		after = look(l);
	}
	if (after.nr_killed > before.nr_killed)
		made->failure = "a process was killed";
	else if (after.nr_lost > before.nr_lost)
		made->failure = "events were lost";
end:
	syt_spool_remove(copy);
	free(copy);
}
