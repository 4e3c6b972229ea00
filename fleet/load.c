/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/load.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

#define STATE "state" /* of the agent of a host: no window */

/* A file whose window is not in the store yet. */
struct pending {
	struct syt_window_file w;
	char *name;
};

struct load {
	struct syt_fleet_store *store;
	const char *in;
	int dir, loaded; /* the directories of the uploads and of the lists of ids */
	struct syt_fleet_loaded *nr;
	bool has_left; /* a file could be neither read nor moved: it is left, and does not stop the others */
	struct pending *pending;
	size_t nr_pending, room;
	uint64_t nr_facts, nr_bytes; /* of the pending windows */
};

static int open_directory(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/* Opens the directory NAME in AT, and creates it if necessary. */
static int make_directory(int at, const char *name)
{
	if (mkdirat(at, name, 0777) && errno != EEXIST)
		return -1;
	return open_directory(at, name);
}

/* Returns the names in the directory FD that do not begin with a dot, sorted, or -1. */
static int list(int fd, struct dirent ***names)
{
	struct dirent **all;
	int nr = scandirat(fd, ".", &all, NULL, alphasort), kept = 0;

	for (int n = 0; n < nr; n++)
		if (all[n]->d_name[0] == '.')
			free(all[n]);
		else
			all[kept++] = all[n];
	*names = nr < 0 ? NULL : all;
	return nr < 0 ? -1 : kept;
}

static void free_list(struct dirent **names, int nr)
{
	for (int n = 0; n < nr; n++)
		free(names[n]);
	free(names);
}

/* Appends ID to the list of the windows of HOST that need no further upload. */
static int confirm(const struct load *l, const char *host, const char *id)
{
	int fd = openat(l->loaded, host, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
	                0666);
	char line[SYT_WINDOW_ID + 1];
	int status = -1;

	memcpy(line, id, SYT_WINDOW_ID);
	line[SYT_WINDOW_ID] = '\n';
	if (fd >= 0 && write(fd, line, sizeof(line)) == (ssize_t)sizeof(line))
		status = fsync(fd);
	if (status)
		syt_warn_errno("the list of loaded windows of %s", host);
	if (fd >= 0)
		close(fd);
	return status;
}

/* Moves the file NAME of the folder HOST to IN/.rejected/HOST/, and tells the host that it may forget the window: another
 * upload of it would be rejected, too. */
static void reject(struct load *l, int folder, const char *host, const char *name,
                   const char *reason)
{
	int all = make_directory(l->dir, ".rejected"),
	    to = all < 0 ? -1 : make_directory(all, host), status = -1;

	syt_warn("%s/%s/%s: rejected: %s", l->in, host, name, reason);
	if (to >= 0)
		status = renameat(folder, name, to, name);
	if (status) {
		syt_warn_errno("%s/.rejected/%s/%s", l->in, host, name);
		l->has_left = true;
	} else {
		l->nr->nr_rejected++;
		if (strspn(name, "0123456789abcdef") == SYT_WINDOW_ID)
			confirm(l, host, name);
	}
	if (to >= 0)
		close(to);
	if (all >= 0)
		close(all);
}

/* Returns the reason why the names of the file do not fit the window W, or NULL. */
static const char *mismatch(const struct syt_window_file *w, const char *host, const char *name)
{
	const char *end = name + SYT_WINDOW_ID;

	if (strcmp(w->host, host) != 0)
		return "the host is not the name of the folder";
	if (strncmp(name, w->id, SYT_WINDOW_ID) != 0 ||
	    (strcmp(end, ".jsonl.gz") != 0 && strcmp(end, ".jsonl") != 0))
		return "the id is not the name of the file";
	return NULL;
}

/* Finishes a pending file, whose window has the result. Returns -1 if the lists of ids cannot be written. */
static int finish(struct load *l, const struct pending *p, enum syt_store_result result)
{
	const char *host = p->w.host;
	int folder = open_directory(l->dir, host), status = -1;

	if (folder < 0) {
		syt_warn_errno("%s/%s", l->in, host);
		return -1;
	}
	if (result == SYT_STORE_REJECTED || result == SYT_STORE_ROLLED) {
		reject(l, folder, host, p->name,
		       result == SYT_STORE_ROLLED ? "the day of the window is summed up"
		                                  : "the sum of equal facts is too large");
		status = 0;
	} else if (result != SYT_STORE_FAILED) {
		l->nr->nr_loaded += result == SYT_STORE_LOADED;
		l->nr->nr_duplicates += result == SYT_STORE_DUPLICATE;
		status = confirm(l, host, p->w.id);
		if (!status && unlinkat(folder, p->name, 0)) {
			syt_warn_errno("%s/%s/%s", l->in, host, p->name);
			status = -1;
		}
	}
	close(folder);
	return status;
}

/* Adds the pending windows to the store, and finishes their files. Returns -1 if the store or the lists of ids cannot be
 * written, so that no other file can be loaded either. */
static int add_pending(struct load *l)
{
	enum syt_store_result *results = syt_calloc(l->nr_pending, sizeof(*results));
	struct syt_window_file **windows =
		syt_calloc(l->nr_pending, sizeof(struct syt_window_file *));
	int status = 0;

	for (size_t n = 0; n < l->nr_pending; n++)
		windows[n] = &l->pending[n].w;
	if (l->nr_pending)
		syt_fleet_store_add(l->store, windows, l->nr_pending, results);
	for (size_t n = 0; n < l->nr_pending; n++) {
		status |= finish(l, &l->pending[n], results[n]);
		syt_window_file_close(&l->pending[n].w);
		free(l->pending[n].name);
	}
	l->nr_pending = 0;
	l->nr_facts = l->nr_bytes = 0;
	free(windows);
	free(results);
	return status;
}

/* Returns 0, or -1 as add_pending(). */
static int load_file(struct load *l, int folder, const char *host, const char *name)
{
	struct syt_window_file w;
	const char *reason;
	bool is_retry;
	char *error = syt_window_file_read(&w, folder, name, &is_retry);

	if (error) {
		if (is_retry) {
			syt_warn("%s/%s/%s: %s", l->in, host, name, error);
			l->has_left = true;
		} else {
			reject(l, folder, host, name, error);
		}
		free(error);
		return 0;
	}
	reason = mismatch(&w, host, name);
	if (reason) {
		reject(l, folder, host, name, reason);
		syt_window_file_close(&w);
		return 0;
	}
	*SYT_ADD(l->pending, l->nr_pending, l->room) =
		(struct pending){w, syt_asprintf("%s", name)};
	l->nr_facts += w.nr_facts;
	l->nr_bytes += w.nr_bytes;
	if (l->nr_pending < l->store->all->most_windows &&
	    l->nr_facts + SYT_WINDOW_MOST_FACTS <= SYT_STORE_FACTS && l->nr_bytes < SYT_STORE_BYTES)
		return 0;
	return add_pending(l);
}

/* Loads the files of the folder HOST. An entry of the directory that is no folder is left alone. */
static int load_host(struct load *l, const char *host)
{
	int folder = open_directory(l->dir, host), status = 0, nr;
	struct dirent **names = NULL;

	if (folder < 0) {
		/* not a folder, or a symbolic link, is no host */
		if (errno != ENOTDIR && errno != ELOOP) {
			syt_warn_errno("%s/%s", l->in, host);
			l->has_left = true;
		}
		return 0;
	}
	nr = list(folder, &names);
	for (int n = 0; n < nr && !status; n++)
		if (strcmp(names[n]->d_name, STATE) != 0)
			status = load_file(l, folder, host, names[n]->d_name);
	free_list(names, nr);
	close(folder);
	return nr < 0 ? -1 : status;
}

int syt_fleet_load(struct syt_fleet_store *s, const char *in, const char *loaded,
                   struct syt_fleet_loaded *nr)
{
	struct load l = {.store = s, .in = in, .nr = nr};
	struct dirent **names = NULL;
	int nr_names, status = 0;

	memset(nr, 0, sizeof(*nr));
	l.dir = open(in, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (l.dir < 0) {
		syt_warn_errno("%s", in);
		return -1;
	}
	l.loaded = make_directory(AT_FDCWD, loaded);
	if (l.loaded < 0) {
		syt_warn_errno("%s", loaded);
		close(l.dir);
		return -1;
	}
	nr_names = list(l.dir, &names);
	for (int n = 0; n < nr_names && !status; n++)
		status = load_host(&l, names[n]->d_name);
	/* after a failure, the windows of other files may be in the store, but their files stay: they are duplicates then */
	status |= add_pending(&l);
	free(l.pending);
	free_list(names, nr_names);
	close(l.loaded);
	close(l.dir);
	return nr_names < 0 || l.has_left ? -1 : status;
}
