/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Symbol versions of functions that libc exports at two addresses (the OLD rows of format/calls.def). For a new
 * version, add a line here and a node in preload/versions.map.in. */
#ifndef SYT_PRELOAD_VERSION_H
#define SYT_PRELOAD_VERSION_H

#define SYT_VERSION_V2_2_5 "GLIBC_2.2.5"
#define SYT_VERSION_V2_3_2 "GLIBC_2.3.2"
#define SYT_VERSION_V2_3_3 "GLIBC_2.3.3"
#define SYT_VERSION_V2_10 "GLIBC_2.10"
#define SYT_VERSION_V2_15 "GLIBC_2.15"
#define SYT_VERSION_V2_24 "GLIBC_2.24"
#define SYT_VERSION_V2_34 "GLIBC_2.34"

#endif
