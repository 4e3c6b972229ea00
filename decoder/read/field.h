/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Finds the field of a static variable at an address, from debug information (DWARF). */
#ifndef SYT_DECODER_READ_FIELD_H
#define SYT_DECODER_READ_FIELD_H

#include <elfutils/libdwfl.h>

/* The static variables of one file, by address. */
struct syt_variables;

/* Reads the static variables of the file MODULE, which must stay open as long as the result is in use. */
struct syt_variables *syt_variables_create(Dwfl_Module *module);
void syt_variables_destroy(struct syt_variables *v); /* may be NULL */

/* Returns the path from the variable at ADDRESS (in the Dwfl) to the object OFFSET bytes behind it, such as ".lock",
 * "[3].lock" or "" for the variable itself. The path ends before members of libc's and libstdc++'s types, which have
 * reserved names ("__data", "_M_mutex"). Returns NULL if the debug information does not describe this variable or
 * this offset. The caller frees the text. */
char *syt_field_path(const struct syt_variables *v, Dwarf_Addr address, uint64_t offset);

#endif
