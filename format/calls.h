/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Ids of the intercepted calls: SYT_CALL_name, the position in format/calls.def, from 1.  They are this
 * build's own: a dump carries its table (SYT_META_CALL) and is read by name.
 */
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
