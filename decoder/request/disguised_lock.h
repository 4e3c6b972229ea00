/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Locks in disguise: a mutex and condition variables that form a lock, such as the global lock of CPython. Chance decides how
 * often threads pass such a lock on, so its calls are no steps of a request (doc/requests.md, "Event strings").
 */
#ifndef SYT_DECODER_REQUEST_DISGUISED_LOCK_H
#define SYT_DECODER_REQUEST_DISGUISED_LOCK_H

#include "decoder/order/order.h"

/* Returns for each object of O, trace-wide, whether it is a part of a lock in disguise: its mutex, or an object that is mostly used
 * in critical sections of this mutex. O must contain its hand-offs. The caller frees the array. */
bool *syt_disguised_locks(const struct syt_order *o);

#endif
