/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "runtime/sys.h"

uint64_t syt_sys_denied[SYT_NR_SYSCALLS / 64];
