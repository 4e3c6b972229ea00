/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/push.h"

#include "base/err.h"

#ifdef HAVE_CURL
#include <curl/curl.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/counts.h"
#include "base/rest.h"
#include "fleet/window_file.h"

#define SUFFIX ".jsonl.gz"
#define MOST_FETCHED (UINT64_C(4) << 20) /* bytes of the list of loaded windows or of the policy */
#define TAIL_BYTES "1048576"             /* of the list: the last 31,775 ids */
#define MOST_UPLOADED 100000             /* then all that is in the spool is uploaded once more */
#define AGAIN_S 3600 /* a window that is not loaded after this time is uploaded again */
#define CONNECT_S 10L
#define STALLED_S 30L    /* a transfer of less than a byte per second */
#define FIRST_WAIT_S 1.0 /* after a failure; doubled after each further one */

struct push {
	const struct syt_push_options *o;
	int spool;
	CURL *curl;
	struct curl_slist *headers;
	char *host; /* escaped for a URL */
	char error[CURL_ERROR_SIZE];
	struct syt_counts loaded;   /* ids: 1 if the window is loaded */
	struct syt_counts uploaded; /* ids: time of the last upload, in seconds after the boot */
	struct timespec state;      /* time of the change of the state that was uploaded last */
};

struct body {
	char *bytes;
	size_t nr, room;
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- transfers ---- */

static size_t receive(char *bytes, size_t one, size_t nr, void *body_)
{
	struct body *b = body_;

	if (nr > MOST_FETCHED - b->nr)
		return 0; /* an error of the transfer */
	syt_grow(&b->bytes, &b->room, b->nr + nr + 1, one);
	memcpy(b->bytes + b->nr, bytes, nr);
	b->nr += nr;
	b->bytes[b->nr] = 0;
	return nr;
}

/* Sets what all transfers share. */
static void prepare(struct push *p, const char *url)
{
	const struct syt_push_options *o = p->o;

	curl_easy_reset(p->curl);
	curl_easy_setopt(p->curl, CURLOPT_URL, url);
	curl_easy_setopt(p->curl, CURLOPT_ERRORBUFFER, p->error);
	curl_easy_setopt(p->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(p->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(p->curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	curl_easy_setopt(p->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(p->curl, CURLOPT_LOW_SPEED_TIME, STALLED_S);
	curl_easy_setopt(p->curl, CURLOPT_HTTPHEADER, p->headers);
	curl_easy_setopt(p->curl, CURLOPT_WRITEFUNCTION, receive);
	if (o->certificate)
		curl_easy_setopt(p->curl, CURLOPT_SSLCERT, o->certificate);
	if (o->key)
		curl_easy_setopt(p->curl, CURLOPT_SSLKEY, o->key);
	if (o->authority)
		curl_easy_setopt(p->curl, CURLOPT_CAINFO, o->authority);
}

/* Returns the status of the answer, or 0 after a message. */
static long perform(struct push *p, const char *url)
{
	CURLcode code = curl_easy_perform(p->curl);
	long status = 0;

	if (code)
		syt_warn("%s: %s", url, *p->error ? p->error : curl_easy_strerror(code));
	else
		curl_easy_getinfo(p->curl, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

/* Fetches URL, or only its last bytes. B is empty if it does not exist. Returns false after a message. */
static bool fetch(struct push *p, const char *url, const char *range, struct body *b)
{
	long status;

	prepare(p, url);
	curl_easy_setopt(p->curl, CURLOPT_WRITEDATA, b);
	if (range)
		curl_easy_setopt(p->curl, CURLOPT_RANGE, range);
	status = perform(p, url);
	if (status == 200 || status == 206)
		return true;
	b->nr = 0;
	/* no list yet, or an empty one */
	if (status == 404 || status == 416)
		return true;
	if (status)
		syt_warn("%s: the server answers %ld", url, status);
	return false;
}

/* Uploads the file NAME of the spool. Returns false after a message; a file that has gone is no failure. */
static bool upload(struct push *p, const char *name)
{
	char *url = syt_asprintf("%s/%s/%s", p->o->to, p->host, name);
	int fd = openat(p->spool, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	struct body answer = {0};
	struct stat st;
	long status = 0;

	if (f && !fstat(fd, &st)) {
		prepare(p, url);
		curl_easy_setopt(p->curl, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(p->curl, CURLOPT_READDATA, f);
		curl_easy_setopt(p->curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)st.st_size);
		curl_easy_setopt(p->curl, CURLOPT_WRITEDATA, &answer);
		status = perform(p, url);
		if (status && status / 100 != 2)
			syt_warn("%s: the server answers %ld", url, status);
	} else if (errno == ENOENT) {
		status = 200; /* the agent dropped the window */
	} else {
		syt_warn_errno("%s/%s", p->o->spool, name);
	}
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	free(answer.bytes);
	free(url);
	return status / 100 == 2;
}

/* ---- one round ---- */

/* Returns the place of the window with the ID in C. */
static uint64_t *at(struct syt_counts *c, const char *id)
{
	char high[17], low[17];

	snprintf(high, sizeof(high), "%.16s", id);
	snprintf(low, sizeof(low), "%.16s", id + 16);
	return syt_counts_at(c, strtoull(low, NULL, 16), strtoull(high, NULL, 16));
}

static bool is_id(const char *text)
{
	return strspn(text, "0123456789abcdef") == SYT_WINDOW_ID;
}

/* Reads the list of loaded windows. */
static bool read_loaded(struct push *p)
{
	char *url = p->o->loaded ? syt_asprintf("%s/%s", p->o->loaded, p->host)
	                         : syt_asprintf("%s/../loaded/%s", p->o->to, p->host);
	struct body b = {0};
	bool is_done = fetch(p, url, "-" TAIL_BYTES, &b);

	for (char *line = b.bytes, *end; is_done && b.nr && line; line = end ? end + 1 : NULL) {
		end = strchr(line, '\n');
		if (is_id(line) && end == line + SYT_WINDOW_ID)
			*at(&p->loaded, line) = 1;
	}
	free(b.bytes);
	free(url);
	return is_done;
}

/* Replaces the policy in the spool, also by an equal one: its age tells the agent that the connection lives. *IS_KEPT becomes false if
 * the spool has no room for it. */
static bool read_policy(struct push *p, bool *is_kept)
{
	char *url = p->o->policy ? syt_asprintf("%s", p->o->policy)
	                         : syt_asprintf("%s/../policy", p->o->to);
	struct body b = {0};
	bool is_done = fetch(p, url, NULL, &b);

	if (is_done && b.nr) {
		int fd =
			openat(p->spool, ".policy", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

		*is_kept = fd >= 0 && write(fd, b.bytes, b.nr) == (ssize_t)b.nr &&
		           !renameat(p->spool, ".policy", p->spool, "policy");
		if (!*is_kept)
			syt_warn_errno("%s/policy", p->o->spool);
		if (fd >= 0)
			close(fd);
	}
	free(b.bytes);
	free(url);
	return is_done;
}

/* Uploads the window NAME, or removes it from the spool if it is loaded. */
static bool push_window(struct push *p, const char *name)
{
	uint64_t *when;

	if (*at(&p->loaded, name)) {
		if (unlinkat(p->spool, name, 0) && errno != ENOENT) {
			syt_warn_errno("%s/%s", p->o->spool, name);
			return false;
		}
		return true;
	}
	when = at(&p->uploaded, name);
	if (*when && now_s() < (double)*when + AGAIN_S)
		return true;
	if (!upload(p, name))
		return false;
	*when = (uint64_t)now_s() + 1;
	return true;
}

static bool push_state(struct push *p)
{
	struct stat st;

	if (fstatat(p->spool, "state", &st, AT_SYMLINK_NOFOLLOW) ||
	    (st.st_mtim.tv_sec == p->state.tv_sec && st.st_mtim.tv_nsec == p->state.tv_nsec))
		return true;
	if (!upload(p, "state"))
		return false;
	p->state = st.st_mtim;
	return true;
}

static int is_window(const struct dirent *e)
{
	return is_id(e->d_name) && !strcmp(e->d_name + SYT_WINDOW_ID, SUFFIX);
}

/* A server that refuses a file is asked for no other one in this round. A spool on a full disk only becomes empty if the round goes on
 * without a policy. */
static bool make_round(struct push *p)
{
	struct dirent **names = NULL;
	bool is_kept = true, is_done = read_policy(p, &is_kept) && read_loaded(p);
	int nr = is_done ? scandirat(p->spool, ".", &names, is_window, alphasort) : 0;

	if (nr < 0)
		syt_warn_errno("%s", p->o->spool);
	for (int n = 0; n < nr; n++) {
		is_done = is_done && push_window(p, names[n]->d_name);
		free(names[n]);
	}
	free(names);
	is_done = is_done && nr >= 0 && push_state(p);
	/* the next round reads the list again, and only windows in the spool matter */
	syt_counts_fini(&p->loaded);
	if (p->uploaded.nr > MOST_UPLOADED)
		syt_counts_fini(&p->uploaded);
	return is_done && is_kept;
}

/* ---- the program ---- */

/* Makes the header with the token in the file PATH. */
static bool read_token(struct push *p, const char *path)
{
	char text[4096], *header;
	FILE *f = fopen(path, "re");
	bool is_done = f && fgets(text, sizeof(text), f);

	if (f)
		fclose(f);
	if (!is_done) {
		syt_warn_errno("cannot read the token in %s", path);
		return false;
	}
	text[strcspn(text, "\r\n")] = 0;
	header = syt_asprintf("Authorization: Bearer %s", text);
	p->headers = curl_slist_append(p->headers, header);
	free(header);
	return p->headers;
}

/* Many hosts do not come back at the same instant. */
static double jitter(double s)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return s * (0.5 + (double)((t.tv_nsec ^ (long)getpid() * 7919) % 1000) / 1000);
}

static bool run(struct push *p)
{
	double wait_s = FIRST_WAIT_S;
	bool is_done = make_round(p);

	while (!p->o->is_once) {
		syt_rest(is_done ? p->o->every_s : jitter(fmin(wait_s, p->o->every_s)));
		wait_s = is_done ? FIRST_WAIT_S : fmin(2 * wait_s, p->o->every_s);
		is_done = make_round(p);
	}
	return is_done;
}

int syt_push(const struct syt_push_options *o)
{
	struct push p = {.o = o};
	bool is_done = false;

	p.spool = open(o->spool, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (p.spool < 0) {
		syt_warn_errno("%s", o->spool);
		return -1;
	}
	curl_global_init(CURL_GLOBAL_DEFAULT);
	p.curl = curl_easy_init();
	p.host = p.curl ? curl_easy_escape(p.curl, o->host, 0) : NULL;
	if (!p.host)
		syt_warn("libcurl cannot be started");
	else if (!o->token || read_token(&p, o->token))
		is_done = run(&p);
	curl_free(p.host);
	curl_slist_free_all(p.headers);
	curl_easy_cleanup(p.curl);
	curl_global_cleanup();
	close(p.spool);
	return is_done ? 0 : -1;
}

#else

int syt_push(const struct syt_push_options *o)
{
	(void)o;
	syt_warn("push needs libcurl, which was missing when this program was built: on Debian, "
	         "apt-get install libcurl4-openssl-dev, then run configure and make");
	return -1;
}

#endif
