/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Places the variables that every forked child writes or reads at its start side by side. The kernel copies a
 * page for a child when the child first writes to it, which takes 1 us. If the variables were scattered, they
 * would be on twelve pages. */
#ifndef SYT_RUNTIME_FORKED_H
#define SYT_RUNTIME_FORKED_H

#define SYT_FORKED __attribute__((section("syt_forked")))

#endif
