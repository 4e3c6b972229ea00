/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/agent_spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

#define SUFFIX ".jsonl.gz"
#define STATE "state"
#define WORK ".work."
#define COPY_BYTES 65536u

static const char *const results[] = {"begun", "ok", "skipped", "failed"};

static bool is_window(const char *name)
{
	return strspn(name, "0123456789abcdef") == SYT_SPOOL_ID &&
	       !strcmp(name + SYT_SPOOL_ID, SUFFIX);
}

static char *name_of(const char *id)
{
	return syt_asprintf("%s" SUFFIX, id);
}

/* Renames FROM in FROM_DIR to TO in TO_DIR, so that the file and its name are on the disk afterwards. */
static bool rename_synced(int from_dir, const char *from, int to_dir, const char *to)
{
	int fd = openat(from_dir, from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool is_done =
		fd >= 0 && !fsync(fd) && !renameat(from_dir, from, to_dir, to) && !fsync(to_dir);

	if (fd >= 0)
		close(fd);
	return is_done;
}

/* ---- the state ---- */

static void write_state(const struct syt_spool *s, FILE *f)
{
	fprintf(f, "dropped %" PRIu64 "\ndropped_bytes %" PRIu64 "\n", s->nr_dropped,
	        s->dropped_bytes);
	if (*s->dropping)
		fprintf(f, "dropping %s\n", s->dropping);
	for (size_t n = 0; n < s->nr_services; n++) {
		const struct syt_spool_service *v = &s->services[n];

		fprintf(f, "service %" PRIu64 " %u %" PRId64 " %.9g %s %s\n", v->slot,
		        v->nr_failures, v->rest_until_s, v->length_s, v->name, v->version);
	}
	for (size_t n = 0; n < s->nr_slots; n++)
		fprintf(f, "slot %" PRId64 " %s %s\n", s->slots[n].time_s, s->slots[n].result,
		        s->slots[n].name);
}

static bool save(struct syt_spool *s)
{
	int fd = openat(s->work_fd, STATE, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	bool is_done = f;

	if (f) {
		write_state(s, f);
		is_done = !ferror(f);
		is_done = !fclose(f) && is_done;
	}
	is_done = is_done && rename_synced(s->work_fd, STATE, s->fd, STATE);
	if (!is_done)
		syt_warn_errno("%s/" STATE, s->path);
	s->has_news = true;
	return is_done;
}

static void add_slot(struct syt_spool *s, int64_t time_s, const char *result, char *name)
{
	size_t old = 0;

	while (old < s->nr_slots && (s->slots[old].time_s + SYT_SPOOL_SLOTS_S < time_s ||
	                             s->nr_slots - old >= SYT_SPOOL_MOST_SLOTS))
		free(s->slots[old++].name);
	s->nr_slots -= old;
	if (old)
		memmove(s->slots, s->slots + old, s->nr_slots * sizeof(*s->slots));
	*SYT_ADD(s->slots, s->nr_slots, s->room_slots) =
		(struct syt_spool_slot){.time_s = time_s, .result = result, .name = name};
}

/* The agent wrote the file itself. A line that it cannot parse is ignored. */
static void parse(struct syt_spool *s, const char *line)
{
	struct syt_spool_service v = {0};
	char result[16];
	int64_t time_s;
	int at = 0, name_end = 0;

	if (sscanf(line, "dropped %" SCNu64, &s->nr_dropped) == 1 ||
	    sscanf(line, "dropped_bytes %" SCNu64, &s->dropped_bytes) == 1 ||
	    sscanf(line, "dropping %32[0-9a-f]", s->dropping) == 1)
		return;
	if (sscanf(line, "service %" SCNu64 " %u %" SCNd64 " %lf %n%*s%n", &v.slot, &v.nr_failures,
	           &v.rest_until_s, &v.length_s, &at, &name_end) == 4 &&
	    name_end) {
		v.name = syt_strndup(line + at, (size_t)(name_end - at));
		v.version = syt_asprintf("%s", line + name_end + (line[name_end] == ' '));
		*SYT_ADD(s->services, s->nr_services, s->room_services) = v;
	} else if (sscanf(line, "slot %" SCNd64 " %15s %n", &time_s, result, &at) == 2 && at) {
		/* An agent that ended in a slot does not know its result. */
		size_t n = 3;

		while (n && strcmp(result, results[n]) != 0)
			n--;
		add_slot(s, time_s, results[n ? n : 2], syt_asprintf("%s", line + at));
	}
}

static bool load(struct syt_spool *s)
{
	int fd = openat(s->fd, STATE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	if (!f)
		return errno == ENOENT;
	while ((n = getline(&line, &room, f)) > 0) {
		line[n - (line[n - 1] == '\n')] = 0;
		parse(s, line);
	}
	free(line);
	fclose(f);
	return true;
}

struct syt_spool_service *syt_spool_service(struct syt_spool *s, const char *name)
{
	for (size_t n = 0; n < s->nr_services; n++)
		if (!strcmp(s->services[n].name, name))
			return &s->services[n];
	struct syt_spool_service *v = SYT_ADD(s->services, s->nr_services, s->room_services);

	*v = (struct syt_spool_service){.name = syt_asprintf("%s", name),
	                                .version = syt_asprintf("%s", "")};
	return v;
}

bool syt_spool_begin_slot(struct syt_spool *s, const char *service, const char *version,
                          int64_t now_s)
{
	add_slot(s, now_s, results[0], syt_asprintf("%s %s", service, version));
	return save(s);
}

bool syt_spool_end_slot(struct syt_spool *s, const char *result)
{
	s->slots[s->nr_slots - 1].result = result;
	return save(s);
}

/* ---- the directory ---- */

void syt_spool_remove(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
		    unlinkat(dirfd(d), e->d_name, 0)) {
			char *below = syt_asprintf("%s/%s", path, e->d_name);

			/* in the spool: a copy of a trace, or its predecessor */
			syt_spool_remove(below);
			free(below);
		}
	if (d)
		closedir(d);
	rmdir(path);
}

/* Makes the directory for unfinished files, and removes those of earlier agents. */
static bool make_work(struct syt_spool *s)
{
	DIR *d = opendir(s->path);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, WORK, strlen(WORK))) {
			char *old = syt_asprintf("%s/%s", s->path, e->d_name);

			syt_spool_remove(old);
			free(old);
		}
	if (d)
		closedir(d);
	s->work = syt_asprintf("%s/" WORK "XXXXXX", s->path);
	s->work_fd = mkdtemp(s->work) ? open(s->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	return s->work_fd >= 0;
}

bool syt_spool_open(struct syt_spool *s, const char *path, uint64_t most_bytes)
{
	char *name;

	*s = (struct syt_spool){.fd = -1, .work_fd = -1, .most_bytes = most_bytes};
	if (mkdir(path, 0700) && errno != EEXIST) {
		syt_warn_errno("cannot create %s", path);
		return false;
	}
	s->path = realpath(path, NULL);
	s->fd = s->path ? open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (s->fd < 0) {
		syt_warn_errno("cannot open %s", path);
		return false;
	}
	if (flock(s->fd, LOCK_EX | LOCK_NB)) {
		syt_warn_errno("another agent uses the spool %s", path);
		return false;
	}
	if (!make_work(s) || !load(s)) {
		syt_warn_errno("cannot use the spool %s", path);
		return false;
	}
	name = name_of(s->dropping);
	if (*s->dropping && unlinkat(s->fd, name, 0) && errno != ENOENT)
		syt_warn_errno("cannot remove %s/%s", s->path, name);
	free(name);
	*s->dropping = 0;
	return save(s);
}

void syt_spool_close(struct syt_spool *s)
{
	for (size_t n = 0; n < s->nr_services; n++) {
		free(s->services[n].name);
		free(s->services[n].version);
	}
	for (size_t n = 0; n < s->nr_slots; n++)
		free(s->slots[n].name);
	free(s->services);
	free(s->slots);
	if (s->work)
		syt_spool_remove(s->work);
	free(s->work);
	free(s->path);
	if (s->work_fd >= 0)
		close(s->work_fd);
	if (s->fd >= 0)
		close(s->fd);
}

/* Returns the sum of the sizes of all windows, and the name of the oldest one in *OLDEST, which the caller frees. */
static uint64_t look(const struct syt_spool *s, char **oldest, uint64_t *oldest_bytes)
{
	DIR *d = opendir(s->path);
	struct timespec first = {0};
	uint64_t bytes = 0;
	struct dirent *e;
	struct stat st;

	*oldest = NULL;
	while (d && (e = readdir(d))) {
		if (!is_window(e->d_name) || fstatat(s->fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		bytes += (uint64_t)st.st_size;
		if (*oldest &&
		    (st.st_mtim.tv_sec > first.tv_sec ||
		     (st.st_mtim.tv_sec == first.tv_sec && st.st_mtim.tv_nsec >= first.tv_nsec)))
			continue;
		free(*oldest);
		*oldest = syt_asprintf("%s", e->d_name);
		*oldest_bytes = (uint64_t)st.st_size;
		first = st.st_mtim;
	}
	if (d)
		closedir(d);
	return bytes;
}

/* Drops the oldest windows until MORE bytes have room. The state counts a window before the window is removed, and names it,
 * so a restart removes it and does not count it again. */
static bool make_room(struct syt_spool *s, uint64_t more)
{
	uint64_t bytes = 0;
	char *oldest;

	while (look(s, &oldest, &bytes) + more > s->most_bytes && oldest) {
		s->nr_dropped++;
		s->dropped_bytes += bytes;
		memcpy(s->dropping, oldest, SYT_SPOOL_ID);
		bool is_done = save(s) && (!unlinkat(s->fd, oldest, 0) || errno == ENOENT);

		*s->dropping = 0;
		free(oldest);
		if (!is_done)
			return false;
	}
	free(oldest);
	return true;
}

/* Drops the window NAME, which is larger than the whole spool. */
static bool drop(struct syt_spool *s, const char *name, uint64_t bytes)
{
	s->nr_dropped++;
	s->dropped_bytes += bytes;
	return save(s) && !unlinkat(s->work_fd, name, 0);
}

bool syt_spool_put(struct syt_spool *s, const char *name, const char *id)
{
	char *to = name_of(id);
	struct stat st = {0};
	bool is_done = !fstatat(s->work_fd, name, &st, AT_SYMLINK_NOFOLLOW);

	if (is_done && (uint64_t)st.st_size > s->most_bytes)
		is_done = drop(s, name, (uint64_t)st.st_size);
	else
		is_done = is_done && make_room(s, (uint64_t)st.st_size) &&
		          rename_synced(s->work_fd, name, s->fd, to);
	if (!is_done) {
		syt_warn_errno("cannot write %s/%s", s->path, to);
		if ((uint64_t)st.st_size <= s->most_bytes && !faccessat(s->work_fd, name, F_OK, 0)) {
			s->nr_dropped++; /* the state says so when there is room again */
			s->dropped_bytes += (uint64_t)st.st_size;
		}
	}
	s->has_news = true;
	free(to);
	return is_done;
}

/* ---- delivery ---- */

/* Copies NAME of the spool to the directory TO. The copy is complete and on the disk when it has its name. */
static bool copy(const struct syt_spool *s, int to, const char *name)
{
	char *temporary = syt_asprintf(".%s", name), *buffer = syt_alloc(COPY_BYTES, 1);
	int in = openat(s->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int out =
		in < 0 ? -1 : openat(to, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	bool is_done = out >= 0;
	ssize_t n = 0;

	while (is_done && (n = read(in, buffer, COPY_BYTES)) > 0)
		is_done = write(out, buffer, (size_t)n) == n;
	is_done = is_done && !n && rename_synced(to, temporary, to, name);
	if (!is_done)
		syt_warn_errno("cannot copy %s/%s", s->path, name);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	free(buffer);
	free(temporary);
	return is_done;
}

bool syt_spool_deliver(struct syt_spool *s, const char *to, const char *host)
{
	if (!s->has_news)
		return true;
	char *folder = syt_asprintf("%s/%s", to, host);
	bool is_done =
		(!mkdir(to, 0755) || errno == EEXIST) && (!mkdir(folder, 0755) || errno == EEXIST);
	int fd = is_done ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	DIR *d = fd < 0 ? NULL : opendir(s->path);
	struct dirent *e;

	if (!d)
		syt_warn_errno("cannot write to %s", folder);
	is_done = d;
	while (is_done && (e = readdir(d)))
		if (is_window(e->d_name))
			is_done = copy(s, fd, e->d_name) && !unlinkat(s->fd, e->d_name, 0);
	is_done = is_done && copy(s, fd, STATE);
	s->has_news = !is_done;
	if (d)
		closedir(d);
	if (fd >= 0)
		close(fd);
	free(folder);
	return is_done;
}
