/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* All environment variables that the recorder obeys, in one table (runtime/env.c). */
#ifndef SYT_RUNTIME_ENV_H
#define SYT_RUNTIME_ENV_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

struct syt_env {
	const char *session; /* SYNTRACE_SESSION: join this trace */
	const char *id;      /* SYNTRACE_ID: the id of that trace, in hexadecimal */
	const char *dir;     /* SYNTRACE_DIR: record here instead of ./syntrace.data */
	uint32_t mode;       /* SYNTRACE_MODE: enum syt_mode */
	uint64_t ring_bytes; /* SYNTRACE_RING: sealed bytes per thread slot */
	uint64_t max_bytes;  /* SYNTRACE_MAX_SIZE: bytes of one dump */
	const char *sampler; /* SYNTRACE_SAMPLE: format/sampler_text.h */
	const char *budget;  /* SYNTRACE_BUDGET: format/budget.h */
	bool is_shadow;      /* SYNTRACE_SAMPLE_SHADOW */
	bool is_paused;      /* SYNTRACE_PAUSED: a new trace begins with a pause */
	const char *fds;     /* SYNTRACE_FDS: runtime/endpoint_inherit.h */
	bool is_disabled;    /* SYNTRACE_DISABLE */
};

/* Reads ENVP. Malformed values keep their defaults. Strings point into ENVP. */
void syt_env_read(struct syt_env *env, char **envp);

/* Returns the text after NAME= in ENVP, or NULL. */
const char *syt_env_get(char **envp, const char *name);

/* Returns whether ENTRY, NAME=VALUE, sets a variable of the table. */
bool syt_env_is_variable(const char *entry);

/* Returns whether ENTRY switches recording off. */
bool syt_env_disables(const char *entry);

#endif
