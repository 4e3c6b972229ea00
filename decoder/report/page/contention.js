/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The tab of the locks: the waits for each lock, and flame graphs of the chosen one. */
"use strict";

function showContention(into) {
	into.append(...findingsOf("contention"));
	if (!data.contention.length)
		return;
	const beside = besideTable(), all = data.contention.reduce((sum, l) => sum + l.wait, 0);

	function choose(row) {
		const l = row.lock, wide = Math.max(beside.clientWidth, 300), most = Math.max(...l.blames.map(b => b.time));
		beside.replaceChildren(element("h2", {}, l.object + (l.isConvoy ? ": lock convoy" : "")));
		if (!l.blames.length)
			return beside.append(element("p", {}, "No thread waited for this lock."));
		beside.append(
			element("div", {class: "hint"}, "waiters: call paths that waited for the lock"),
			flame.draw("flame graph of the waiters", l.blames.map(b => [b.waiter, b.time]), true, wide),
			element("div", {class: "hint"}, "causes: call paths that the waits are charged to"),
			flame.draw("flame graph of the causes", l.blames.map(b => [b.holder, b.time, b.text]), false, wide),
			table("causes of the waits", [number("time"), short("share"), {title: "waiter", class: "code"}, {title: "cause", class: "code"}],
				l.blames.slice(0, 50).map(b => ({cells: [span(b.time),
					element("span", {class: "share", style: `width:${60 * b.time / most}px`}),
					stackList(b.waiter), element("div", {}, b.text, stackList(b.holder))]}))));
	}

	into.append(element("div", {class: "columns wide"},
		table("locks", [{title: "lock", class: "code"}, number("waited"), number("share"), number("waits"), number("held"), number("acquired")],
			data.contention.map(l => ({lock: l, cells: [l.object, span(l.wait), share(l.wait, all), count(l.waits), span(l.hold), count(l.acquired)]})),
			row => { choose(row); reachBeside(beside); }), beside));
	tabs.whenShown("contention", () => choose({lock: data.contention[0]}));
}

section({id: "contention", title: "Contention", show: showContention});
