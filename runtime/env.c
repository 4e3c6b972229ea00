/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/env.h"

#include <stddef.h>
#include <string.h>

#include "format/budget.h"
#include "format/sampler_text.h"
#include "runtime/text.h"

#define RING_DEFAULT (UINT64_C(64) << 20) /* about 10 million events of 6 bytes */
#define MAX_DEFAULT (UINT64_C(16) << 30)

static void read_text(const char *value, void *to)
{
	*(const char **)to = *value ? value : NULL;
}

static void read_flag(const char *value, void *to)
{
	*(bool *)to = *value && strcmp(value, "0") != 0;
}

static void read_mode(const char *value, void *to)
{
	if (!strcmp(value, "stream"))
		*(uint32_t *)to = SYT_MODE_STREAM;
	else if (!strcmp(value, "ring"))
		*(uint32_t *)to = SYT_MODE_RING;
}

/* Reads a sampler. An entry in assembler asks the sampler about locks, on x86-64 only (preload/fast-entry.S). */
static void read_sampler(const char *value, void *to)
{
	struct syt_sampler_options o;
	const char *end = syt_sampler_parse(&o, value);

#if defined(__x86_64__)
	if (end && !*end && strlen(value) < SYT_SAMPLER_TEXT_BYTES)
		*(const char **)to = value;
#endif
}

static void read_budget(const char *value, void *to)
{
	struct syt_budget b;

	if (syt_budget_parse(&b, value))
		*(const char **)to = value;
}

/* Reads a number with an optional suffix K, M, G or T (powers of 1024). */
static void read_size(const char *value, void *to)
{
	static const char units[] = "KMGT";
	uint64_t v;

	if (!syt_text_number(&value, &v))
		return;
	if (*value) {
		char upper = (char)(*value & ~0x20);
		const char *unit = memchr(units, upper, 4);
		unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

		if (!unit || value[1] || v > UINT64_MAX >> shift)
			return;
		v <<= shift;
	}
	*(uint64_t *)to = v;
}

/* clang-format off */
static const struct variable {
	const char *name;
	void (*read)(const char *value, void *to);
	size_t to;
} variables[] = {
	/* name read field meaning (doc/environment.md) */
	/* the process joins the trace in this directory */
	{"SYNTRACE_SESSION",  read_text, offsetof(struct syt_env, session)},
	{"SYNTRACE_ID",       read_text, offsetof(struct syt_env, id)},          /* the id of that trace */
	{"SYNTRACE_DIR",      read_text, offsetof(struct syt_env, dir)},         /* directory for a new trace */
	{"SYNTRACE_MODE",     read_mode, offsetof(struct syt_env, mode)},        /* ring or stream */
	{"SYNTRACE_RING",     read_size, offsetof(struct syt_env, ring_bytes)},  /* sealed bytes kept per thread */
	{"SYNTRACE_MAX_SIZE", read_size, offsetof(struct syt_env, max_bytes)},   /* bytes of one dump */
	{"SYNTRACE_PAUSED",   read_flag, offsetof(struct syt_env, is_paused)},   /* not 0: a new trace is paused */
	{"SYNTRACE_SAMPLE",   read_sampler, offsetof(struct syt_env, sampler)},     /* the sampler of a new trace */
	{"SYNTRACE_BUDGET",   read_budget, offsetof(struct syt_env, budget)},       /* of a sampled trace */
	/* not 0: a new trace has all calls, and marks those that the sampler does not select */
	{"SYNTRACE_SAMPLE_SHADOW", read_flag, offsetof(struct syt_env, is_shadow)},
	{"SYNTRACE_FDS",      read_text, offsetof(struct syt_env, fds)},         /* the inherited descriptors */
	{"SYNTRACE_DISABLE",  read_flag, offsetof(struct syt_env, is_disabled)}, /* not 0: record nothing */
};
/* clang-format on */

/* Returns the row of the variable that ENTRY, NAME=VALUE, sets, or NULL. */
static const struct variable *find(const char *entry)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		size_t n = strlen(variables[i].name);

		if (!strncmp(entry, variables[i].name, n) && entry[n] == '=')
			return &variables[i];
	}
	return NULL;
}

bool syt_env_is_variable(const char *entry)
{
	return find(entry);
}

bool syt_env_disables(const char *entry)
{
	const struct variable *v = find(entry);
	bool is_disabled = false;

	if (v && v->to == offsetof(struct syt_env, is_disabled))
		v->read(entry + strlen(v->name) + 1, &is_disabled);
	return is_disabled;
}

const char *syt_env_get(char **envp, const char *name)
{
	size_t n = strlen(name);

	for (; envp && *envp; envp++) {
		if (!strncmp(*envp, name, n) && (*envp)[n] == '=')
			return *envp + n + 1;
	}
	return NULL;
}

void syt_env_read(struct syt_env *env, char **envp)
{
	*env = (struct syt_env){.ring_bytes = RING_DEFAULT, .max_bytes = MAX_DEFAULT};
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = syt_env_get(envp, variables[i].name);

		if (value)
			variables[i].read(value, (char *)env + variables[i].to);
	}
}
