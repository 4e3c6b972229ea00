/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Threads over time.  Zoomed out, the row of a thread shows the share of each state in each bucket of time.
 * Zoomed in, it shows the waits that the decoder kept: the longest of all, and the longest of each stretch.
 */
"use strict";

const timeline = (() => {
	const canvas = byId("canvas"), details = byId("details");
	const FONT = "11px ui-monospace, monospace", ROW = 18, AXIS = 22, MOST_ROWS = 45, CHARACTER = 6.7, LEAST = 100;
	const nrStates = data.states.length;
	const view = {from: 0, to: Math.max(data.length, LEAST), top: 0};
	const levels = data.threads.map((t, i) => decode(data.level.rows[i]));
	const slices = data.slices.map(unfold);
	/* The rows from top to bottom: numbers of threads.  Of several hosts, each has a row with its name, -1 - NUMBER, above its threads. */
	const lines = data.hosts ? data.hosts.flatMap((h, n) => [-1 - n, ...data.threads.flatMap((t, i) => t.host === n ? [i] : [])])
		: data.threads.map((t, i) => i);
	const lineOf = new Map(lines.map((line, i) => [line, i]));
	let chosen = null, selection = null, matches = [], match = -1, path = data.critical || [];
	/* The drawing: context, size, width of the labels, first row and number of rows, colors. */
	let scene = {pen: canvas.getContext("2d"), width: 0, height: 0, label: 0, rows: [], colors: {}};

	function decode(text) {
		return Uint8Array.from(atob(text || ""), c => c.charCodeAt(0));
	}

	/* Begins of slices come as differences to the slice before. */
	function unfold(s) {
		let at = 0;
		return {...s, at: s.at.map(d => at += d)};
	}

	/* Returns the share of state S of THREAD in bucket B, from 0 to 255. */
	function level(thread, b, s) {
		return levels[thread][(b - data.level.first[thread]) * nrStates + s] || 0;
	}

	function nrRows() {
		return Math.max(1, Math.min(MOST_ROWS, lines.length));
	}

	function toX(t) {
		return scene.label + (t - view.from) / (view.to - view.from) * (scene.width - scene.label);
	}

	function toTime(x) {
		return view.from + (x - scene.label) / perNs();
	}

	/* Returns the number of pixels of a nanosecond. */
	function perNs() {
		return Math.max(scene.width - scene.label, 1) / (view.to - view.from);
	}

	/* Returns the vertical place of THREAD, also if it is not drawn, for arrows. */
	function toY(thread) {
		const i = scene.rows.indexOf(thread);
		return AXIS + (i >= 0 ? i : lineOf.get(thread) - view.top) * ROW;
	}

	function labelWidth(width) {
		return Math.min(150, Math.round(width * 0.26));
	}

	function resize() {
		const scale = window.devicePixelRatio || 1, height = AXIS + nrRows() * ROW + 4;
		canvas.style.height = height + "px";
		scene.width = canvas.clientWidth;
		scene.height = height;
		scene.label = labelWidth(scene.width);
		canvas.width = Math.round(scene.width * scale);
		canvas.height = Math.round(height * scale);
		scene.pen.setTransform(scale, 0, 0, scale, 0, 0);
		draw();
	}

	function limit() {
		const length = Math.min(Math.max(view.to - view.from, LEAST), Math.max(data.length, LEAST));
		view.from = Math.min(Math.max(view.from, 0), Math.max(data.length - length, 0));
		view.to = view.from + length;
		view.top = Math.min(Math.max(view.top, 0), Math.max(lines.length - nrRows(), 0));
	}

	/* Returns the first slice of S that ends after T.  Slices of a thread do not overlap. */
	function firstAfter(s, t) {
		let low = 0, high = s.at.length;
		while (low < high) {
			const middle = low + high >> 1;
			if (s.at[middle] + s.length[middle] <= t)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	function sliceEnd(thread, i) {
		return slices[thread].at[i] + slices[thread].length[i];
	}

	/* Returns the times of the axis with their texts: as many as have room, and no two with the same text. */
	function ticks(from, to, room) {
		for (let power = 1; ; power *= 10)
			for (const step of [power, 2 * power, 5 * power]) {
				const wide = (exactTime(to, step, to).length + 2) * CHARACTER;
				if ((to - from) / step * wide > room && step < to - from)
					continue;
				const all = [];
				for (let n = Math.ceil(from / step); n * step <= to; n++)
					all.push([n * step, exactTime(n * step, step, to)]);
				return all;
			}
	}

	/* Formats a time with a resolution of one pixel. */
	function timeText(t) {
		return exactTime(Math.round(t), 1 / perNs(), view.to);
	}

	function drawAxis() {
		const {pen, width, height, label, colors} = scene;
		pen.strokeStyle = colors.line;
		for (const [t, text] of ticks(view.from, view.to, width - label)) {
			const x = Math.round(toX(t)) + 0.5;
			pen.beginPath();
			pen.moveTo(x, AXIS - 4);
			pen.lineTo(x, height);
			pen.stroke();
			pen.fillStyle = colors.text;
			if (x + 3 + text.length * CHARACTER <= width)
				pen.fillText(text, x + 3, 13);
		}
	}

	function drawLevel(thread, y) {
		const t = data.threads[thread], {pen, width, label, colors} = scene;
		pen.fillStyle = colors.running;
		const x = toX(Math.max(t.from, view.from)), end = toX(Math.min(t.to, view.to));
		if (end < label || x >= width || t.to < view.from || t.from > view.to)
			return;
		pen.fillRect(Math.max(x, label), y + 2, Math.max(end - x, 1), ROW - 5);
		const first = Math.max(data.level.first[thread], Math.floor(view.from / data.level.width));
		const last = Math.min(data.level.first[thread] + levels[thread].length / nrStates, Math.ceil(view.to / data.level.width));
		for (let b = first; b < last; b++) {
			const left = Math.max(toX(b * data.level.width), label);
			const wide = toX((b + 1) * data.level.width) - left + 0.5;
			let low = y + ROW - 3;
			for (let s = 1; s < nrStates; s++) {
				const part = level(thread, b, s);
				if (!part)
					continue;
				const high = part / 255 * (ROW - 5);
				pen.fillStyle = colors[data.states[s].name];
				pen.fillRect(left, low - high, wide, high);
				low -= high;
			}
		}
	}

	function sliceText(thread, i) {
		const s = slices[thread], f = frames(s.stack[i]);
		return data.calls[s.call[i]] + (f[1] ? " in " + f[1] : "");
	}

	/* Draws the kept slices over the shares.  If a bucket is wide, also draws short slices, because a wide bucket would
	 * look like one slice. */
	function drawSlices(thread, y) {
		const s = slices[thread], least = 1 / perNs(), {pen, width, label, colors} = scene;
		const isNear = data.level.width > 6 * least;
		for (let i = firstAfter(s, view.from); i < s.at.length && s.at[i] < view.to; i++) {
			if (s.length[i] < least && !isNear)
				continue;
			const x = Math.max(toX(s.at[i]), label), end = Math.min(toX(s.at[i] + s.length[i]), width), name = data.states[s.state[i]].name;
			pen.fillStyle = colors[name];
			pen.fillRect(x, y + 2, Math.max(end - x, 1), ROW - 5);
			if (end - x > 60) {
				pen.fillStyle = ink(colors[name]);
				pen.save();
				pen.beginPath();
				pen.rect(x, y, end - x - 3, ROW);
				pen.clip();
				pen.fillText(sliceText(thread, i), x + 3, y + ROW - 7); /* underscores are inside the bar */
				pen.restore();
			}
		}
	}

	function arrow(x1, y1, x2, y2) {
		const {pen} = scene, bend = Math.max(12, Math.abs(x2 - x1) / 3);
		pen.beginPath();
		pen.moveTo(x1, y1);
		pen.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
		pen.stroke();
		pen.beginPath();
		pen.moveTo(x2, y2);
		pen.lineTo(x2 - 7, y2 - 4);
		pen.lineTo(x2 - 7, y2 + 4);
		pen.fill();
	}

	function drawChosen() {
		const e = data.edges, {pen, colors} = scene;
		if (!chosen)
			return;
		pen.lineWidth = 1.5;
		pen.strokeStyle = pen.fillStyle = colors.text;
		for (const i of edgesOf(chosen))
			arrow(toX(e.fromTime[i]), toY(e.from[i]) + ROW / 2, toX(e.toTime[i]), toY(e.to[i]) + ROW / 2);
		pen.lineWidth = 2;
		const x = toX(slices[chosen.thread].at[chosen.slice]), end = toX(sliceEnd(chosen.thread, chosen.slice));
		pen.strokeRect(x - 1, toY(chosen.thread) + 1, Math.max(end - x, 2) + 2, ROW - 3);
		pen.lineWidth = 1;
	}

	function drawSelection() {
		if (!selection)
			return;
		const {pen, height, colors} = scene, x = toX(selection.from), end = toX(selection.to);
		pen.globalAlpha = 0.18;
		pen.fillStyle = colors.accent;
		pen.fillRect(x, 0, Math.max(end - x, 1), height);
		pen.globalAlpha = 1;
		pen.strokeStyle = colors.accent;
		pen.strokeRect(x, 0.5, Math.max(end - x, 1), height - 1);
	}

	function drawPath() {
		const {pen, label, width, colors} = scene;
		pen.strokeStyle = colors.text;
		pen.lineWidth = 2;
		for (const s of path)
			if (s.at < view.to && s.at + s.length > view.from && scene.rows.includes(s.thread)) {
				const y = toY(s.thread) + 1;
				pen.beginPath();
				pen.moveTo(Math.max(toX(s.at), label), y);
				pen.lineTo(Math.min(toX(s.at + s.length), width), y);
				pen.stroke();
			}
		pen.lineWidth = 1;
	}

	function threadText(thread) {
		const t = data.threads[thread];
		return t.id + " " + (t.name || "tid " + t.tid);
	}

	/* Draws the row of a host, from the left end to X. */
	function drawBand(y, x) {
		scene.pen.fillStyle = scene.colors.panel;
		scene.pen.fillRect(0, y, x, ROW);
	}

	function drawHostName(host, y) {
		const {pen, label, colors} = scene;
		drawBand(y, label - 2);
		pen.fillStyle = colors.text;
		pen.font = "bold " + FONT;
		pen.fillText(data.hosts[host], 2, y + ROW - 6);
		pen.font = FONT;
	}

	function drawLabels() {
		const {pen, label, height, colors, rows} = scene;
		pen.fillStyle = colors.back;
		pen.fillRect(0, 0, label - 2, height);
		pen.save();
		pen.beginPath();
		pen.rect(0, 0, label - 6, height);
		pen.clip();
		pen.fillStyle = colors.text;
		for (const thread of rows)
			if (thread >= 0)
				pen.fillText(threadText(thread), 2, toY(thread) + ROW - 6);
		pen.restore();
		for (const line of rows)
			if (line < 0)
				drawHostName(-1 - line, toY(line));
	}

	/* Draws the rows of the scene. */
	function paint() {
		const {pen, width, height, label, rows} = scene;
		for (const name of ["text", "line", "back", "panel", "accent", ...data.states.map(s => s.name)])
			scene.colors[name] = color(name);
		pen.font = FONT;
		pen.fillStyle = scene.colors.back;
		pen.fillRect(0, 0, width, height);
		drawAxis();
		for (const line of rows.filter(l => l < 0))
			drawBand(toY(line), width);
		for (const thread of rows.filter(line => line >= 0)) {
			drawLevel(thread, toY(thread));
			drawSlices(thread, toY(thread));
		}
		drawPath();
		pen.save();
		pen.beginPath();
		pen.rect(label, 0, width - label, height);
		pen.clip();
		drawChosen();
		drawSelection();
		pen.restore();
		drawLabels();
	}

	function draw() {
		limit();
		scene.rows = lines.slice(view.top, view.top + nrRows());
		paint();
		byId("range").textContent = `${timeText(view.from)} to ${timeText(view.to)}: ${span(view.to - view.from)}`;
		hideTip();
	}

	/* Draws the present range of time for the printer: all threads that exist in it, on canvases that fit a page. */
	function print() {
		const MOST_PRINTED = 400, PER_CANVAS = 40, WIDTH = 1000, SCALE = 2, kept = scene;
		const all = lines.filter(n => n < 0 || data.threads[n].to >= view.from && data.threads[n].from <= view.to);
		const printed = all.slice(0, MOST_PRINTED);
		const into = byId("print") || byId("time").insertBefore(element("div", {id: "print"}), byId("timeline"));
		into.replaceChildren(element("p", {}, `The threads from ${span(view.from)} to ${span(view.to)}`));
		for (let n = 0; n < printed.length; n += PER_CANVAS) {
			const rows = printed.slice(n, n + PER_CANVAS), height = AXIS + rows.length * ROW + 4;
			const sheet = element("canvas", {width: WIDTH * SCALE, height: height * SCALE, role: "img", "aria-label": "threads over time"});
			scene = {pen: sheet.getContext("2d"), width: WIDTH, height, label: labelWidth(WIDTH), rows, colors: {}};
			scene.pen.scale(SCALE, SCALE);
			paint();
			into.append(sheet);
		}
		const nrLeft = all.slice(MOST_PRINTED).filter(n => n >= 0).length;
		if (nrLeft)
			into.append(element("p", {}, `${count(nrLeft)} more threads are not printed.`));
		scene = kept;
	}

	/* ---- details of a wait ---- */

	/* Returns the edges into and out of the kept slice. */
	function edgesOf(c) {
		const e = data.edges, event = slices[c.thread].event[c.slice], found = [];
		for (let i = 0; i < e.kind.length; i++)
			if ((e.to[i] === c.thread && e.toEvent[i] === event) || (e.from[i] === c.thread && e.fromEvent[i] === event))
				found.push(i);
		return found;
	}

	function edgeLine(i) {
		const e = data.edges, isInto = e.to[i] === chosen.thread && e.toEvent[i] === slices[chosen.thread].event[chosen.slice];
		const other = isInto ? {thread: e.from[i], time: e.fromTime[i], stack: e.fromStack[i]}
			: {thread: e.to[i], time: e.toTime[i], stack: 0};
		return element("div", {},
			button((isInto ? "← " : "→ ") + data.edgeKinds[e.kind[i]] + ", " + threadId(other.thread), () => goTo(other.thread, other.time)),
			e.error && e.error[i] !== null ? ", " + spanWithError(e.toTime[i] - e.fromTime[i], e.error[i] < 0 ? null : e.error[i]) : "",
			e.doubt[i] ? " (" + data.doubts[e.doubt[i]] + ")" : "",
			isInto ? stackList(other.stack) : "");
	}

	function objectText(thread, i) {
		const object = slices[thread].object[i];
		return object >= 0 ? data.objects[object] : "";
	}

	function show() {
		const {thread, slice: i} = chosen, s = slices[thread], edges = edgesOf(chosen), t = data.threads[thread];
		details.replaceChildren(
			element("h3", {}, data.calls[s.call[i]]),
			element("div", {}, objectText(thread, i)),
			element("div", {}, "thread " + t.id + (t.name ? " " + t.name : "") + ", tid " + t.tid + (data.hosts ? ", host " + data.hosts[t.host] : "")),
			element("div", {}, s.event[i] >= 0 ? "event " + t.id + "." + s.event[i] : "the call had not returned at the end of the trace"),
			element("div", {}, data.states[s.state[i]].title),
			element("div", {}, `from ${exactTime(s.at[i], 1, s.at[i])} for ${exactTime(s.length[i], 1, s.length[i])}`),
			stackList(s.stack[i]),
			element("h3", {}, edges.length ? "Edges" : "No edges: no recorded event of another thread ended this wait or follows from it"),
			...edges.map(edgeLine));
	}

	/* Shows the shares of a thread at a time without a kept wait. */
	function showShares(thread, time) {
		const b = Math.floor(time / data.level.width);
		chosen = null;
		details.replaceChildren(
			element("h3", {}, `thread ${data.threads[thread].id} at ${timeText(time)}`),
			...data.states.map((st, n) => element("div", {}, st.title + ": " + share(level(thread, b, n), 255))),
			element("p", {class: "hint"}, "Shares of " + span(data.level.width) + ". The waits here are too short to be in this page. To list them: " +
				"syntrace-decode events --thread=" + data.threads[thread].id));
		draw();
	}

	function choose(thread, slice) {
		chosen = {thread, slice};
		selection = null;
		show();
		draw();
		setAddress("time/" + data.threads[thread].id + "/" + slices[thread].event[slice]);
	}

	/* ---- sums of a range of time ---- */

	/* Adds to SUMS the waits of THREAD in bucket B that are not among the kept slices, for the time from FROM to TO. */
	function addShort(thread, b, from, to, sums) {
		const s = slices[thread], begin = b * data.level.width, end = begin + data.level.width, kept = new Array(nrStates).fill(0);
		for (let i = firstAfter(s, begin); i < s.at.length && s.at[i] < end; i++)
			kept[s.state[i]] += Math.min(end, s.at[i] + s.length[i]) - Math.max(begin, s.at[i]);
		const part = (Math.min(end, to) - Math.max(begin, from)) / data.level.width;
		for (let n = 1; n < nrStates; n++)
			sums[n] += Math.max(level(thread, b, n) / 255 * data.level.width - kept[n], 0) * part;
	}

	/* Returns how long THREAD was in each state from FROM to TO, in ns. */
	function sumsOf(thread, from, to) {
		const t = data.threads[thread], s = slices[thread], sums = new Array(nrStates).fill(0);
		from = Math.max(from, t.from);
		to = Math.min(to, t.to);
		if (to <= from)
			return sums;
		for (let i = firstAfter(s, from); i < s.at.length && s.at[i] < to; i++)
			sums[s.state[i]] += Math.min(to, s.at[i] + s.length[i]) - Math.max(from, s.at[i]);
		if (data.leftOut)
			for (let b = Math.floor(from / data.level.width); b * data.level.width < to; b++)
				addShort(thread, b, from, to, sums);
		sums[0] = Math.max(to - from - sums.reduce((all, x) => all + x, 0), 0);
		return sums;
	}

	/* Returns the longest waits between FROM and TO as [thread, slice, time in the range]. */
	function longestWaits(from, to, most) {
		const all = [];
		slices.forEach((s, thread) => {
			for (let i = firstAfter(s, from); i < s.at.length && s.at[i] < to; i++)
				all.push([thread, i, Math.min(to, s.at[i] + s.length[i]) - Math.max(from, s.at[i])]);
		});
		return all.sort((a, b) => b[2] - a[2]).slice(0, most);
	}

	function showSums() {
		const MOST_THREADS = 50, {from, to} = selection || view, length = to - from;
		const perThread = data.threads.map((t, n) => ({thread: n, sums: sumsOf(n, from, to)})).map(
			x => ({...x, all: x.sums.reduce((sum, s) => sum + s, 0)})).filter(x => x.all > 0);
		const all = perThread.reduce((sum, x) => sum + x.all, 0);
		const ofState = data.states.map((s, n) => perThread.reduce((sum, x) => sum + x.sums[n], 0));
		const number = title => ({title, class: "number"});
		perThread.sort((a, b) => a.sums[0] / a.all - b.sums[0] / b.all);
		details.replaceChildren(
			element("h3", {}, `Sums from ${exactTime(Math.round(from), length / 1000, to)} to ${exactTime(Math.round(to), length / 1000, to)}: ${span(length)}`),
			element("p", {class: "hint"}, `${count(perThread.length)} threads existed in this range, for ${span(all)} in all.` +
				(data.leftOut ? ` The sums of short waits are estimates from intervals of ${span(data.level.width)}.` : "")),
			button("zoom to this range", () => { view.from = from; view.to = to; draw(); }),
			table("time in each state", [{title: "state"}, number("time"), number("share")], ofState.flatMap((time, n) => time ?
				[{cells: [data.states[n].title, span(time), share(time, all)]}] : [])),
			element("h3", {}, "Longest waits"),
			...longestWaits(from, to, 10).map(([thread, i, time]) => element("div", {},
				button(`${span(time)} ${sliceText(thread, i)}, thread ${data.threads[thread].id}`, () => zoomTo(thread, i)))),
			element("h3", {}, "Threads, most waiting first"),
			table("time of each thread", [{title: "thread"}, number("waiting"), {title: "mostly"}], perThread.slice(0, MOST_THREADS).map(x => {
				const most = x.sums.indexOf(Math.max(...x.sums));
				return {cells: [threadText(x.thread), share(x.all - x.sums[0], x.all), `${data.states[most].title}, ${span(x.sums[most])}`]};
			})));
	}

	/* ---- moving ---- */

	/* Shows the event that "time/THREAD/EVENT" in the page's address names. */
	function find(id, event) {
		const thread = data.threads.findIndex(t => t.id === id);
		const i = thread < 0 ? -1 : slices[thread].event.indexOf(Number(event));
		if (i < 0)
			return details.replaceChildren(element("p", {}, "Event " + id + "." + event + " is not in the timeline."));
		zoomTo(thread, i);
	}

	function reveal(thread) {
		const line = lineOf.get(thread);
		if (line < view.top || line >= view.top + nrRows())
			view.top = line - Math.floor(nrRows() / 2);
	}

	/* Zooms to a time of a thread, so that it fills a fifth of the width. */
	function zoomToTime(thread, at, length) {
		length = Math.max(length, LEAST / 5);
		view.from = at - 2 * length;
		view.to = at + 3 * length;
		reveal(thread);
		draw();
	}

	function zoomTo(thread, i) {
		zoomToTime(thread, slices[thread].at[i], slices[thread].length[i]);
		choose(thread, i);
	}

	/* Moves to a time of a thread, and chooses the wait there. */
	function goTo(thread, time) {
		const s = slices[thread], i = Math.min(firstAfter(s, time), s.at.length - 1), length = view.to - view.from;
		if (time < view.from || time > view.to) {
			view.from = time - length / 2;
			view.to = time + length / 2;
		}
		reveal(thread);
		if (i >= 0 && s.at[i] <= time + data.level.width)
			choose(thread, i);
		draw();
	}

	/* Chooses a wait without a change of the zoom, if the wait can be seen. */
	function visit(thread, i) {
		const s = slices[thread], length = view.to - view.from;
		if (s.at[i] < view.from || s.at[i] > view.to || s.length[i] < 2 / perNs())
			return zoomTo(thread, i);
		view.to = Math.max(view.to, Math.min(sliceEnd(thread, i), s.at[i] + length));
		reveal(thread);
		choose(thread, i);
	}

	/* Chooses the next (STEP 1) or previous (-1) wait of the thread; after the last wait, the first one of the next thread. */
	function step(by) {
		if (!chosen)
			return chooseVisible();
		let {thread, slice} = chosen;
		slice += by;
		while (slice < 0 || slice >= slices[thread].at.length) {
			thread += by;
			if (thread < 0 || thread >= slices.length)
				return;
			slice = by > 0 ? 0 : slices[thread].at.length - 1;
		}
		visit(thread, slice);
	}

	/* Chooses the first wait of the visible range in the first row that has one. */
	function chooseVisible() {
		for (const thread of scene.rows.filter(line => line >= 0)) {
			const i = firstAfter(slices[thread], view.from);
			if (i < slices[thread].at.length && slices[thread].at[i] < view.to)
				return choose(thread, i);
		}
	}

	function zoom(factor, around) {
		view.from = around - (around - view.from) * factor;
		view.to = around + (view.to - around) * factor;
		draw();
	}

	function move(part) {
		const by = (view.to - view.from) * part;
		view.from += by;
		view.to += by;
		draw();
	}

	function whole() {
		view.from = 0;
		view.to = data.length;
		draw();
	}

	/* ---- search ---- */

	function setMatches(found) {
		matches = found;
		match = -1;
		return matches.length;
	}

	/* Finds the slices with TEXT in their call, stack, object or thread. */
	function search(text) {
		const has = list => new Set(list.flatMap((x, i) => x.toLowerCase().includes(text) ? [i] : [])), found = [];
		if (!text)
			return setMatches([]);
		const inNames = has(data.names), inCalls = has(data.calls), inObjects = has(data.objects);
		const inStacks = new Set(data.stacks.flatMap((s, i) => s.some(f => inNames.has(f)) ? [i] : []));
		slices.forEach((s, thread) => {
			const isThread = threadText(thread).toLowerCase().includes(text);
			for (let i = 0; i < s.at.length; i++)
				if (isThread || inCalls.has(s.call[i]) || inStacks.has(s.stack[i]) || inObjects.has(s.object[i]))
					found.push([thread, i]);
		});
		return setMatches(found.sort((a, b) => slices[a[0]].at[a[1]] - slices[b[0]].at[b[1]]));
	}

	/* Makes the waits with call stack STACK the matches, longest first. */
	function matchStack(stack) {
		const found = slices.flatMap((s, thread) => s.stack.flatMap((x, i) => x === stack ? [[thread, i]] : []));
		return setMatches(found.sort((a, b) => slices[b[0]].length[b[1]] - slices[a[0]].length[a[1]]));
	}

	/* Jumps and zooms to the next (BY 1) or previous (-1) match.  Returns its number from 1, or 0 without matches. */
	function next(by) {
		if (!matches.length)
			return 0;
		match = match < 0 && by < 0 ? matches.length - 1 : (match + by + matches.length) % matches.length;
		zoomTo(...matches[match]);
		return match + 1;
	}

	/* ---- mouse and keys ---- */

	/* Returns the thread and time at a place of the canvas, and the kept slice there or -1; null outside of the rows. */
	function hit(x, y) {
		const thread = scene.rows[Math.floor((y - AXIS) / ROW)], time = toTime(x);
		if (thread === undefined || thread < 0 || y < AXIS || x < scene.label)
			return null;
		const s = slices[thread], near = 3 / perNs(), exact = firstAfter(s, time);
		let slice = exact < s.at.length && s.at[exact] <= time ? exact : firstAfter(s, time - near);
		if (slice >= s.at.length || s.at[slice] > time + near)
			slice = -1;
		return {thread, time, slice};
	}

	function hideTip() {
		byId("tip").hidden = byId("cursor").hidden = true;
	}

	/* Shows the time, the thread and the wait under the mouse. */
	function hover(x, y) {
		const at = hit(x, y), tip = byId("tip"), cursor = byId("cursor");
		hideTip();
		if (x < scene.label)
			return;
		cursor.hidden = tip.hidden = false;
		cursor.style.left = x + "px";
		let lines = [timeText(toTime(x))];
		if (at && at.time >= data.threads[at.thread].from && at.time <= data.threads[at.thread].to) {
			const {thread, slice} = at, s = slices[thread], b = Math.floor(at.time / data.level.width);
			lines[0] += ", thread " + threadText(thread) + (data.hosts ? ", host " + data.hosts[data.threads[thread].host] : "");
			if (slice >= 0)
				lines.push(sliceText(thread, slice), objectText(thread, slice),
					`${data.states[s.state[slice]].title}, ${span(s.length[slice])} from ${timeText(s.at[slice])}`);
			else
				lines.push(...data.states.flatMap((st, n) => level(thread, b, n) ? [st.title + ": " + share(level(thread, b, n), 255)] : []));
		}
		tip.textContent = lines.filter(l => l).join("\n");
		tip.style.left = Math.max(0, Math.min(x + 12, scene.width - tip.offsetWidth)) + "px";
		tip.style.top = y + 16 + "px";
	}

	let drag = null;
	canvas.addEventListener("pointerdown", e => {
		drag = {x: e.offsetX, y: e.offsetY, from: view.from, to: view.to, top: view.top, isMoved: false,
			start: toTime(e.offsetX), isRange: e.shiftKey || (e.offsetY < AXIS && e.offsetX >= scene.label)};
		canvas.setPointerCapture(e.pointerId);
		hideTip();
	});
	canvas.addEventListener("pointermove", e => {
		if (!drag)
			return hover(e.offsetX, e.offsetY);
		drag.isMoved = drag.isMoved || Math.abs(e.offsetX - drag.x) + Math.abs(e.offsetY - drag.y) > 4;
		if (!drag.isMoved)
			return;
		if (drag.isRange) {
			const at = Math.min(Math.max(toTime(e.offsetX), 0), data.length);
			selection = {from: Math.max(Math.min(drag.start, at), 0), to: Math.max(drag.start, at)};
		} else {
			const by = (drag.x - e.offsetX) / (scene.width - scene.label) * (drag.to - drag.from);
			view.from = drag.from + by;
			view.to = drag.to + by;
			view.top = drag.top + Math.round((drag.y - e.offsetY) / ROW);
		}
		draw();
	});
	canvas.addEventListener("pointerup", e => {
		const was = drag, at = hit(e.offsetX, e.offsetY);
		drag = null;
		if (was && was.isMoved && was.isRange)
			showSums();
		if (!was || was.isMoved || !at)
			return;
		if (at.slice >= 0)
			choose(at.thread, at.slice);
		else
			showShares(at.thread, at.time);
	});
	canvas.addEventListener("pointerleave", hideTip);
	canvas.addEventListener("wheel", e => {
		e.preventDefault();
		if (e.shiftKey) {
			view.top += Math.sign(e.deltaY || e.deltaX);
			draw();
		} else {
			zoom(Math.exp(e.deltaY / 400), toTime(e.offsetX));
		}
	}, {passive: false});
	const middle = () => (view.from + view.to) / 2;
	const keys = {
		ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2),
		ArrowUp: () => { view.top--; draw(); }, ArrowDown: () => { view.top++; draw(); },
		"+": () => zoom(0.6, middle()), "-": () => zoom(1 / 0.6, middle()), "0": whole,
		Enter: chooseVisible, ".": () => step(1), ",": () => step(-1),
		z: () => chosen && zoomTo(chosen.thread, chosen.slice),
		s: showSums,
		Escape: () => { selection = null; draw(); },
	};
	canvas.addEventListener("keydown", e => {
		if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey)
			return;
		e.preventDefault();
		keys[e.key]();
	});
	for (const [id, key] of [["in", "+"], ["out", "-"], ["whole", "0"], ["sums", "s"]])
		byId(id).addEventListener("click", keys[key]);
	new ResizeObserver(resize).observe(canvas.parentElement);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
	const legend = (name, title, style) => element("span", {}, element("i", {style: `background:var(--${name});${style}`}), title);
	byId("legend").append(...data.states.map(s => legend(s.name, s.title, "")),
		...data.critical ? [legend("text", "line above a row: critical path", "height:3px;vertical-align:5px")] : []);

	return {draw, resize, print, search, matchStack, next, goTo, find, zoomToTime, ticks, sumsOf,
		showPath: segments => { path = segments; draw(); },
		range: () => ({...view}), chosen: () => chosen && {...chosen}, nrWaits: () => slices.reduce((sum, s) => sum + s.at.length, 0)};
})();

section({id: "time", title: "Timeline"});

/* Shows SEGMENT of a path in the timeline, which marks all SEGMENTS. */
function showInTimeline(segment, segments) {
	if (segment.thread < 0)
		return;
	tabs.show("time");
	timeline.showPath(segments);
	timeline.zoomToTime(segment.thread, segment.at, segment.length);
	timeline.goTo(segment.thread, segment.at);
}
