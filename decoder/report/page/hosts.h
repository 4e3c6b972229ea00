/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Writes the hosts of the HTML page. For a trace of one host, these functions write nothing. */
#ifndef SYT_DECODER_REPORT_PAGE_HOSTS_H
#define SYT_DECODER_REPORT_PAGE_HOSTS_H

#include "decoder/html/write.h"

/* Writes the member hosts: the names. */
void syt_html_put_hosts(struct syt_html *h);
/* Writes the member host, the number of the thread's host, into the object that H has begun. */
void syt_html_put_host_of(struct syt_html *h, const struct syt_thread *t);
/* Writes the table of the hosts and their clocks, as HTML. */
void syt_html_hosts_table(struct syt_html *h);

#endif
