/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Ids of the intercepted calls: SYT_CALL_name is the position in format/calls.def, from 1. The ids differ between
 * releases. A dump therefore contains a table of ids and names (SYT_META_CALL). */
#ifndef SYT_FORMAT_CALLS_H
#define SYT_FORMAT_CALLS_H

/* clang-format off */
enum syt_call {
	SYT_CALL_NONE,
#define CALL(name_, shape_, kind_, object_, ret_, params_, args_) SYT_CALL_##name_,
#define HAND(name_, shape_, kind_) SYT_CALL_##name_,
#define MARK(name_, shape_, kind_) SYT_CALL_##name_,
#include "format/calls.def"
	SYT_NR_CALLS
};
/* clang-format on */

#endif
