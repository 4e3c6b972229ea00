/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The tab of the critical path: its longest parts. */
"use strict";

function showCritical(into) {
	const begins = beginTexts(data.critical.map(s => s.at));

	into.append(
		...findingsOf("critical"),
		element("p", {class: "hint"}, "The longest parts of the critical path, in order of time. The timeline marks them with lines. Choose a part to see it there."),
		table("parts of the critical path", [number("from"), number("length"), short("thread"), {title: "state"}, {title: "in, or running until", class: "code"}],
			data.critical.map((s, i) => ({segment: s, cells: [begins[i], spanWithError(s.length, s.error),
				s.thread < 0 ? "not drawn" : threadId(s.thread), s.text, leaf(s.stack)]})),
			row => showInTimeline(row.segment, data.critical)));
}

section({id: "critical", title: "Critical path", show: showCritical});
