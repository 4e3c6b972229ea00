/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * LD_PRELOAD keeps the user's other entries in their order.  Where the recorder had to be added to
 *it, a private variable carries what stood there before:
 *
 *	SYNTRACE_SESSION=DIRECTORY      the trace (read by runtime/env.c)
 *	SYNTRACE_LD_PRELOAD=VALUE       LD_PRELOAD was VALUE
 *	SYNTRACE_NO_LD_PRELOAD=1        there was no LD_PRELOAD
 */
#include "preload/env.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/session.h"

#define PRELOAD "LD_PRELOAD="
#define SESSION "SYNTRACE_SESSION="
#define BEFORE "SYNTRACE_LD_PRELOAD="
#define NOTHING_BEFORE "SYNTRACE_NO_LD_PRELOAD="
#define HIDDEN_PREFIX_BYTES                                                                        \
	(sizeof(BEFORE) - sizeof(PRELOAD)) /* from BEFORE=VALUE to PRELOAD=VALUE */
#define LIBRARY "libsyntrace.so"
#define SEPARATORS ": " /* of LD_PRELOAD's entries */

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool is_private(const char *entry)
{
	return starts_with(entry, SESSION) || starts_with(entry, BEFORE) ||
	       starts_with(entry, NOTHING_BEFORE);
}

/* Is this entry the recorder, under whatever path? */
static bool is_us(const char *entry, size_t bytes)
{
	const size_t name = sizeof(LIBRARY) - 1;

	return bytes >= name && !memcmp(entry + bytes - name, LIBRARY, name) &&
	       (bytes == name || entry[bytes - name - 1] == '/');
}

struct preload {
	const char *value; /* LD_PRELOAD's, or NULL */
	bool has_us;
	bool is_relative; /* ... by a path that holds in this working directory only */
};

static struct preload find_preload(char *const *envp)
{
	struct preload p = {NULL, false, false};

	for (; envp && *envp && !p.value; envp++) /* ld.so and getenv take the first one */
		if (starts_with(*envp, PRELOAD))
			p.value = *envp + sizeof(PRELOAD) - 1;
	for (const char *list = p.value; list && *list; list += strspn(list, SEPARATORS)) {
		size_t bytes = strcspn(list, SEPARATORS);

		if (is_us(list, bytes)) {
			p.has_us = true;
			p.is_relative = *list != '/' && memchr(list, '/', bytes);
		}
		list += bytes;
	}
	return p;
}

enum change { KEEP, ADD_SESSION, ADD_US, REMOVE_US };

static enum change decide(const struct preload *p, enum syt_target target)
{
	if (!*syt_session_dir() || !*syt_session_library())
		return KEEP;
	switch (target) {
	case SYT_TARGET_SECURE: /* ld.so ignores us; it would only see variables of ours */
		return KEEP;
	case SYT_TARGET_CLASS: /* ld.so would complain about us, or fail */
	case SYT_TARGET_LIBC:
	case SYT_TARGET_CONFINED: /* and we would be killed */
		return p->has_us ? REMOVE_US : KEEP;
	case SYT_TARGET_STATIC: /* blind itself, but what it starts can be traced */
		return p->has_us ? ADD_SESSION : KEEP;
	case SYT_TARGET_TRACEABLE:
		break;
	}
	return p->has_us && !p->is_relative ? ADD_SESSION : ADD_US;
}

static size_t count(char *const *envp)
{
	size_t nr = 0;

	while (envp && envp[nr])
		nr++;
	return nr;
}

size_t syt_env_room(char *const *envp, enum syt_target target)
{
	struct preload p = find_preload(envp);
	size_t value = p.value ? strlen(p.value) : 0;

	if (decide(&p, target) == KEEP)
		return 0;
	/* each entry of LD_PRELOAD may become the library's path; it has at least the name's length
	 */
	return (count(envp) + 4) * sizeof(char *) + sizeof(SESSION) + strlen(syt_session_dir()) +
	       sizeof(PRELOAD) + value + 1 +
	       (1 + value / sizeof(LIBRARY)) * strlen(syt_session_library()) + sizeof(BEFORE) +
	       value + sizeof(NOTHING_BEFORE "1");
}

static void put(char **at, const char *text, size_t bytes)
{
	memcpy(*at, text, bytes);
	*at += bytes;
}

/* Makes a string at *AT and moves it past. */
static char *put_string(char **at, const char *prefix, const char *value)
{
	char *string = *at;

	put(at, prefix, strlen(prefix));
	put(at, value, strlen(value) + 1);
	return string;
}

/* LD_PRELOAD with LIST's entries in their order, and us by our path, in our place or last; or
 * without us. NULL when nothing remains. */
static char *put_preload(char **at, const char *list, bool with_us)
{
	const char *us = syt_session_library();
	char *string = *at;
	bool is_first = true, was_us = false;

	put(at, PRELOAD, sizeof(PRELOAD) - 1);
	for (; list && *list; list += strspn(list, SEPARATORS)) {
		size_t bytes = strcspn(list, SEPARATORS);
		bool here = is_us(list, bytes);

		if (bytes && (!here || with_us)) {
			put(at, ":", !is_first);
			put(at, here ? us : list, here ? strlen(us) : bytes);
			is_first = false;
			was_us |= here;
		}
		list += bytes;
	}
	if (with_us && !was_us) {
		put(at, ":", !is_first);
		put(at, us, strlen(us));
		is_first = false;
	}
	*(*at)++ = 0;
	return is_first ? NULL : string;
}

char **syt_env_make(void *room, char *const *envp, enum syt_target target)
{
	struct preload p = find_preload(envp);
	enum change change = decide(&p, target);
	char **made = room, **to = made;
	char *at = (char *)(made + count(envp) + 4);
	char *preload = NULL;

	if (change == ADD_US || change == REMOVE_US)
		preload = put_preload(&at, p.value, change == ADD_US);
	for (; envp && *envp; envp++) {
		bool is_replaced =
			change != ADD_SESSION && p.value && *envp + sizeof(PRELOAD) - 1 == p.value;

		if (is_replaced && preload)
			*to++ = preload;
		else if (!is_replaced && !is_private(*envp))
			*to++ = *envp;
	}
	if (change == ADD_US) {
		if (!p.value)
			*to++ = preload;
		*to++ = p.value ? put_string(&at, BEFORE, p.value)
		                : put_string(&at, NOTHING_BEFORE, "1");
	}
	if (change != REMOVE_US)
		*to++ = put_string(&at, SESSION, syt_session_dir());
	*to = NULL;
	return made;
}

void syt_env_restore(char **envp)
{
	char **to = envp;
	char *before = NULL;
	bool is_added = false;

	for (char **from = envp; *from; from++) {
		if (starts_with(*from, BEFORE)) {
			before = *from + HIDDEN_PREFIX_BYTES;
			is_added = true;
		} else if (starts_with(*from, NOTHING_BEFORE)) {
			is_added = true;
		}
	}
	for (char **from = envp; *from; from++) {
		if (is_private(*from))
			continue;
		if (is_added && starts_with(*from, PRELOAD)) {
			is_added = false;
			if (before)
				*to++ = before;
			continue;
		}
		*to++ = *from;
	}
	*to = NULL;
}
