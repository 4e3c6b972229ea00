/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The sections of the page that consist of findings and tables. */
"use strict";

function number(title) {
	return {title, class: "number"};
}

function short(title) {
	return {title, class: "short"};
}

/* Makes the place for the details of a chosen row.  On a wide screen, it stays beside the table. */
function besideTable() {
	return element("div", {class: "beside", role: "region", "aria-label": "details", "aria-live": "polite", tabindex: 0});
}

/* On a narrow screen, the details are below the table. */
function reachBeside(beside) {
	if (beside.getBoundingClientRect().top >= innerHeight)
		beside.scrollIntoView();
}

function showContention() {
	byId("contention").append(...findingsOf("contention"));
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

	byId("contention").append(element("div", {class: "columns wide"},
		table("locks", [{title: "lock", class: "code"}, number("waited"), number("share"), number("waits"), number("held"), number("acquired")],
			data.contention.map(l => ({lock: l, cells: [l.object, span(l.wait), share(l.wait, all), count(l.waits), span(l.hold), count(l.acquired)]})),
			row => { choose(row); reachBeside(beside); }), beside));
	tabs.whenShown("contention", () => choose({lock: data.contention[0]}));
}

function showWaits() {
	byId("waits").append(...[
		...findingsOf("waits"),
		data.waits.length ? element("p", {class: "hint"}, "Choose a row to see its longest wait in the timeline; n and p show its other waits.") : null,
		table("waits", [{title: "thread with longest wait", class: "short"}, number("threads"), number("waits"), number("time"), {title: "waited"}, {title: "class and reason"},
			{title: "waited in", class: "code"}, {title: "ended or lock held by", class: "code"}, {title: "charged to", class: "code"}],
		data.waits.map(w => ({wait: w, cells: [w.thread, count(w.threads), count(w.waits), span(w.time), w.what,
			w.verdict + ": " + w.why, stackList(w.stack), w.by ? stackList(w.by) : "", w.culprit ? stackList(w.culprit) : ""]})),
		row => showWaitsOf(row.wait.stack))].filter(e => e));
}

/* Shows SEGMENT of a path in the timeline, which marks all SEGMENTS. */
function showInTimeline(segment, segments) {
	if (segment.thread < 0)
		return;
	tabs.show("time");
	timeline.showPath(segments);
	timeline.zoomToTime(segment.thread, segment.at, segment.length);
	timeline.goTo(segment.thread, segment.at);
}

function showRequests() {
	const r = data.requests, beside = besideTable(), time = ns => ns < 0 ? "" : span(ns);

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

	byId("requests").append(
		element("p", {}, r.headline),
		element("p", {class: "hint"}, `The slowest ${count(r.list.length)} of ${count(r.counted)} requests with an answer. Choose one for its causes.`),
		element("div", {class: "columns wide"},
			table("requests", [number("request"), number("begin"), number("time"), number("to receipt"), short("thread"), {title: "mostly"}],
				r.list.map(x => ({request: x, cells: [x.number, span(x.at), time(x.length), time(x.toReceipt), x.thread, x.cause || ""]})),
				row => { choose(row.request); reachBeside(beside); }),
			beside));
	if (r.list.length)
		tabs.whenShown("requests", () => choose(r.list[0]));
}

function showCritical() {
	byId("critical").append(
		...findingsOf("critical"),
		element("p", {class: "hint"}, "The longest parts of the critical path, in order of time. The timeline marks them with lines. Choose a part to see it there."),
		table("parts of the critical path", [number("from"), number("length"), short("thread"), {title: "state"}, {title: "in, or running until", class: "code"}],
			data.critical.map(s => ({segment: s, cells: [span(s.at), span(s.length),
				s.thread < 0 ? "not drawn" : data.threads[s.thread].id, s.text, leaf(s.stack)]})),
			row => showInTimeline(row.segment, data.critical)));
}

/* Draws a lock-order cycle: the locks stand on a circle, and each arc leads from a held lock to the lock that the thread
 * took. */
function cycle(steps) {
	const SVG = "http://www.w3.org/2000/svg", size = 360, middle = size / 2, radius = 125, nr = steps.length;
	const make = (name, attributes, text) => {
		const e = document.createElementNS(SVG, name);
		Object.entries(attributes).forEach(([k, v]) => e.setAttribute(k, v));
		if (text)
			e.textContent = text;
		return e;
	};
	const at = i => [middle + radius * Math.sin(2 * Math.PI * i / nr), middle - radius * Math.cos(2 * Math.PI * i / nr)];
	const svg = make("svg", {viewBox: `-60 0 ${size + 120} ${size}`, class: "cycle", role: "img",
		"aria-label": "cycle of locks: " + steps.map(s => `thread ${s.thread} held ${s.had} and took ${s.took}`).join("; ")});
	const head = make("marker", {id: "head", viewBox: "0 0 8 8", refX: 15, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto"});
	head.append(make("path", {d: "M0 0 L8 4 L0 8 z", fill: "currentColor"}));
	svg.append(head);
	steps.forEach((s, i) => {
		const [x1, y1] = at(i), [x2, y2] = at((i + 1) % nr), turn = 2 * Math.PI * (i + 0.5) / nr;
		/* a cycle of one lock: the arc goes all around, and ends a little before its begin */
		const way = nr === 1 ? `1 1 ${x2 - 0.5} ${y2}` : `0 1 ${x2} ${y2}`;
		svg.append(make("path", {d: `M${x1} ${y1} A${radius} ${radius} 0 ${way}`, fill: "none", stroke: "currentColor", "marker-end": "url(#head)"}));
		/* inside the circle, at the middle of the arc */
		svg.append(make("text", {x: middle + radius * 0.72 * Math.sin(turn), y: middle - radius * 0.72 * Math.cos(turn), "font-size": 11,
			"text-anchor": nr === 2 ? (i ? "start" : "end") : "middle", fill: "currentColor"},
			["thread " + s.thread, ...(s.through || []).map(t => t.thread)].join(" → ")));
	});
	steps.forEach((s, i) => {
		const [x, y] = at(i);
		svg.append(make("circle", {cx: x, cy: y, r: 7, fill: "var(--lock)"}));
		svg.append(make("text", {x, y: y < middle ? y - 12 : y + 22, "font-size": 11, "text-anchor": "middle", fill: "currentColor"}, s.had));
	});
	return svg;
}

function showLockOrder() {
	const into = byId("lockorder");
	into.append(...findingsOf("lockorder"));
	for (const c of data.lockorder)
		into.append(element("h3", {class: c.tone}, c.title), element("div", {class: "columns"}, cycle(c.steps),
			element("div", {}, ...c.steps.map(s => element("div", {},
				element("b", {}, "thread " + s.thread), " held ", element("code", {}, s.had), ", acquired in", stackList(s.hadStack),
				...(s.through || []).flatMap((t, i) => [i ? "and before that waited in" : "and waited in", stackList(t.waitStack),
					"for ", element("b", {}, "thread " + t.thread), " in", stackList(t.sendStack)]),
				s.verb + " ", element("code", {}, s.took), " in", stackList(s.tookStack))))));
}
