/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The symbol table of a file, sorted by address. dwfl_module_addrinfo() reads all symbols of the table for each
 * address: 1 ms for libjvm.so. This module reads the table once, and finds an address by binary search.
 */
#ifndef SYT_DECODER_READ_SYMTAB_H
#define SYT_DECODER_READ_SYMTAB_H

#include <elfutils/libdwfl.h>

struct syt_symtab;

/* Reads the symbols of MODULE, which must outlive the result. */
struct syt_symtab *syt_symtab_open(Dwfl_Module *module);
void syt_symtab_close(struct syt_symtab *t);

/* Returns the name of the function at ADDRESS, an address in the Dwfl, or NULL. Of several symbols that contain the
 * address, chooses like dwfl_module_addrinfo(): a global one, the closest begin, the shortest, the strongest binding. A
 * symbol without a size (a label in assembly) counts if no other symbol lies between it and the address. */
const char *syt_symtab_find(const struct syt_symtab *t, GElf_Addr address);

#endif
