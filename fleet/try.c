/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/try.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "fleet/load.h"
#include "fleet/names.h"
#include "fleet/query.h"
#include "fleet/serve.h"

#define LENGTH_S 1.0 /* of the longest window */
#define BUDGET 1.0   /* the slots are short, and the decoder needs some time for any window */
#define LOOK_S 1     /* between two looks for windows */
#define NR_ROWS 10
#define SLOTS_TO_HINT 3 /* without a window: a window needs one slot and some seconds of decoding */

struct trial {
	const struct syt_try_options *o;
	char *store, *spool, *in, *loaded, *policy, *symbols;
	pid_t agent;
};

static bool write_policy(const struct trial *t)
{
	FILE *f = fopen(t->policy, "we");
	bool is_done = f && fprintf(f, "p_host 1\nperiod %.9g\nlength %.9g\nbudget %g\n",
	                            t->o->every_s, fmin(LENGTH_S, t->o->every_s / 4), BUDGET) > 0;

	is_done = f && !fclose(f) && is_done;
	if (!is_done)
		syt_warn_errno("%s", t->policy);
	return is_done;
}

/* Returns the path of the syntrace beside this program, or its name if there is none. The caller frees the text. */
static char *find_tool(void)
{
	char *path = realpath("/proc/self/exe", NULL), *slash = path ? strrchr(path, '/') : NULL,
	     *tool;

	if (slash)
		*slash = 0;
	tool = syt_asprintf("%s/syntrace", slash ? path : ".");
	free(path);
	if (!access(tool, X_OK))
		return tool;
	free(tool);
	return syt_asprintf("syntrace");
}

/* Starts the agent, which ends with this program. */
static bool start_agent(struct trial *t)
{
	char *tool = find_tool();
	char *argv[] = {tool,
	                (char *)"agent",
	                syt_asprintf("--traces=%s", t->o->traces),
	                syt_asprintf("--spool=%s", t->spool),
	                syt_asprintf("--policy=%s", t->policy),
	                syt_asprintf("--to=%s", t->in),
	                NULL};
	pid_t self = getpid();

	t->agent = fork();
	if (!t->agent) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == self)
			execvp(tool, argv);
		syt_warn_errno("cannot run %s", tool);
		_exit(127);
	}
	if (t->agent < 0)
		syt_warn_errno("cannot run %s", tool);
	for (size_t n = 2; argv[n]; n++)
		free(argv[n]);
	free(tool);
	return t->agent > 0;
}

static int answer(const struct trial *t, struct syt_out *out)
{
	struct syt_fleet_query q = {.question = "locks", .to = INT64_MAX, .limit = NR_ROWS};
	struct syt_fleet_store s;
	int status = syt_fleet_store_open_to_read(&s, t->store);

	if (!status)
		status = syt_fleet_query(&s, &q, out);
	syt_fleet_store_close(&s);
	syt_out_string(out, "\n");
	syt_out_flush(out);
	return status;
}

/* Loads the windows that are there now, and answers the question if there are new ones. */
static int look(const struct trial *t, struct syt_out *out, uint64_t *nr_windows)
{
	struct syt_fleet_loaded nr;
	struct syt_fleet_store s;
	int status = syt_fleet_store_open(&s, t->store, NULL);

	if (!status)
		status = syt_fleet_load(&s, t->in, t->loaded, &nr);
	if (!status && nr.nr_loaded) {
		syt_names_find(&s, t->symbols);
		status = syt_names_update(&s, t->symbols);
	}
	syt_fleet_store_close(&s);
	if (!status && nr.nr_loaded) {
		*nr_windows += nr.nr_loaded;
		status = answer(t, out);
	}
	return status;
}

static int run(struct trial *t, struct syt_out *out)
{
	time_t hint_at = time(NULL) + (time_t)(SLOTS_TO_HINT * t->o->every_s) + 10;
	uint64_t nr_windows = 0;
	int status = 0;

	syt_warn("recording a window of each service in %s every %g s; the store is %s",
	         t->o->traces, t->o->every_s, t->store);
	while (!status && !out->is_closed && (!t->o->nr_windows || nr_windows < t->o->nr_windows)) {
		if (waitpid(t->agent, NULL, WNOHANG)) {
			syt_warn("the agent has ended");
			t->agent = 0;
			return -1;
		}
		utimensat(AT_FDCWD, t->policy, NULL, 0); /* an old policy permits no windows */
		status = look(t, out, &nr_windows);
		if (!nr_windows && hint_at && time(NULL) >= hint_at) {
			syt_warn("no window yet: a service is a program started by syntrace record "
			         "--paused "
			         "-o %s/NAME/t -- PROGRAM",
			         t->o->traces);
			hint_at = 0;
		}
		sleep(LOOK_S);
	}
	return status;
}

/* Starts the page. Without the library that it needs, or a free address, the trial goes on without it. */
static struct syt_server *start_page(const struct trial *t)
{
	struct syt_server *page = syt_server_open(t->store, NULL, NULL,
	                                          t->o->listen ? t->o->listen : SYT_SERVE_LISTEN);

	if (!page && !t->o->listen)
		page = syt_server_open(t->store, NULL, NULL, "127.0.0.1:0");
	if (page)
		syt_warn("the page is at %s", syt_server_url(page));
	return page;
}

static bool make_directory(const char *path)
{
	bool is_done = !mkdir(path, 0700) || errno == EEXIST;

	if (!is_done)
		syt_warn_errno("%s", path);
	return is_done;
}

int syt_fleet_try(const struct syt_try_options *o, struct syt_out *out)
{
	struct trial t = {.o = o,
	                  .store = syt_asprintf("%s/fleet.sqlite", o->dir),
	                  .spool = syt_asprintf("%s/spool", o->dir),
	                  .in = syt_asprintf("%s/in", o->dir),
	                  .loaded = syt_asprintf("%s/loaded", o->dir),
	                  .policy = syt_asprintf("%s/policy", o->dir),
	                  .symbols = syt_asprintf("%s/symbols", o->dir)};
	struct syt_server *page = NULL;
	int status = -1;

	if (make_directory(o->dir) && make_directory(t.in) && !syt_fleet_store_create(t.store) &&
	    write_policy(&t) && start_agent(&t)) {
		page = start_page(&t);
		status = run(&t, out);
	}
	if (page)
		syt_server_close(page);
	if (t.agent > 0) {
		kill(t.agent, SIGKILL);
		waitpid(t.agent, NULL, 0);
	}
	free(t.store);
	free(t.spool);
	free(t.in);
	free(t.loaded);
	free(t.policy);
	free(t.symbols);
	return status;
}
