/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* When a thread had a client's request and had not answered it. */
#ifndef SYT_DECODER_REPORT_WAITS_DEMAND_CLIENT_H
#define SYT_DECODER_REPORT_WAITS_DEMAND_CLIENT_H

#include "decoder/report/waits/service.h"

/* Adds to D the times at which a thread worked at the request of one client, whoever that is:
 *
 *	receive on a connection that was accepted ... send on it, both of this thread
 *
 * with nothing on another one in between, which a thread that serves several at a time has, and without
 * the calls by which it waits for clients: any on an epoll instance (or, of poll and select, any of this
 * thread) that has ever reported one.  A further request, or more of this one, begins anew.  So what is
 * left the client had to wait for, since it turned to this thread and got something next. */
void syt_demand_client_gather(struct syt_demands *d, const struct syt_services *s);

#endif
