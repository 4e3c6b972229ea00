/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The tab of the waits, by call path. */
"use strict";

function showWaits(into) {
	into.append(...[
		...findingsOf("waits"),
		data.waits.length ? element("p", {class: "hint"}, "Choose a row to see its longest wait in the timeline; n and p show its other waits.") : null,
		table("waits", [{title: "thread with longest wait", class: "short"}, number("threads"), number("waits"), number("time"), {title: "waited"}, {title: "class and reason"},
			{title: "waited in", class: "code"}, {title: "ended or lock held by", class: "code"}, {title: "charged to", class: "code"}],
		data.waits.map(w => ({wait: w, cells: [w.thread, count(w.threads), count(w.waits), span(w.time), w.what,
			w.verdict + ": " + w.why, stackList(w.stack), w.by ? stackList(w.by) : "", w.culprit ? stackList(w.culprit) : ""]})),
		row => showWaitsOf(row.wait.stack))].filter(e => e));
}

section({id: "waits", title: "Waits", show: showWaits});
