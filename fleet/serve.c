/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/serve.h"

#include <signal.h>
#include <stdio.h>

#include "base/err.h"

#ifdef HAVE_MICROHTTPD
#include <microhttpd.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fleet/page/page_parts.h"
#include "fleet/profile.h"
#include "fleet/query.h"
#include "fleet/sql.h"
#include "fleet/symbols.h"

#define MOST_CONNECTIONS 64u
#define MOST_IDLE_S 30u
#define MOST_VALUES "1000"
#define NAME_BYTES 128u

struct syt_server {
	const char *path, *symbols, *journal;
	struct MHD_Daemon *daemon;
	char url[NAME_BYTES];
};

/* An answer. `bytes` belongs to the answer unless `is_static`. If `is_file`, the answer is the NR bytes of the file FD. */
struct answer {
	unsigned status;
	const char *type;
	char *bytes;
	size_t nr;
	bool is_static, is_file;
	int fd;
};

#define TEXT "text/plain; charset=utf-8"
#define BINARY "application/octet-stream"
#define LINES "application/x-ndjson; charset=utf-8"

static void set_message(struct answer *a, unsigned status, char *text)
{
	*a = (struct answer){.status = status, .type = TEXT, .bytes = text, .nr = strlen(text)};
}

/* ---- parameters ---- */

struct parameters {
	struct syt_fleet_query *q;
	char *problem;
};

/* Takes one parameter of the request; the empty ones are fields of a form that the user left empty. */
static enum MHD_Result take(void *cls, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct parameters *p = cls;
	const char *problem;

	(void)kind;
	if (!value || !*value)
		return MHD_YES;
	problem = syt_query_set(p->q, key, value);
	if (problem)
		p->problem = syt_asprintf("%s %s, not '%s'\n", key, problem, value);
	return problem ? MHD_NO : MHD_YES;
}

/* Makes a query of the parameters. Returns false, with an answer, if they are wrong. */
static bool take_all(struct MHD_Connection *c, struct syt_fleet_query *q, struct answer *a)
{
	struct parameters p = {.q = q};
	const char *problem;

	MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, take, &p);
	problem = p.problem ? NULL : syt_query_finish(q);
	if (problem)
		p.problem = syt_asprintf("%s\n", problem);
	if (p.problem)
		set_message(a, MHD_HTTP_BAD_REQUEST, p.problem);
	return !p.problem;
}

/* ---- answers ---- */

/* Stores what PUT writes, with the store and Q or TEXT, in the answer. */
static void answer_lines(const char *path, const struct syt_fleet_query *q, const char *text,
                         struct answer *a)
{
	struct syt_out_memory memory = {0};
	struct syt_fleet_store s;
	struct syt_out like = {.fd = -1}, out;
	int status = syt_fleet_store_open_to_read(&s, path);

	syt_out_open_memory(&out, &like, &memory);
	if (!status)
		status = q ? syt_fleet_query(&s, q, &out) : syt_fleet_sql(&s, text, &out, true);
	syt_fleet_store_close(&s);
	if (!syt_out_close(&out) && !status) {
		*a = (struct answer){.status = MHD_HTTP_OK,
		                     .type = LINES,
		                     .bytes = memory.bytes,
		                     .nr = memory.nr};
		return;
	}
	free(memory.bytes);
	set_message(a, MHD_HTTP_INTERNAL_SERVER_ERROR,
	            syt_asprintf("The store did not answer. The messages of syntrace-fleet serve "
	                         "tell why.\n"));
}

static void answer_query(const struct syt_server *s, struct MHD_Connection *c, const char *question,
                         struct answer *a)
{
	struct syt_fleet_query q = {.question = question,
	                            .is_json = true,
	                            .symbols = s->symbols,
	                            .journal = s->journal};

	if (syt_query_is_question(question) && take_all(c, &q, a))
		answer_lines(s->path, &q, NULL, a);
}

static void answer_values(const char *path, const char *name, struct answer *a)
{
	const char *dimension = syt_query_dimension(name, strlen(name));
	char *text;

	if (!dimension || !syt_query_is_of_window(dimension))
		return;
	text = syt_asprintf(
		"SELECT DISTINCT %s AS value FROM windows ORDER BY value LIMIT " MOST_VALUES,
		dimension);
	answer_lines(path, NULL, text, a);
	free(text);
}

static void answer_profile(const struct syt_server *server, struct MHD_Connection *c,
                           const char *event, struct answer *a)
{
	/* a profile without lines is better than none */
	bool has_lines = server->journal || !syt_fleet_store_is_clickhouse(server->path);
	struct syt_fleet_query q = {.question = "waits",
	                            .symbols = has_lines ? server->symbols : NULL,
	                            .journal = server->journal};
	struct syt_fleet_store s;
	int status;

	if ((strcmp(event, "wait") != 0 && strcmp(event, "hold") != 0) || !take_all(c, &q, a))
		return;
	status = syt_fleet_store_open_to_read(&s, server->path);
	if (!status)
		status = syt_fleet_profile(&s, &q, event, &a->bytes, &a->nr);
	syt_fleet_store_close(&s);
	if (status)
		set_message(a, MHD_HTTP_INTERNAL_SERVER_ERROR,
		            syt_asprintf("The store did not answer. The messages of syntrace-fleet "
		                         "serve tell why.\n"));
	else
		*a = (struct answer){
			.status = MHD_HTTP_OK, .type = BINARY, .bytes = a->bytes, .nr = a->nr};
}

/* Answers with the file NAME of the symbol store. */
static void answer_file(const char *symbols, const char *name, struct answer *a)
{
	int fd = symbols ? syt_symbols_open(symbols, name) : -1;
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st))
		close(fd);
	else
		*a = (struct answer){.status = MHD_HTTP_OK,
		                     .type = BINARY,
		                     .nr = (size_t)st.st_size,
		                     .is_file = true,
		                     .fd = fd};
}

static bool answer_part(const char *url, struct answer *a)
{
	static const struct {
		const char *url, *type;
		const unsigned char *bytes;
		size_t nr;
	} parts[] = {{"/", "text/html; charset=utf-8", page_html, sizeof(page_html)},
	             {"/page.css", "text/css; charset=utf-8", page_css, sizeof(page_css)},
	             {"/page.js", "text/javascript; charset=utf-8", page_js, sizeof(page_js)}};

	for (size_t n = 0; n < sizeof(parts) / sizeof(parts[0]); n++)
		if (!strcmp(parts[n].url, url)) {
			*a = (struct answer){.status = MHD_HTTP_OK,
			                     .type = parts[n].type,
			                     .bytes = (char *)(uintptr_t)parts[n].bytes,
			                     .nr = parts[n].nr,
			                     .is_static = true};
			return true;
		}
	return false;
}

/* Returns the rest of URL behind the folder FOLDER, or NULL. */
static const char *behind(const char *url, const char *folder)
{
	size_t bytes = strlen(folder);

	return strncmp(url, folder, bytes) ? NULL : url + bytes;
}

/* ---- the server ---- */

/* Returns true if the request names the server by address or as localhost. A page of another site, whose name its owner maps to
 * this address, names that site and gets no data. */
static bool is_host_known(struct MHD_Connection *c)
{
	const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

	return !host || !strcmp(host, "localhost") || behind(host, "localhost:") ||
	       !host[strspn(host, "0123456789.:")] ||
	       (*host == '[' && !host[strspn(host, "[]0123456789abcdefABCDEF.:")]);
}

static enum MHD_Result send_answer(struct MHD_Connection *c, struct answer *a)
{
	struct MHD_Response *r =
		a->is_file ? MHD_create_response_from_fd64(a->nr, a->fd)
			   : MHD_create_response_from_buffer(a->nr, a->bytes,
	                                                     a->is_static ? MHD_RESPMEM_PERSISTENT
	                                                                  : MHD_RESPMEM_MUST_FREE);
	enum MHD_Result result;

	if (!r) {
		if (a->is_file)
			close(a->fd);
		else if (!a->is_static)
			free(a->bytes);
		return MHD_NO;
	}
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, a->type);
	MHD_add_response_header(
		r, "Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
		"form-action 'none'; base-uri 'none'; frame-ancestors 'none'");
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	if (a->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(c, a->status, r);
	MHD_destroy_response(r);
	return result;
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *nr_data, void **state)
{
	const struct syt_server *s = cls;
	const char *rest;
	struct answer a = {0};

	(void)version;
	(void)data;
	(void)nr_data;
	(void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		set_message(&a, MHD_HTTP_METHOD_NOT_ALLOWED,
		            syt_asprintf("This server only reads.\n"));
	else if (!is_host_known(c))
		set_message(&a, MHD_HTTP_FORBIDDEN,
		            syt_asprintf("Use the address of this server, not a name. A proxy must "
		                         "send an address, too.\n"));
	else if (answer_part(url, &a))
		;
	else if ((rest = behind(url, "/query/")))
		answer_query(s, c, rest, &a);
	else if ((rest = behind(url, "/values/")))
		answer_values(s->path, rest, &a);
	else if ((rest = behind(url, "/pprof/")))
		answer_profile(s, c, rest, &a);
	else if ((rest = behind(url, "/buildid/")))
		answer_file(s->symbols, rest, &a);
	if (!a.status)
		set_message(&a, MHD_HTTP_NOT_FOUND,
		            syt_asprintf("Not found. There are /, /query/QUESTION, "
		                         "/values/DIMENSION, /pprof/wait and /pprof/hold, and with "
		                         "--symbols /buildid/.\n"));
	return send_answer(c, &a);
}

/* Opens a socket on LISTEN, ADDRESS:PORT or [ADDRESS]:PORT. Returns -1 after a message. */
static int listen_on(const char *listen_at)
{
	const char *colon = strrchr(listen_at, ':');
	bool has_brackets =
		colon && colon - listen_at >= 2 && *listen_at == '[' && colon[-1] == ']';
	char *address = colon ? syt_strndup(listen_at + has_brackets,
	                                    (size_t)(colon - listen_at) - 2 * has_brackets)
	                      : NULL;
	struct addrinfo like = {.ai_socktype = SOCK_STREAM,
	                        .ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV},
			*at;
	int fd = -1, one = 1,
	    status = colon ? getaddrinfo(address, colon + 1, &like, &at) : EAI_NONAME;

	free(address);
	if (status) {
		syt_warn("'%s' is no ADDRESS:PORT with a numeric address", listen_at);
		return -1;
	}
	fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    bind(fd, at->ai_addr, at->ai_addrlen) || listen(fd, (int)MOST_CONNECTIONS)) {
		syt_warn_errno("cannot listen on %s", listen_at);
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	freeaddrinfo(at);
	return fd;
}

static void name_url(struct syt_server *s, int fd)
{
	struct sockaddr_storage own;
	socklen_t bytes = sizeof(own);
	char address[NAME_BYTES / 2], port[16];

	if (getsockname(fd, (struct sockaddr *)&own, &bytes) ||
	    getnameinfo((struct sockaddr *)&own, bytes, address, sizeof(address), port,
	                sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	snprintf(s->url, sizeof(s->url),
	         own.ss_family == AF_INET6 ? "http://[%s]:%s/" : "http://%s:%s/", address, port);
}

struct syt_server *syt_server_open(const char *path, const char *symbols, const char *journal,
                                   const char *listen_at)
{
	struct syt_fleet_store store;
	struct syt_server *s;
	int fd = syt_fleet_store_open_to_read(&store, path) ? -1 : listen_on(listen_at);

	syt_fleet_store_close(&store);
	if (fd < 0)
		return NULL;
	s = syt_calloc(1, sizeof(*s));
	s->path = path;
	s->symbols = symbols;
	s->journal = journal;
	name_url(s, fd);
	s->daemon = MHD_start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL, 0,
		NULL, NULL, handle, s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
		MOST_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, MOST_IDLE_S, MHD_OPTION_END);
	if (s->daemon)
		return s;
	syt_warn("cannot start a web server on %s", listen_at);
	close(fd);
	free(s);
	return NULL;
}

const char *syt_server_url(const struct syt_server *s)
{
	return s->url;
}

void syt_server_close(struct syt_server *s)
{
	MHD_stop_daemon(s->daemon);
	free(s);
}

#else

struct syt_server *syt_server_open(const char *path, const char *symbols, const char *journal,
                                   const char *listen_at)
{
	(void)path;
	(void)symbols;
	(void)journal;
	(void)listen_at;
	syt_warn("serve needs libmicrohttpd, which was missing when this program was built: on "
	         "Debian, "
	         "apt-get install libmicrohttpd-dev, then run configure and make");
	return NULL;
}

const char *syt_server_url(const struct syt_server *s)
{
	(void)s;
	return "";
}

void syt_server_close(struct syt_server *s)
{
	(void)s;
}

#endif

int syt_serve(const char *path, const char *symbols, const char *journal, const char *listen_at)
{
	struct syt_server *s;
	sigset_t ends;
	int number;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL); /* also in the threads of the server */
	s = syt_server_open(path, symbols, journal, listen_at);
	if (!s)
		return -1;
	printf("The page is at %s\n", syt_server_url(s));
	fflush(stdout);
	sigwait(&ends, &number);
	syt_server_close(s);
	return 0;
}
