/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/stop.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/counts.h"
#include "base/err.h"
#include "fleet/statistics.h"

#define MOST_FAILED 0.02
#define HOSTS_LEAST 2u        /* one host cannot stop a version: it rests itself */
#define NAMES_LEAST 2u        /* so many versions that fail stop all */
#define SPAN_S 3600           /* of the slots that count */
#define AHEAD_S 300           /* a clock may be fast */
#define MOST_BYTES (1u << 20) /* of a state, and of the policy */
#define MOST_NAME 512u
#define MOST_NAMES 100000u

/* The slots of one version. */
struct name {
	char *text;                       /* "SERVICE VERSION" */
	uint64_t nr, nr_failed, nr_hosts; /* hosts with a failed slot */
	size_t host;                      /* number of the last host that was counted, plus one */
};

struct names {
	size_t nr, room;
	struct name *all;
	struct syt_counts index; /* hash of the text -> number in `all`, plus one */
};

/* Returns the contents of the file NAME in the directory DIR as a text, or NULL: there is no such file, or it is no regular
 * file, or too large. */
static char *read_text(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char *text = NULL;
	struct stat st;
	ssize_t nr;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= MOST_BYTES) {
		text = syt_alloc((size_t)st.st_size + 1, 1);
		nr = read(fd, text, (size_t)st.st_size);
		text[nr > 0 ? nr : 0] = 0;
	}
	if (fd >= 0)
		close(fd);
	return text;
}

/* Returns whether TEXT is "SERVICE VERSION", and may be written into the policy. */
static bool is_name(const char *text)
{
	const char *space = strchr(text, ' ');

	if (!space || space == text || !space[1] || strlen(text) > MOST_NAME)
		return false;
	while (*text && (unsigned char)*text >= ' ' && *text != 0x7f)
		text++;
	return !*text;
}

static struct name *find(struct names *names, const char *text)
{
	XXH128_hash_t h = XXH3_128bits(text, strlen(text));
	uint64_t *idx = syt_counts_at(&names->index, h.low64, h.high64);

	if (!*idx && names->nr < MOST_NAMES) {
		*SYT_ADD(names->all, names->nr, names->room) =
			(struct name){.text = syt_asprintf("%s", text)};
		*idx = names->nr;
	}
	return *idx ? &names->all[*idx - 1] : NULL;
}

/* Counts a line of the state of the host number HOST. */
static void count_line(struct names *names, const char *line, size_t host, int64_t now_s)
{
	char result[16];
	int64_t time_s;
	int at = 0;
	struct name *name;
	bool is_failed;

	if (sscanf(line, "slot %" SCNd64 " %15s %n", &time_s, result, &at) != 2 || !at ||
	    time_s < now_s - SPAN_S || time_s > now_s + AHEAD_S || !is_name(line + at))
		return;
	is_failed = !strcmp(result, "failed");
	if (!is_failed && strcmp(result, "ok") != 0)
		return;
	name = find(names, line + at);
	if (!name)
		return;
	name->nr++;
	name->nr_failed += is_failed;
	if (is_failed && name->host != host + 1) {
		name->host = host + 1;
		name->nr_hosts++;
	}
}

/* Counts the slots of all hosts in the directory IN. */
static int count(struct names *names, const char *in, int64_t now_s)
{
	DIR *d = opendir(in);
	struct dirent *e;
	size_t host = 0;

	if (!d) {
		syt_warn_errno("%s", in);
		return -1;
	}
	while ((e = readdir(d))) {
		int folder = e->d_name[0] == '.'
		                     ? -1
		                     : openat(dirfd(d), e->d_name,
		                              O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		char *text = folder < 0 ? NULL : read_text(folder, "state"), *rest = NULL;

		for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
		     line = strtok_r(NULL, "\n", &rest))
			count_line(names, line, host, now_s);
		host++;
		free(text);
		if (folder >= 0)
			close(folder);
	}
	closedir(d);
	return 0;
}

/* Returns whether TEXT has the line WANTED. */
static bool has_line(const char *text, const char *wanted)
{
	size_t bytes = strlen(wanted);

	for (const char *at = text; (at = strstr(at, wanted)); at += bytes)
		if ((at == text || at[-1] == '\n') && (at[bytes] == '\n' || !at[bytes]))
			return true;
	return false;
}

/* Writes to F the line that stops NAME, or all if it is NULL, unless the policy TEXT has it. Returns whether it was written. */
static bool add_line(FILE *f, const char *text, const char *name, uint64_t nr_failed, uint64_t nr)
{
	char *line = name ? syt_asprintf("stop %s", name) : syt_asprintf("stop");
	bool is_new = !has_line(text, line);

	if (is_new) {
		fprintf(f, "%s\n", line);
		syt_warn("%s: %" PRIu64 " of %" PRIu64 " windows of the last hour failed", line,
		         nr_failed, nr);
	}
	free(line);
	return is_new;
}

/* Writes to F the lines that the policy TEXT lacks. Returns whether there are some. */
static bool add_lines(FILE *f, const char *text, const struct names *names)
{
	uint64_t nr = 0, nr_failed = 0, nr_stopped = 0;
	bool is_changed = false;

	for (size_t n = 0; n < names->nr; n++) {
		const struct name *name = &names->all[n];

		nr += name->nr;
		nr_failed += name->nr_failed;
		if (name->nr_hosts < HOSTS_LEAST ||
		    syt_wilson_low(name->nr_failed, name->nr) <= MOST_FAILED)
			continue;
		nr_stopped++;
		is_changed |= add_line(f, text, name->text, name->nr_failed, name->nr);
	}
	if (nr_stopped >= NAMES_LEAST && syt_wilson_low(nr_failed, nr) > MOST_FAILED)
		is_changed |= add_line(f, text, NULL, nr_failed, nr);
	return is_changed;
}

/* Replaces the file POLICY, whose contents are TEXT, if there are lines to add. */
static int write_policy(const char *policy, const char *text, const struct names *names)
{
	char *temporary = syt_asprintf("%s.new", policy);
	FILE *f = fopen(temporary, "we");
	size_t bytes = strlen(text);
	int status = -1;
	bool is_changed;

	if (f) {
		fprintf(f, "%s%s", text, bytes && text[bytes - 1] != '\n' ? "\n" : "");
		is_changed = add_lines(f, text, names);
		status = fflush(f) || fsync(fileno(f)) ? -1 : 0;
		status = fclose(f) ? -1 : status;
		if (!status)
			status = is_changed ? rename(temporary, policy) : unlink(temporary);
	}
	if (status)
		syt_warn_errno("%s", policy);
	free(temporary);
	return status;
}

int syt_fleet_stop(const char *in, const char *policy, int64_t now_s)
{
	struct names names = {0};
	char *text = read_text(AT_FDCWD, policy);
	int status = 0;

	/* without a policy, the agents make no windows */
	if (!text)
		return 0;
	status = count(&names, in, now_s);
	if (!status && names.nr)
		status = write_policy(policy, text, &names);
	for (size_t n = 0; n < names.nr; n++)
		free(names.all[n].text);
	free(names.all);
	syt_counts_fini(&names.index);
	free(text);
	return status;
}
