/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Packs the files of an exported directory into a tar archive. */
#ifndef SYT_DECODER_EXPORT_ARCHIVE_H
#define SYT_DECODER_EXPORT_ARCHIVE_H

#include "base/out.h"

/* Writes the regular files of the directory PATH to OUT as a tar archive (POSIX ustar), in which the directory has
 * the name NAME. Returns 0, or -1 after a message. */
int syt_archive_write(struct syt_out *out, const char *path, const char *name);

#endif
