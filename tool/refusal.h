/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Says why processes could make no dump in a trace's directory, as the recorder noted it in the shared file. */
#ifndef SYT_TOOL_REFUSAL_H
#define SYT_TOOL_REFUSAL_H

#include <stdbool.h>

/* Says why nothing was recorded into DIR. Returns false, without a message, when the reason is not known. */
bool syt_refusal_explain(const char *dir);

/* Says why some processes of the trace in DIR, which others record into, are not there. */
void syt_refusal_explain_others(const char *dir);

#endif
