/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Names of sync objects. A name contains no address, so it is equal in every run of the same program.
 *
 * The name of an object is, in this order: the name that the program gave it ("/queue" of a named semaphore); for a
 * static object, the variable and the field that contain it ("server.lock", "table[3].lock"); otherwise the innermost
 * function that initialized or first used it, behind its caller ("main/queue_create()"). Functions of the language's
 * library (std::) are left out. Several objects of a process image with the same kind and name are numbered in the
 * order in which the program defined them: "main/queue_create()", "main/queue_create()#2". If threads race for the first
 * use, these numbers may differ between runs.
 *
 * Sockets, pipes and other objects without a name keep the text "stream:0x..#0". Only one thread at a time may use
 * these functions.
 */
#ifndef SYT_DECODER_READ_NAME_H
#define SYT_DECODER_READ_NAME_H

#include "decoder/read/symbol.h"

/* Lets the following functions name the objects of T. SYMBOLS must outlive the last call of these functions. If
 * SYMBOLS is NULL, as after the trace was read, only objects that the program named have a name. */
void syt_names_open(struct syt_trace_data *t, struct syt_symbols *symbols);
void syt_names_close(struct syt_trace_data *t);

/* Lets the following functions ignore symbols, so that their results do not depend on the files of this machine. */
void syt_names_without_symbols(const struct syt_trace_data *t);

/* syt_names_open() and syt_names_close() for one image without a trace, which is still being recorded. */
void syt_image_names_open(struct syt_image *i, struct syt_symbols *symbols);
void syt_image_names_close(struct syt_image *i);

/* Forgets the titles and names that the functions below returned, because the definitions of objects changed. */
void syt_image_names_forget(struct syt_image *i);

/* Returns the text for the object with the index OBJECT in image I in reports: the kind and the name,
 * "mutex:server.lock". The text is valid until the trace is closed. */
const char *syt_object_title(const struct syt_image *i, uint32_t object);

/* Returns the name of the object: "server.lock", or NULL if the object has no name. */
const char *syt_object_name(const struct syt_image *i, uint32_t object);

/* Returns true if the fnmatch() pattern PATTERN matches the object's title, name, or text "mutex:0x..#0". */
bool syt_object_matches(const struct syt_image *i, uint32_t object, const char *pattern);

#endif
