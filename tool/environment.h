/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The effect of the SYNTRACE_* environment variables on the recording of a program. */
#ifndef SYT_TOOL_ENVIRONMENT_H
#define SYT_TOOL_ENVIRONMENT_H

#include "tool/program.h"

/* Adds a finding to P if recording is switched off, or its directory cannot be written.  In these cases the
 * recorder prints no message, because it must not print in the traced program. */
void syt_environment_check(struct syt_program *p);

#endif
