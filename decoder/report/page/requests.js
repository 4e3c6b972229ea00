/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The tab of the requests: the slowest requests, and the causes of the chosen one. */
"use strict";

function showRequests(into) {
	const r = data.requests, beside = besideTable(), begins = beginTexts(r.list.map(x => x.at)), time = ns => ns < 0 ? "" : span(ns);

	function choose(request) {
		const parts = request.parts || [];
		beside.replaceChildren(element("h2", {}, `Request ${request.number}`),
			element("p", {}, `${request.client}; received by ${request.received} in thread ${request.thread}; ${count(request.bytesReceived)} bytes received, ` +
				`${count(request.bytesSent)} bytes sent`),
			request.row >= 0 && request.length >= 0 ? button("show it in the timeline", () => showInTimeline(
				{thread: request.row, at: request.at, length: request.length}, parts)) : "",
			...parts.length ? [
				element("h3", {}, "The longest parts of its critical path"),
				table("parts of the request", [number("time"), number("share"), short("thread"), {title: "activity"}],
					parts.map(p => ({part: p, cells: [span(p.time), share(p.time, request.length), p.threadId,
						element("div", {}, p.text, stackList(p.stack))]})),
					row => showInTimeline(row.part, parts))]
				: [element("p", {class: "hint"}, "The page has no critical path of this request. To print it: syntrace-decode critical-path --request=" + request.number)]);
	}

	into.append(
		element("p", {}, r.headline),
		element("p", {class: "hint"}, `The slowest ${count(r.list.length)} of ${count(r.counted)} requests with an answer. Choose one for its causes.`),
		element("div", {class: "columns wide"},
			table("requests", [number("request"), number("begin"), number("time"), number("to receipt"), short("thread"), {title: "mostly"}],
				r.list.map((x, i) => ({request: x, cells: [x.number, begins[i], time(x.length), time(x.toReceipt), x.thread, x.cause || ""]})),
				row => { choose(row.request); reachBeside(beside); }),
			beside));
	if (r.list.length)
		tabs.whenShown("requests", () => choose(r.list[0]));
}

section({id: "requests", title: "Requests", show: showRequests});
