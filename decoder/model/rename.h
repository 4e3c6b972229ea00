/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Gives tasks the names that the user prefers. Each line of the file has a name and its replacement. Empty lines, and lines
 * that begin with '#', have no effect.
 *
 *	work;get = GET
 */
#ifndef SYT_DECODER_MODEL_RENAME_H
#define SYT_DECODER_MODEL_RENAME_H

#include "decoder/model/model.h"

/* Renames the tasks of M by the file at PATH. Names that no task has are skipped, because one file may serve several
 * programs. Returns false after a message that names the line and the column. */
bool syt_model_rename(struct syt_model *m, const char *path);

#endif
