/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "fleet/clickhouse.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define MOST_COLUMNS 1000u

#ifdef HAVE_CURL
#include <curl/curl.h>

#define SCHEME "clickhouse://"
#define MOST_BYTES ((size_t)1 << 30) /* of an answer */
#define MOST_MESSAGE 400u /* bytes of a message of the server */
#define CONNECT_S 10L
#define REQUEST_S 300L
#define LENGTH_NAME 100u

struct syt_clickhouse {
	const char *path;
	CURL *curl;
	struct curl_slist *headers;
	char error[CURL_ERROR_SIZE];
	char *database;
	long timeout_s; /* or 0 */
	size_t nr;
	char *shards[SYT_CLICKHOUSE_SHARDS]; /* HOST:PORT */
};

struct body {
	char *bytes;
	size_t nr, room;
};

static bool is_name(const char *text)
{
	size_t bytes = strlen(text);

	for (const char *p = text; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return false;
	return bytes && bytes <= LENGTH_NAME;
}

/* Returns true if TEXT is HOST:PORT; an address of IPv6 has brackets. */
static bool is_server(const char *text)
{
	const char *colon = strrchr(text, ':');

	if (!colon || colon == text || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")])
		return false;
	for (const char *p = text; p < colon; p++)
		if (!isalnum((unsigned char)*p) && !strchr(".-_[]:", *p))
			return false;
	return true;
}

static void add_header(struct syt_clickhouse *c, const char *name, const char *value)
{
	char *text = syt_asprintf("%s: %s", name, value);
	struct curl_slist *all = curl_slist_append(c->headers, text);

	free(text);
	if (!all)
		syt_die_of_memory(1, 1);
	c->headers = all;
}

/* Adds the headers of the user. Returns false after a message. */
static bool add_user(struct syt_clickhouse *c, const char *user)
{
	const char *name = getenv("SYNTRACE_FLEET_PASSWORD_FILE");
	FILE *f = name ? fopen(name, "re") : NULL;
	char *line = NULL;
	size_t room = 0;
	bool is_read = f && getline(&line, &room, f) >= 0;

	if (f)
		fclose(f);
	if (name && !is_read)
		syt_warn_errno("%s", name);
	if (is_read) {
		line[strcspn(line, "\r\n")] = 0;
		add_header(c, "X-ClickHouse-Key", line);
	}
	free(line);
	add_header(c, "X-ClickHouse-User", user);
	return !name || is_read;
}

/* Takes the parts of the text, which has no scheme and is changed. */
static bool parse(struct syt_clickhouse *c, char *text)
{
	char *slash = strrchr(text, '/'), *at = strchr(text, '@'), *rest = NULL;

	if (!slash || !is_name(slash + 1))
		return false;
	*slash = 0;
	c->database = syt_asprintf("%s", slash + 1);
	if (at) {
		*at = 0;
		if (!is_name(text) || !add_user(c, text))
			return false;
		text = at + 1;
	}
	for (char *server = strtok_r(text, ",", &rest); server;
	     server = strtok_r(NULL, ",", &rest)) {
		if (!is_server(server) || c->nr == SYT_CLICKHOUSE_SHARDS)
			return false;
		c->shards[c->nr++] = syt_asprintf("%s", server);
	}
	return c->nr > 0;
}

struct syt_clickhouse *syt_clickhouse_open(const char *path)
{
	struct syt_clickhouse *c = syt_calloc(1, sizeof(*c));
	char *text = syt_asprintf("%s", path + strlen(SCHEME));
	bool is_good;

	c->path = path;
	add_header(c, "Expect", "");
	is_good = parse(c, text);
	free(text);
	if (is_good)
		c->curl = curl_easy_init();
	if (c->curl)
		return c;
	syt_warn("%s is no clickhouse://[USER@]HOST:PORT[,HOST:PORT]/DATABASE", path);
	syt_clickhouse_close(c);
	return NULL;
}

void syt_clickhouse_close(struct syt_clickhouse *c)
{
	for (size_t n = 0; n < c->nr; n++)
		free(c->shards[n]);
	curl_slist_free_all(c->headers);
	curl_easy_cleanup(c->curl);
	free(c->database);
	free(c);
}

size_t syt_clickhouse_shards(const struct syt_clickhouse *c)
{
	return c->nr;
}

void syt_clickhouse_set_timeout(struct syt_clickhouse *c, long s)
{
	c->timeout_s = s;
}

const char *syt_clickhouse_database(const struct syt_clickhouse *c)
{
	return c->database;
}

/* ---- requests ---- */

static size_t receive(char *bytes, size_t one, size_t nr, void *body_)
{
	struct body *b = body_;

	(void)one;
	if (nr > MOST_BYTES - b->nr)
		return 0; /* an error of the transfer */
	syt_grow(&b->bytes, &b->room, b->nr + nr + 1, 1);
	memcpy(b->bytes + b->nr, bytes, nr);
	b->nr += nr;
	b->bytes[b->nr] = 0;
	return nr;
}

/* Writes the message of the server, which may be any bytes. */
static void warn_of(const char *server, long status, const struct body *b)
{
	size_t bytes = b->nr < MOST_MESSAGE ? b->nr : MOST_MESSAGE;
	char *message = syt_strndup(b->nr ? b->bytes : "", bytes), *all;
	char *end = strstr(message, ", e.what()");

	if (end)
		*end = 0;
	message[strcspn(message, "\n")] = 0;
	all = syt_asprintf("%s: the server answers %ld: %s", server, status, message);
	syt_warn_bytes(all);
	free(all);
	free(message);
}

int syt_clickhouse_send(struct syt_clickhouse *c, size_t shard, const char *settings,
                        const char *sql, const void *body, size_t nr, char **answer)
{
	const char *server = c->shards[shard];
	char *query = body ? curl_easy_escape(c->curl, sql, 0) : NULL, *url;
	struct body b = {0};
	long status = 0;
	CURLcode code;

	/* the server sends its answer when it is complete, so an error has a status of its own */
	url = syt_asprintf("http://%s/?database=%s&wait_end_of_query=1%s%s%s", server,
	                   strncmp(sql, "CREATE DATABASE", 15) ? c->database : "system", settings,
	                   query ? "&query=" : "", query ? query : "");
	curl_free(query);
	*c->error = 0;
	curl_easy_reset(c->curl);
	/* on an old connection that fails, libcurl would send an INSERT a second time */
	curl_easy_setopt(c->curl, CURLOPT_FRESH_CONNECT, 1L);
	curl_easy_setopt(c->curl, CURLOPT_FORBID_REUSE, 1L);
	curl_easy_setopt(c->curl, CURLOPT_URL, url);
	curl_easy_setopt(c->curl, CURLOPT_ERRORBUFFER, c->error);
	curl_easy_setopt(c->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c->curl, CURLOPT_PROTOCOLS_STR, "http");
	curl_easy_setopt(c->curl, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(c->curl, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	curl_easy_setopt(c->curl, CURLOPT_TIMEOUT, c->timeout_s ? c->timeout_s : REQUEST_S);
	curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, c->headers);
	curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, receive);
	curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, &b);
	curl_easy_setopt(c->curl, CURLOPT_POST, 1L);
	curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, body ? body : sql);
	curl_easy_setopt(c->curl, CURLOPT_POSTFIELDSIZE_LARGE,
	                 (curl_off_t)(body ? nr : strlen(sql)));
	code = curl_easy_perform(c->curl);
	free(url);
	if (code)
		syt_warn("%s: %s", server, *c->error ? c->error : curl_easy_strerror(code));
	else
		curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
	if (!code && status != 200)
		warn_of(server, status, &b);
	if (answer && !code && status == 200)
		*answer = b.bytes ? b.bytes : syt_calloc(1, 1);
	else
		free(b.bytes);
	return code || status != 200 ? -1 : 0;
}

int64_t syt_clickhouse_count(struct syt_clickhouse *c, size_t shard, const char *sql)
{
	char *answer, *end;
	int64_t nr;

	if (syt_clickhouse_send(c, shard, "", sql, NULL, 0, &answer))
		return -1;
	errno = 0;
	nr = strtoll(answer, &end, 10);
	if (end == answer || *end != '\n' || end[1] || errno || nr < 0) {
		syt_warn("%s: the server answers no number", c->shards[shard]);
		nr = -1;
	}
	free(answer);
	return nr;
}

#else

static const char missing[] = "a ClickHouse store needs libcurl, which was missing when this "
			      "program was built: on Debian, "
			      "apt-get install libcurl4-openssl-dev, then run configure and make";

struct syt_clickhouse *syt_clickhouse_open(const char *path)
{
	(void)path;
	syt_warn("%s", missing);
	return NULL;
}

void syt_clickhouse_close(struct syt_clickhouse *c)
{
	(void)c;
}

size_t syt_clickhouse_shards(const struct syt_clickhouse *c)
{
	(void)c;
	return 0;
}

void syt_clickhouse_set_timeout(struct syt_clickhouse *c, long s)
{
	(void)c;
	(void)s;
}

const char *syt_clickhouse_database(const struct syt_clickhouse *c)
{
	(void)c;
	return "";
}

int syt_clickhouse_send(struct syt_clickhouse *c, size_t shard, const char *settings,
                        const char *sql, const void *body, size_t nr, char **answer)
{
	(void)c;
	(void)shard;
	(void)settings;
	(void)sql;
	(void)body;
	(void)nr;
	(void)answer;
	return -1;
}

int64_t syt_clickhouse_count(struct syt_clickhouse *c, size_t shard, const char *sql)
{
	(void)c;
	(void)shard;
	(void)sql;
	return -1;
}

#endif

/* ---- texts ---- */

void syt_clickhouse_quote(FILE *f, const char *text)
{
	putc('\'', f);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (isalnum(*p) || strchr(" .,:;_-+/=", *p))
			putc(*p, f);
		else
			fprintf(f, "\\x%02X", *p);
	putc('\'', f);
}

/* Removes the escapes of a cell in place. Returns the cell, or NULL for the value NULL. */
static char *unescape(char *cell)
{
	char *to = cell;

	if (!strcmp(cell, "\\N"))
		return NULL;
	for (const char *p = cell; *p; p++) {
		static const char codes[] = "bfnrt0", bytes[] = "\b\f\n\r\t?";
		const char *code;

		if (*p != '\\' || !p[1]) {
			*to++ = *p;
			continue;
		}
		code = strchr(codes, *++p);
		*to++ = code ? bytes[code - codes] : *p;
	}
	*to = 0;
	return cell;
}

/* Splits the next line into cells. Returns their number, or 0 if there is no complete line or too many cells. */
static size_t split(struct syt_tab_rows *t, char **cells, size_t most)
{
	char *end = t->at ? strchr(t->at, '\n') : NULL, *line = t->at;
	size_t nr = 0;

	if (!end)
		return 0;
	*end = 0;
	t->at = end + 1;
	for (char *cell = line; cell && nr <= most; nr++) {
		char *tab = strchr(cell, '\t');

		if (tab)
			*tab = 0;
		if (nr < most)
			cells[nr] = unescape(cell);
		cell = tab ? tab + 1 : NULL;
	}
	return nr <= most ? nr : 0;
}

bool syt_tab_open(struct syt_tab_rows *t, char *text)
{
	char *names[MOST_COLUMNS];

	*t = (struct syt_tab_rows){.at = text};
	t->nr = split(t, names, MOST_COLUMNS);
	t->names = syt_calloc(t->nr, sizeof(*t->names));
	t->types = syt_calloc(t->nr, sizeof(*t->types));
	t->cells = syt_calloc(t->nr, sizeof(*t->cells));
	for (size_t n = 0; n < t->nr; n++)
		t->names[n] = names[n] ? names[n] : text + strlen(text);
	if (!t->nr || split(t, t->types, t->nr) != t->nr)
		return false;
	for (size_t n = 0; n < t->nr; n++)
		if (!t->types[n])
			return false;
	return true;
}

int syt_tab_next(struct syt_tab_rows *t)
{
	if (!*t->at)
		return 0;
	return split(t, t->cells, t->nr) == t->nr ? 1 : -1;
}

void syt_tab_close(struct syt_tab_rows *t)
{
	free(t->names);
	free(t->types);
	free(t->cells);
}
