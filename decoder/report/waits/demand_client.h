/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Demands of clients: when a thread had received a client's request and had not answered it. */
#ifndef SYT_DECODER_REPORT_WAITS_DEMAND_CLIENT_H
#define SYT_DECODER_REPORT_WAITS_DEMAND_CLIENT_H

#include "decoder/report/waits/service.h"

/* Adds to D the spans in which a thread worked on the request of one client.  A span goes from the end of
 * a receive on an accepted connection to the begin of the next send on this connection, by the same
 * thread.  These rules apply:
 *
 *  - If the thread uses another accepted connection, or accepts one, in between, there is no span: the
 *    thread may serve several clients at a time.
 *  - A call in which the thread waits for clients is cut out of the span.  It is a call on an epoll
 *    instance that has ever reported a client.  For poll and select, it is any call of this thread, if one
 *    of its calls has ever reported a client.
 *  - Another receive of data on the connection begins the span again.
 *
 * The client had turned to this thread, and got data next.  So it had to wait for the time of the span. */
void syt_demand_client_gather(struct syt_demands *d, const struct syt_services *s);

#endif
