/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Explains why processes could not make a dump. The recorder notes the reason in the shared file. */
#ifndef SYT_TOOL_REFUSAL_H
#define SYT_TOOL_REFUSAL_H

#include <stdbool.h>

/* Prints why nothing was recorded into DIR. Returns false, without a message, if the reason is unknown. */
bool syt_refusal_explain(const char *dir);

/* Prints the reason that processes noted in the shared file of the trace in DIR. Returns false if there is none. */
bool syt_refusal_explain_noted(const char *dir);

#endif
