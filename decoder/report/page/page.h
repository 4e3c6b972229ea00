/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * One page of HTML that tells of a whole trace: threads over time, and what the reports say.
 *
 * It needs nothing beside itself and asks for nothing: the parts of the page (page.html, page.css, *.js)
 * are in this program, what is told is JSON in it, and its policy forbids the network.  Its size is
 * bounded whatever the trace's is: far away the timeline shows shares of states (levels), near by the
 * waits that were kept, the longest of all and the longest of each stretch of time.
 *
 * Text of dumps is text in the JSON, where it holds no '<', and becomes text nodes in the page.
 */
#ifndef SYT_DECODER_REPORT_PAGE_PAGE_H
#define SYT_DECODER_REPORT_PAGE_PAGE_H

#include "decoder/html/write.h"

/* ORDER must hold all edges; which it still holds then is not said. */
void syt_html_write(struct syt_out *out, struct syt_order *order, struct syt_symbols *symbols,
                    struct syt_html_content *content);

/* Members of the page's data: the timeline (level, slices), and its edges. */
void syt_html_put_time(struct syt_html *h);
void syt_html_put_edges(struct syt_html *h);

#endif
