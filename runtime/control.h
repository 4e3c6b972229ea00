/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Who changes what syt_control() tells (runtime/alive.h): `syntrace pause` in the trace's shared file, and who finds out
 * that this process records nothing.
 */
#ifndef SYT_RUNTIME_CONTROL_H
#define SYT_RUNTIME_CONTROL_H

/* The page is the first one of the file FD from now on. */
void syt_control_share(int fd);

/* Nothing of this process will be recorded. */
void syt_control_refuse(void);

#endif
