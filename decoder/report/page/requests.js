/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The tab of the requests: their clusters, the slowest requests, and the work, the steps and the causes of the chosen one. */
"use strict";

/* The steps of a request over time: a row for each thread, a bar for each step, and a line where a thread got its work. */
const trail = (() => {
	const AXIS = 20, ROW = 36, LABEL = 15, BAR = 14, SVG = "http://www.w3.org/2000/svg", PARTS = 3;

	function svg(name, attributes, text) {
		const e = document.createElementNS(SVG, name);
		for (const [key, value] of Object.entries(attributes))
			e.setAttribute(key, value);
		if (text !== undefined)
			e.textContent = text;
		return e;
	}

	/* A step as an object.  "thread" is the row of the step's thread in the drawing. */
	function stepOf(t, [symbol, segment, at, length, waited, ran]) {
		const text = data.extents.symbols[symbol];
		return {text, short: text.replace(/^[^:;]*:/, "").split(";").slice(-PARTS).join(";"), segment: t.segments[segment],
			thread: t.segments[segment].thread, at, length, waited, ran};
	}

	function title(t, s) {
		return `${t.threads[s.thread].program} ${t.threads[s.thread].id}: ${s.text}, at ${span(s.at)} for ${span(s.length)}` +
			(s.waited ? `, waited ${span(s.waited)}` : "");
	}

	/* Draws a bar in the row ROW.  A short bar has the width of a line. */
	function bar(end, row, name, at, length) {
		return svg("rect", {class: name, x: 100 * at / end + "%", width: 100 * length / end + "%", y: AXIS + row * ROW + LABEL, height: BAR});
	}

	/* Draws the line from the thread that gave work to the thread that took it. */
	function arrow(end, s) {
		const down = s.thread > s.from, y = row => AXIS + row * ROW + LABEL;
		const from = s.from === s.thread ? y(s.from) : y(s.from) + (down ? BAR : 0), to = y(s.thread) + (down ? 0 : BAR);
		const e = svg("line", {class: s.inferred ? "way inferred" : "way", x1: 100 * s.since / end + "%", y1: from, x2: 100 * s.taken / end + "%",
			y2: s.from === s.thread ? from : to, "marker-end": "url(#arrow)"});
		e.append(svg("title", {}, `${s.by}${s.inferred ? ", inferred" : ""}: ${spanWithError(s.taken - s.since, s.error)}`));
		return e;
	}

	/* Returns the drawing of the trail of REQUEST, WIDE pixels wide.  CHOOSE(N) is called if the reader chooses the step N. */
	function draw(request, steps, wide, choose) {
		const t = request.trail, pieces = t.segments.flatMap(s => s.pieces), height = AXIS + t.threads.length * ROW;
		const end = 1.01 * Math.max(1, request.length, ...pieces.map((x, i) => i % 2 ? x + pieces[i - 1] : x), ...steps.map(s => s.at + s.length));
		const e = svg("svg", {class: "trail", width: "100%", height, role: "img", "aria-label": `steps of request ${request.number} over time, as in the table below`});
		const defs = svg("defs", {}), marker = svg("marker", {id: "arrow", viewBox: "0 0 6 6", refX: 6, refY: 3, markerWidth: 6, markerHeight: 6, orient: "auto"});
		marker.append(svg("path", {d: "M0 0L6 3L0 6z"}));
		defs.append(marker);
		e.append(defs);
		for (const [ns, text] of timeline.ticks(0, Math.floor(end), wide)) {
			e.append(svg("line", {class: "tick", x1: 100 * ns / end + "%", x2: 100 * ns / end + "%", y1: AXIS - 5, y2: height}));
			if (100 * ns / end < 90)
				e.append(svg("text", {x: 100 * ns / end + "%", y: 11}, text));
		}
		e.append(svg("line", {class: "answer", x1: 100 * request.length / end + "%", x2: 100 * request.length / end + "%", y1: AXIS - 5, y2: height}));
		t.threads.forEach((x, row) => e.append(svg("text", {x: 0, y: AXIS + row * ROW + LABEL - 3}, `${x.program} ${x.id}`)));
		for (const s of t.segments)
			for (let i = 0; i < s.pieces.length; i += 2)
				e.append(bar(end, s.thread, "works", s.pieces[i], s.pieces[i + 1]));
		steps.forEach((s, i) => {
			const r = bar(end, s.thread, s.waited ? "step waits" : "step", s.at, s.length);
			r.append(svg("title", {}, title(t, s)));
			r.addEventListener("click", () => choose(i));
			e.append(r);
		});
		for (const s of t.segments)
			if (s.by)
				e.append(arrow(end, s));
		return e;
	}

	const legend = (name, text) => element("span", {}, element("i", {style: `background:var(--${name})`}), text);

	function time(ns, least) {
		return ns >= least ? span(ns) : "";
	}

	/* Returns the drawing and the table of the steps of REQUEST. */
	function show(request, wide) {
		const t = request.trail, steps = t.steps.map(s => stepOf(t, s)), LEAST = 1000;
		let before = null;
		const rows = steps.map((s, n) => {
			const thread = t.threads[s.thread], isFirst = s.segment !== before;
			before = s.segment;
			return {step: n, cells: [exactTime(s.at, 1000, request.length), `${thread.program} ${thread.id}`,
				element("div", {title: s.text, style: `padding-left:${Math.min(thread.depth, 12)}em`}, s.short,
					isFirst && s.segment.by ? element("span", {class: "hint"}, ` by ${s.segment.by}${s.segment.inferred ? " (inferred)" : ""}` +
						("error" in s.segment ? `, ${spanWithError(s.segment.taken - s.segment.since, s.segment.error)}` : "")) : null),
				time(s.waited, LEAST), time(s.ran, LEAST)]};
		});
		const drawing = draw(request, steps, wide, n => {
			const row = list.tBodies[0].rows[n];
			row.querySelector("button").focus();
			row.click();
		});
		const list = table("steps of the request", [number("time"), short("thread"), {title: "step", class: "code"}, number("waited"), number("then ran")], rows, row => {
			drawing.querySelectorAll(".chosen").forEach(x => x.classList.remove("chosen"));
			drawing.querySelectorAll("rect.step")[row.step].classList.add("chosen");
		});
		return [element("h3", {}, "Steps"),
			element("div", {class: "legend"}, legend("running", "works on the request"), legend("data", "call"), legend("lock", "call that waited"),
				legend("text", "arrow: gave the work (dashed: inferred)"), legend("accent", "end of the request")),
			drawing,
			t.left ? element("p", {class: "hint"}, `The page leaves out ${count(t.left)} later steps. To print them: syntrace-decode requests --show=${request.number}`) : "",
			list];
	}

	return {show};
})();

/* Formats amounts of work for tables; nothing stands for none. */
const amount = {
	time: ns => ns === null ? "?" : ns ? span(ns) : "",
	count: n => n ? count(n) : "",
	cpu: w => (w.cpu && w.cpu_divided ? "~" : "") + amount.time(w.cpu), // ~: measured together with other work, and divided
};

function workTable(work) {
	return table("work by program", [{title: "program", class: "name"}, number("ran"), number("CPU"), number("bytes in"), number("bytes out"), number("file calls"),
		number("file waits"), number("lock waits"), number("in queues"), number("other waits")],
	work.map(w => ({cells: [w.component, amount.time(w.ran), amount.cpu(w), amount.count(w.received), amount.count(w.sent), amount.count(w.files),
		amount.time(w.file), amount.time(w.lock), amount.time(w.queue), amount.time(w.other)]})));
}

/* Formats the work of the example of a cluster: a line for each program. */
function workLines(work) {
	return element("div", {}, ...work.map(w => element("div", {}, `${w.component}: ` + [
		w.cpu === null ? `ran ${span(w.ran)}` : `${span(w.cpu)} CPU`, w.received ? `${count(w.received)} bytes in` : "", w.sent ? `${count(w.sent)} bytes out` : "",
		w.files ? `${count(w.files)} file ${w.files === 1 ? "call" : "calls"}` : ""].filter(Boolean).join(", "))));
}

function clusterTable(extents, byNumber, choose) {
	return element("details", {open: extents.clusters.length <= 12},
		element("summary", {}, `${count(extents.nrClusters)} ${extents.nrClusters === 1 ? "cluster" : "clusters"} of ${count(extents.clustered)} requests from the outside`),
		element("p", {class: "hint"}, "Requests of a cluster have similar steps and similar work. " +
			(extents.nrClusters > extents.clusters.length ? `The page has the largest ${count(extents.clusters.length)} clusters. ` : "") + "Choose a cluster for its example."),
		table("clusters", [number("cluster"), number("requests"), number("share"), number("example"), {title: "work of the example"}],
			extents.clusters.map((c, k) => ({cluster: c, cells: [k, count(c.requests), share(c.requests, extents.clustered), c.example,
				workLines((byNumber.get(c.example) || {work: []}).work)]})),
			row => choose(row.cluster.example)));
}

function showRequests(into) {
	const r = data.requests, beside = besideTable(), begins = beginTexts(r.list.map(x => x.at)), time = (ns, error) => ns < 0 ? "" : spanWithError(ns, error);
	const extents = data.extents, worked = new Map(extents ? extents.list.map(x => [x.number, x]) : []);
	const listed = new Map(r.list.map(x => [x.number, x]));

	/* Returns the causes of the length of a request of the list. */
	function causes(request) {
		const parts = request.parts || [];
		return parts.length ? [
			element("h3", {}, "The longest parts of its critical path"),
			table("parts of the request", [number("time"), number("share"), short("thread"), {title: "activity"}],
				parts.map(p => ({part: p, cells: [span(p.time), share(p.time, request.length), p.threadId,
					element("div", {}, p.text, stackList(p.stack))]})),
				row => showInTimeline(row.part, parts))]
			: [element("p", {class: "hint"}, "The page has no critical path of this request. To print it: syntrace-decode critical-path --request=" + request.number)];
	}

	function choose(which) {
		const request = listed.get(which), work = worked.get(which);
		beside.replaceChildren(element("h2", {}, `Request ${which}`),
			request ? element("p", {}, `${request.client}; received by ${request.received} in thread ${request.thread}; ${count(request.bytesReceived)} bytes received, ` +
				`${count(request.bytesSent)} bytes sent`) : "",
			work ? element("p", {}, `Cluster ${work.cluster}` + (extents.clusters[work.cluster] ? `, with ${count(extents.clusters[work.cluster].requests)} requests` : "") +
				`; ${spanWithError(work.length, work.error)} from its begin to its answer`) : "",
			request && request.row >= 0 && request.length >= 0 ? button("show it in the timeline", () => showInTimeline(
				{thread: request.row, at: request.at, length: request.length}, request.parts || [])) : "",
			...work ? [element("h3", {}, "Work by program"), workTable(work.work)] : [],
			...work && work.trail ? trail.show(work, beside.clientWidth || 600)
				: work ? [element("p", {class: "hint"}, "The page has no steps of this request. To print them: syntrace-decode requests --show=" + which)] : [],
			...request ? causes(request) : []);
	}

	into.append(
		element("p", {}, r.headline),
		extents ? clusterTable(extents, worked, which => { choose(which); beside.scrollIntoView(); }) : "",
		element("p", {class: "hint"}, `The slowest ${count(r.list.length)} of ${count(r.counted)} requests with an answer. Choose one for its work, its steps and its causes.`),
		element("div", {class: data.hosts ? "columns" : "columns wide"}, // times with errors need more space
			table("requests", [number("request"), number("begin"), number("time"), number("to receipt"), short("thread"), number("cluster"), {title: "mostly"}],
				r.list.map((x, i) => ({request: x, cells: [x.number, begins[i], time(x.length, x.error), time(x.toReceipt, x.receiptError), x.thread,
					worked.has(x.number) ? worked.get(x.number).cluster : "", x.cause || ""]})),
				row => { choose(row.request.number); reachBeside(beside); }),
			beside));
	if (r.list.length)
		tabs.whenShown("requests", () => choose(r.list[0].number));
}

section({id: "requests", title: "Requests", show: showRequests});
