/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The objects of regular files: one for each recently used file, however often it is opened.
 * Without this table, a server that opens a file for each request would define it for each request,
 * and no ring bounds definitions. A forgotten file is defined again; readers know a file by its
 * identity.
 *
 * Inside of runtime/ only; lock-free; any thread, signal handlers included.
 */
#ifndef SYT_RUNTIME_ENDPOINT_FILE_H
#define SYT_RUNTIME_ENDPOINT_FILE_H

#include <stdint.h>

/* Returns the object of the file IDENTITY (as in a record: with its epoch), or 0 if it is
 * unknown. */
uint64_t syt_endpoint_file_find(uint64_t identity);
void syt_endpoint_file_learn(uint64_t identity, uint64_t object);

#endif
