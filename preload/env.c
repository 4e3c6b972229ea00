/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Makes the environment of a new process image. The recorder's entries follow the program's own, in
 * this order:
 *
 *	LD_PRELOAD=LIST:/path/of/libsyntrace.so::    of several, ld.so uses the last
 *	SYNTRACE_SESSION=DIRECTORY                   the trace (read by runtime/env.c)
 *	SYNTRACE_ID=HEXADECIMAL                      identifies the trace; its directory may be renamed
 *	SYNTRACE_FDS=LIST                            meaning of the inherited fds (runtime/endpoint_inherit.h)
 *	SYNTRACE_...=...                             the settings of this process image
 *
 * LIST is the program's own LD_PRELOAD, which stays unchanged in its place. The two final colons
 * mark an entry that the recorder made. If the user has put libsyntrace.so into a list, only this
 * name is removed from it.
 *
 * Go's runtime finds the auxiliary vector by walking past the end of the environment. So the
 * removed pointers at the end are replaced by AT_IGNORE pairs, which need an even number of
 * pointers.
 */
#include "preload/env.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

#include "runtime/session.h"

#define PRELOAD "LD_PRELOAD="
#define PRELOAD_BYTES (sizeof(PRELOAD) - 1)
#define SESSION "SYNTRACE_SESSION"
#define ID "SYNTRACE_ID="
#define FDS "SYNTRACE_FDS="
/* with this variable, ld.so lists libraries and runs no program */
#define LISTING "LD_TRACE_LOADED_OBJECTS="
#define LIBRARY "libsyntrace.so"
#define ADDED "::"      /* end of an LD_PRELOAD value that the recorder made */
#define SEPARATORS ": " /* characters that separate the entries of LD_PRELOAD */

/* The kernel puts the environment strings above the array of pointers, at most 6 MiB of strings (ARG_MAX).
 * If strings are further away, the program made them and loaded the recorder with dlopen. */
#define STRINGS_WITHIN (UINT64_C(8) << 20)

#define NR_SETTINGS 8u
#define SETTINGS_BYTES 512u /* maximum length of settings that are passed to new images */

static struct {
	char *settings[NR_SETTINGS]; /* copies, because programs overwrite the original strings */
	unsigned nr_settings;
	char text[SETTINGS_BYTES];
	size_t text_bytes;
} own;

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* Returns true if the environment entries A and B set the same variable. */
static bool is_same(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return !strncmp(a, b, n) && b[n] == '=';
}

static bool ends_in(const char *entry, size_t bytes, const char *file)
{
	size_t n = strlen(file);

	return n && bytes >= n && !memcmp(entry + bytes - n, file, n) &&
	       (bytes == n || entry[bytes - n - 1] == '/');
}

/* Returns true if this entry of LD_PRELOAD is the recorder's library, under any path and also when renamed. */
static bool is_us(const char *entry, size_t bytes)
{
	const char *slash = strrchr(syt_session_library(), '/');

	return ends_in(entry, bytes, LIBRARY) || (slash && ends_in(entry, bytes, slash + 1));
}

/* Returns true if the LD_PRELOAD list LIST contains the recorder's library (US is true), or any other
 * library (US is false). */
static bool names(const char *list, bool us)
{
	for (; list && *(list += strspn(list, SEPARATORS)); list += strcspn(list, SEPARATORS))
		if (is_us(list, strcspn(list, SEPARATORS)) == us)
			return true;
	return false;
}

/* Returns true if the recorder or `syntrace record` made the LD_PRELOAD value LIST. */
static bool is_added(const char *list)
{
	size_t n = strlen(list), mark = sizeof(ADDED) - 1;

	return n >= mark && !strcmp(list + n - mark, ADDED) && names(list, true);
}

/* ---- removing the recorder's entries ---- */

static void keep_setting(const char *entry)
{
	size_t bytes = strlen(entry) + 1;

	if (starts_with(entry, SESSION "=") || starts_with(entry, ID) || starts_with(entry, FDS) ||
	    own.nr_settings == NR_SETTINGS || bytes > sizeof(own.text) - own.text_bytes)
		return;
	/* if a variable has several entries, the first entry is valid */
	for (unsigned i = 0; i < own.nr_settings; i++)
		if (is_same(own.settings[i], entry))
			return;
	own.settings[own.nr_settings] = memcpy(own.text + own.text_bytes, entry, bytes);
	own.text_bytes += bytes;
	own.nr_settings++;
}

/* Removes the recorder's library and one separator from the LD_PRELOAD list LIST. Returns false if LIST is
 * then empty. */
static bool strip(char *list)
{
	bool has_us = false;
	char *end = list + strlen(list);

	for (char *p = list; *(p += strspn(p, SEPARATORS));) {
		size_t bytes = strcspn(p, SEPARATORS);

		if (!is_us(p, bytes)) {
			p += bytes;
			continue;
		}
		char *from = p + bytes;

		has_us = true;
		if (*from)
			from++;
		else if (p > list)
			p--;
		memmove(p, from, (size_t)(end - from) + 1);
		/* clears the rest of the string, which /proc/PID/environ shows */
		memset(end - (from - p), 0, (size_t)(from - p));
		end -= from - p;
	}
	return !has_us || *list;
}

/* Returns true if the program must not see the environment entry ENTRY. Otherwise gives ENTRY the value
 * that it has without the recorder. */
static bool is_hidden(char *entry)
{
	if (starts_with(entry, PRELOAD))
		return is_added(entry + PRELOAD_BYTES) || !strip(entry + PRELOAD_BYTES);
	return syt_session_is_variable(entry);
}

void syt_env_hide(char **envp)
{
	char **to = envp;
	size_t nr_hidden = 0;

	if (!envp)
		return;
	for (char **e = envp; *e; e++)
		if (syt_session_disables(*e))
			return;
	for (char **from = envp; *from; from++) {
		if (!is_hidden(*from)) {
			*to++ = *from;
			continue;
		}
		if (syt_session_is_variable(*from))
			keep_setting(*from);
		if ((uintptr_t)*from - (uintptr_t)envp < STRINGS_WITHIN)
			memset(*from, 0, strlen(*from));
		nr_hidden++;
	}
	for (size_t i = 0; i <= nr_hidden; i++)
		to[i] = (char *)(uintptr_t)(nr_hidden % 2 == 0 && i % 2 ? AT_IGNORE : 0);
}

/* ---- adding the recorder's entries ---- */

struct plan {
	const char *list; /* the value of LD_PRELOAD in ENVP that ld.so uses, or NULL */
	size_t nr;        /* number of entries of ENVP that are kept */
	size_t nr_shown;  /* number of entries that syt_environ_extend added, which are dropped */
	size_t nr_tail;
	size_t preload_bytes; /* upper bound for the recorder's LD_PRELOAD */
	bool has_session;
	bool is_setting[NR_SETTINGS]; /* settings to pass on to the new image */
};

static struct plan plan(char *const *envp, const struct syt_new_image *image)
{
	struct plan p = {0};
	bool is_wanted = image->target == SYT_TARGET_TRACEABLE && *syt_session_dir() &&
	                 *syt_session_library();
	/* number of entries of ENVP that the recorder's constructor in the new image will remove */
	size_t nr_hidden = 0;

	memset(p.is_setting, true, own.nr_settings);
	for (; envp && *envp; envp++) {
		if (syt_environ_is_added(*envp)) {
			p.nr_shown++;
			continue;
		}
		p.nr++;
		if (starts_with(*envp, PRELOAD)) {
			p.list = *envp + PRELOAD_BYTES;
			nr_hidden +=
				is_added(p.list) || (names(p.list, true) && !names(p.list, false));
		} else if (syt_session_is_variable(*envp)) {
			nr_hidden++;
			p.has_session |= starts_with(*envp, SESSION "=");
			for (unsigned i = 0; i < own.nr_settings; i++)
				p.is_setting[i] &= !is_same(own.settings[i], *envp);
		}
		if (starts_with(*envp, LISTING) || syt_session_disables(*envp))
			is_wanted = false;
	}
	if (!is_wanted)
		return p;
	/* the program itself started another trace, whose settings stay unchanged */
	if (p.has_session)
		memset(p.is_setting, false, sizeof(p.is_setting));
	p.nr_tail = 1 + 2 * !p.has_session + (image->fds_bytes != 0);
	for (unsigned i = 0; i < own.nr_settings; i++)
		p.nr_tail += p.is_setting[i];
	p.nr_tail += (p.nr_tail + nr_hidden) % 2;

	/* the path of libsyntrace.so may replace each entry of the list, and an entry is at least as long
	 * as the library's name */
	size_t list = p.list ? strlen(p.list) : 0;

	p.preload_bytes = sizeof(PRELOAD ":" ADDED) + strlen(image->sanitizer) + 1 + list +
	                  (1 + list / sizeof(LIBRARY)) * (strlen(syt_session_library()) + 1);
	return p;
}

void syt_env_inherits(struct syt_new_image *image, enum syt_inherit inherit)
{
	image->inherit = inherit;
	if (image->target == SYT_TARGET_TRACEABLE)
		image->fds_bytes = syt_endpoint_inherit_bytes(inherit);
}

size_t syt_env_bytes(char *const *envp, const struct syt_new_image *image)
{
	struct plan p = plan(envp, image);

	if (!p.nr_tail && !p.nr_shown)
		return 0;
	return (p.nr + p.nr_tail + 1) * sizeof(char *) + p.preload_bytes + sizeof(SESSION "=") +
	       strlen(syt_session_dir()) + 1 + sizeof(ID) + strlen(syt_session_id()) + sizeof(FDS) +
	       image->fds_bytes + own.text_bytes;
}

static void put(char **at, const char *text, size_t bytes)
{
	memcpy(*at, text, bytes);
	*at += bytes;
}

/* Writes LD_PRELOAD with the entries of LIST; the path of the recorder's library replaces the recorder's
 * entry or comes last. */
static void put_preload(char **at, const char *list, const char *sanitizer)
{
	const char *us = syt_session_library();
	bool was_us = false;

	put(at, PRELOAD, PRELOAD_BYTES);
	if (*sanitizer && !names(list, false)) {
		/* a sanitizer's library refuses to run unless it is the first in the list */
		put(at, sanitizer, strlen(sanitizer));
		put(at, ":", 1);
	}
	for (; list && *(list += strspn(list, SEPARATORS)); list += strcspn(list, SEPARATORS)) {
		size_t bytes = strcspn(list, SEPARATORS);
		bool here = is_us(list, bytes);

		if (here && was_us)
			continue;
		put(at, here ? us : list, here ? strlen(us) : bytes);
		put(at, ":", 1);
		was_us |= here;
	}
	if (!was_us) {
		put(at, us, strlen(us));
		put(at, ":", 1);
	}
	put(at, ":", sizeof(":"));
}

char **syt_env_make(void *memory, char *const *envp, const struct syt_new_image *image)
{
	struct plan p = plan(envp, image);
	char **made = memory, **to = made;
	char *at = (char *)(made + p.nr + p.nr_tail + 1);

	for (; envp && *envp; envp++)
		if (!syt_environ_is_added(*envp))
			*to++ = *envp;
	if (p.nr_tail) {
		char **end = to + p.nr_tail;

		*to++ = at;
		put_preload(&at, p.list, image->sanitizer);
		if (!p.has_session) {
			*to++ = at;
			put(&at, SESSION "=", sizeof(SESSION));
			put(&at, syt_session_dir(), strlen(syt_session_dir()) + 1);
			*to++ = at;
			put(&at, ID, sizeof(ID) - 1);
			put(&at, syt_session_id(), strlen(syt_session_id()) + 1);
		}
		if (image->fds_bytes) {
			*to++ = at;
			put(&at, FDS, sizeof(FDS) - 1);
			syt_endpoint_inherit_text(image->inherit, at, image->fds_bytes);
			at += strlen(at) + 1;
		}
		for (unsigned i = 0; i < own.nr_settings; i++) {
			if (!p.is_setting[i])
				continue;
			*to++ = at;
			put(&at, own.settings[i], strlen(own.settings[i]) + 1);
		}
		if (to < end) {
			/* repeats an entry to make the number of removed entries even; only the first entry
			 * of a variable is valid */
			*to = to[-1];
			to++;
		}
	}
	*to = NULL;
	return made;
}
