/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Variables that every forked child writes or reads at its start lie side by side.  The kernel copies a page for a child
 * when the child writes to it first, which takes 1 us; scattered, they would be on twelve pages.
 */
#ifndef SYT_RUNTIME_FORKED_H
#define SYT_RUNTIME_FORKED_H

#define SYT_FORKED __attribute__((section("syt_forked")))

#endif
