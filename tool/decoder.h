/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the program syntrace-decode. */
#ifndef SYT_TOOL_DECODER_H
#define SYT_TOOL_DECODER_H

/* Returns the path of the decoder beside this tool, or its plain name, for a search in PATH.  Owned by the
 * caller. */
char *syt_decoder_find(void);

/* Returns the environment of this tool, plus a variable that keeps the decoder from reading configuration
 * files, because this tool parses its output.  The caller frees the array, not the strings. */
char **syt_decoder_environment(void);

#endif
