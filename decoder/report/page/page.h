/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The HTML page: one file with the whole trace, the threads over time and the findings of the reports.
 *
 * The page needs no other file and no network. The parts of the page (page.html, page.css, *.js) are compiled into
 * this program, its data is JSON inside the page, and its Content-Security-Policy forbids the network. The size of
 * the page is limited, for a trace of any size. If the user zooms out, the timeline shows the share of each state
 * (levels). If the user zooms in, it shows the longest waits of all, and the longest wait in each stretch of time.
 *
 * Text from dumps appears only in JSON strings, which contain no '<', and in text nodes of the page. Only one
 * thread at a time may use these functions.
 */
#ifndef SYT_DECODER_REPORT_PAGE_PAGE_H
#define SYT_DECODER_REPORT_PAGE_PAGE_H

#include "decoder/html/write.h"

/* Writes the page to OUT and fills CONTENT. ORDER must contain all edges. This function may remove edges from
 * ORDER, so the caller must not use its edges afterwards. */
void syt_html_write(struct syt_out *out, struct syt_order *order, struct syt_symbols *symbols,
                    struct syt_html_content *content);

/* Write members of the page's JSON data: the timeline (states, level, slices), and its happens-before edges. */
void syt_html_put_time(struct syt_html *h);
void syt_html_put_edges(struct syt_html *h);

#endif
