/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* What the SYNTRACE_* variables of this environment would make of a program's recording. */
#ifndef SYT_TOOL_ENVIRONMENT_H
#define SYT_TOOL_ENVIRONMENT_H

#include "tool/program.h"

/* Adds findings: recording is off, or would go where nothing can be written.  The recorder itself
 * says nothing then, because nothing may be printed in the program that it is in. */
void syt_environment_check(struct syt_program *p);

#endif
