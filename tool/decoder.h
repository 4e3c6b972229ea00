/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Where syntrace-decode is. */
#ifndef SYT_TOOL_DECODER_H
#define SYT_TOOL_DECODER_H

/* Beside this tool, or its name, to be looked up in PATH. Owned by the caller. */
char *syt_decoder_find(void);

/* Our environment, but that the decoder reads no configuration file: what it prints is for us. To be freed, not its
 * strings. */
char **syt_decoder_environment(void);

#endif
