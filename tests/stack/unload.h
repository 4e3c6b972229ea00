/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The symbols exported by the modules that are loaded and unloaded. */
#ifndef SYT_TESTS_STACK_UNLOAD_H
#define SYT_TESTS_STACK_UNLOAD_H

void unload_entry(void (*check)(void));

#endif
