/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Changes the value that syt_control() returns (runtime/alive.h). The value is in the trace's shared file,
 * where `syntrace pause` writes it, or in private memory if this process records nothing. */
#ifndef SYT_RUNTIME_CONTROL_H
#define SYT_RUNTIME_CONTROL_H

/* Maps the first page of the file FD as the control page. */
void syt_control_share(int fd);

/* Makes syt_control() report that this process never records. */
void syt_control_refuse(void);

#endif
