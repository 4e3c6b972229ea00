/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Threads over time.  Zoomed out, the row of a thread shows the share of each state in each bucket of time.
 * Zoomed in, it shows the waits that the decoder kept: the longest of all, and the longest of each stretch.
 */
"use strict";

const timeline = (() => {
	const canvas = byId("canvas"), details = byId("details"), pen = canvas.getContext("2d");
	const ROW = 18, LABEL = 150, AXIS = 22, MOST_ROWS = 45;
	const view = {from: 0, to: Math.max(data.length, 1), top: 0};
	const levels = data.threads.map((t, i) => decode(data.level.rows[i]));
	const slices = data.slices.map(unfold);
	let chosen = null, matches = [], match = -1, colors = {};

	function decode(text) {
		return Uint8Array.from(atob(text || ""), c => c.charCodeAt(0));
	}

	/* Begins of slices come as differences to the slice before. */
	function unfold(s) {
		let at = 0;
		return {...s, at: s.at.map(d => at += d)};
	}

	function nrRows() {
		return Math.max(1, Math.min(MOST_ROWS, data.threads.length));
	}

	function width() {
		return canvas.clientWidth;
	}

	function toX(t) {
		return LABEL + (t - view.from) / (view.to - view.from) * (width() - LABEL);
	}

	function toTime(x) {
		return view.from + (x - LABEL) / (width() - LABEL) * (view.to - view.from);
	}

	function toY(thread) {
		return AXIS + (thread - view.top) * ROW;
	}

	function resize() {
		const scale = window.devicePixelRatio || 1, height = AXIS + nrRows() * ROW + 4;
		canvas.style.height = height + "px";
		canvas.width = Math.round(width() * scale);
		canvas.height = Math.round(height * scale);
		pen.setTransform(scale, 0, 0, scale, 0, 0);
		draw();
	}

	function limit() {
		const least = 100, length = Math.min(Math.max(view.to - view.from, least), Math.max(data.length, least));
		view.from = Math.min(Math.max(view.from, 0), Math.max(data.length - length, 0));
		view.to = view.from + length;
		view.top = Math.min(Math.max(view.top, 0), Math.max(data.threads.length - nrRows(), 0));
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

	function drawAxis() {
		const length = view.to - view.from, rough = length / 8, power = 10 ** Math.floor(Math.log10(rough));
		const step = [1, 2, 5, 10].map(x => x * power).find(x => x >= rough);
		pen.fillStyle = colors.faint;
		pen.strokeStyle = colors.line;
		for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
			const x = Math.round(toX(t)) + 0.5;
			pen.beginPath();
			pen.moveTo(x, AXIS - 4);
			pen.lineTo(x, canvas.clientHeight);
			pen.stroke();
			pen.fillText(span(t), x + 3, 13);
		}
	}

	function drawLevel(thread, y) {
		const t = data.threads[thread], bytes = levels[thread], nr = data.states.length;
		pen.fillStyle = colors.running;
		const x = toX(Math.max(t.from, view.from)), end = toX(Math.min(t.to, view.to));
		if (end <= LABEL || x >= width())
			return;
		pen.fillRect(Math.max(x, LABEL), y + 2, Math.max(end - x, 1), ROW - 5);
		const first = Math.max(0, Math.floor(view.from / data.level.width));
		const last = Math.min(data.level.buckets, Math.ceil(view.to / data.level.width));
		for (let b = first; b < last; b++) {
			const left = Math.max(toX(b * data.level.width), LABEL);
			const wide = toX((b + 1) * data.level.width) - left + 0.5;
			let low = y + ROW - 3;
			for (let s = 1; s < nr; s++) {
				const part = bytes[b * nr + s];
				if (!part)
					continue;
				const high = part / 255 * (ROW - 5);
				pen.fillStyle = colors[data.states[s].name];
				pen.fillRect(left, low - high, wide, high);
				low -= high;
			}
		}
	}

	/* Draws the kept slices over the shares.  If a bucket is wide, also draws short slices, because a wide bucket would
	 * look like one slice. */
	function drawSlices(thread, y) {
		const s = slices[thread], least = (view.to - view.from) / (width() - LABEL);
		const isNear = data.level.width > 6 * least;
		for (let i = firstAfter(s, view.from); i < s.at.length && s.at[i] < view.to; i++) {
			if (s.length[i] < least && !isNear)
				continue;
			const x = Math.max(toX(s.at[i]), LABEL), end = toX(s.at[i] + s.length[i]);
			pen.fillStyle = colors[data.states[s.state[i]].name];
			pen.fillRect(x, y + 2, Math.max(end - x, 1), ROW - 5);
			if (end - x > 60) {
				pen.fillStyle = "#111";
				pen.save();
				pen.beginPath();
				pen.rect(x, y, end - x - 3, ROW);
				pen.clip();
				pen.fillText(data.calls[s.call[i]] + (frames(s.stack[i])[1] ? " in " + frames(s.stack[i])[1] : ""), x + 3, y + ROW - 6);
				pen.restore();
			}
		}
	}

	function arrow(x1, y1, x2, y2) {
		pen.beginPath();
		pen.moveTo(x1, y1);
		const bend = Math.max(12, Math.abs(x2 - x1) / 3);
		pen.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
		pen.stroke();
		pen.beginPath();
		pen.moveTo(x2, y2);
		pen.lineTo(x2 - 7, y2 - 4);
		pen.lineTo(x2 - 7, y2 + 4);
		pen.fill();
	}

	function drawEdges() {
		if (!chosen)
			return;
		const e = data.edges;
		pen.lineWidth = 1.5;
		pen.strokeStyle = pen.fillStyle = colors.accent;
		for (const i of edgesOf(chosen))
			arrow(toX(e.fromTime[i]), toY(e.from[i]) + ROW / 2, toX(e.toTime[i]), toY(e.to[i]) + ROW / 2);
		pen.lineWidth = 2;
		const s = slices[chosen.thread];
		const x = toX(s.at[chosen.slice]);
		pen.strokeRect(x - 1, toY(chosen.thread) + 1, Math.max(toX(s.at[chosen.slice] + s.length[chosen.slice]) - x, 2) + 2, ROW - 3);
		pen.lineWidth = 1;
	}

	function drawPath() {
		pen.strokeStyle = colors.bad;
		pen.lineWidth = 2;
		for (const s of data.critical || [])
			if (s.at < view.to && s.at + s.length > view.from && s.thread >= view.top && s.thread < view.top + nrRows()) {
				const y = toY(s.thread) + 1.5;
				pen.beginPath();
				pen.moveTo(Math.max(toX(s.at), LABEL), y);
				pen.lineTo(toX(s.at + s.length), y);
				pen.stroke();
			}
		pen.lineWidth = 1;
	}

	function draw() {
		limit();
		for (const name of ["text", "faint", "line", "back", "accent", "bad", ...data.states.map(s => s.name)])
			colors[name] = color(name);
		pen.font = "11px ui-monospace, monospace";
		pen.fillStyle = colors.back;
		pen.fillRect(0, 0, width(), canvas.clientHeight);
		drawAxis();
		for (let row = 0; row < nrRows() && view.top + row < data.threads.length; row++) {
			const thread = view.top + row, y = toY(thread);
			drawLevel(thread, y);
			drawSlices(thread, y);
		}
		drawPath();
		pen.save();
		pen.beginPath();
		pen.rect(LABEL, AXIS, width() - LABEL, canvas.clientHeight);
		pen.clip();
		drawEdges();
		pen.restore();
		pen.fillStyle = colors.back;
		pen.fillRect(0, 0, LABEL - 2, canvas.clientHeight);
		for (let row = 0; row < nrRows() && view.top + row < data.threads.length; row++) {
			const t = data.threads[view.top + row];
			pen.fillStyle = colors.text;
			pen.save();
			pen.beginPath();
			pen.rect(0, 0, LABEL - 6, canvas.clientHeight);
			pen.clip();
			pen.fillText(t.id + " " + (t.name || "tid " + t.tid), 2, toY(view.top + row) + ROW - 6);
			pen.restore();
		}
	}

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
			element("a", {href: "#", onclick: ev => {
				ev.preventDefault();
				goTo(other.thread, other.time);
			}}, (isInto ? "← " : "→ ") + data.edgeKinds[e.kind[i]] + ", " + data.threads[other.thread].id),
			e.doubt[i] ? " (" + data.doubts[e.doubt[i]] + ")" : "",
			isInto ? stackList(other.stack) : "");
	}

	function show() {
		const s = slices[chosen.thread], i = chosen.slice, edges = edgesOf(chosen), t = data.threads[chosen.thread];
		details.replaceChildren(
			element("h3", {}, data.calls[s.call[i]]),
			element("div", {}, s.object[i] >= 0 ? data.objects[s.object[i]] : ""),
			element("div", {}, "thread " + t.id + (t.name ? " " + t.name : "") + ", tid " + t.tid),
			element("div", {}, s.event[i] >= 0 ? "event " + t.id + "." + s.event[i] : "the call had not returned at the end of the trace"),
			element("div", {}, data.states[s.state[i]].title),
			element("div", {}, "for " + span(s.length[i]) + ", from " + span(s.at[i]) + " on"),
			stackList(s.stack[i]),
			element("h3", {}, edges.length ? "Edges" : "No edges: no recorded event of another thread ended this wait or follows from it"),
			...edges.map(edgeLine));
	}

	function choose(thread, slice) {
		chosen = {thread, slice};
		show();
		draw();
		setAddress("time/" + data.threads[thread].id + "/" + slices[thread].event[slice]);
	}

	/* Shows the event that "time/THREAD/EVENT" in the page's address names. */
	function find(id, event) {
		const thread = data.threads.findIndex(t => t.id === id);
		const i = thread < 0 ? -1 : slices[thread].event.indexOf(Number(event));
		if (i < 0)
			return details.replaceChildren(element("p", {}, "Event " + id + "." + event + " is not in the timeline."));
		const s = slices[thread], length = Math.max(s.length[i], 1);
		view.from = s.at[i] - 2 * length;
		view.to = s.at[i] + 3 * length;
		goTo(thread, s.at[i]);
	}

	function goTo(thread, time) {
		const s = slices[thread], i = Math.min(firstAfter(s, time), s.at.length - 1), length = view.to - view.from;
		if (time < view.from || time > view.to) {
			view.from = time - length / 2;
			view.to = time + length / 2;
		}
		if (thread < view.top || thread >= view.top + nrRows())
			view.top = thread - Math.floor(nrRows() / 2);
		if (i >= 0 && s.at[i] <= time + data.level.width)
			choose(thread, i);
		draw();
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

	/* Finds the slices with TEXT in their call, stack, object or thread. */
	function search(text) {
		matches = [];
		match = -1;
		if (!text)
			return 0;
		const has = list => new Set(list.flatMap((x, i) => x.toLowerCase().includes(text) ? [i] : []));
		const inStacks = has(data.stacks), inCalls = has(data.calls), inObjects = has(data.objects);
		slices.forEach((s, thread) => {
			const t = data.threads[thread], isThread = (t.id + " " + t.name).toLowerCase().includes(text);
			for (let i = 0; i < s.at.length; i++)
				if (isThread || inCalls.has(s.call[i]) || inStacks.has(s.stack[i]) || inObjects.has(s.object[i]))
					matches.push([thread, i]);
		});
		matches.sort((a, b) => slices[a[0]].at[a[1]] - slices[b[0]].at[b[1]]);
		return matches.length;
	}

	function next(step) {
		if (!matches.length)
			return;
		match = (match + step + matches.length) % matches.length;
		const [thread, i] = matches[match];
		choose(thread, i);
		goTo(thread, slices[thread].at[i]);
	}

	let drag = null;
	canvas.addEventListener("pointerdown", e => {
		drag = {x: e.offsetX, y: e.offsetY, from: view.from, to: view.to, top: view.top, isMoved: false};
		canvas.setPointerCapture(e.pointerId);
	});
	canvas.addEventListener("pointermove", e => {
		if (!drag)
			return;
		const by = (drag.x - e.offsetX) / (width() - LABEL) * (drag.to - drag.from);
		drag.isMoved = drag.isMoved || Math.abs(e.offsetX - drag.x) + Math.abs(e.offsetY - drag.y) > 4;
		if (!drag.isMoved)
			return;
		view.from = drag.from + by;
		view.to = drag.to + by;
		view.top = drag.top + Math.round((drag.y - e.offsetY) / ROW);
		draw();
	});
	canvas.addEventListener("pointerup", e => {
		const was = drag;
		drag = null;
		if (!was || was.isMoved)
			return;
		const thread = view.top + Math.floor((e.offsetY - AXIS) / ROW), time = toTime(e.offsetX);
		if (thread < 0 || thread >= data.threads.length || e.offsetX < LABEL)
			return;
		const s = slices[thread], near = (view.to - view.from) / (width() - LABEL) * 3;
		const i = firstAfter(s, time - near);
		if (i < s.at.length && s.at[i] <= time + near) {
			choose(thread, i);
		} else {
			const b = Math.floor(time / data.level.width), nr = data.states.length;
			details.replaceChildren(
				element("h3", {}, "thread " + data.threads[thread].id + " at " + span(time)),
				...data.states.map((st, n) => element("div", {}, st.title + ": " + share(levels[thread][b * nr + n], 255))),
				element("p", {class: "hint"}, "Shares of " + span(data.level.width) + ". The waits here are too short to be in this page. To list them: " +
					"syntrace-decode events --thread=" + data.threads[thread].id));
		}
	});
	canvas.addEventListener("wheel", e => {
		e.preventDefault();
		if (e.shiftKey) {
			view.top += Math.sign(e.deltaY);
			draw();
		} else {
			zoom(Math.exp(e.deltaY / 400), toTime(e.offsetX));
		}
	}, {passive: false});
	canvas.addEventListener("keydown", e => {
		const middle = (view.from + view.to) / 2;
		const does = {
			ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2),
			ArrowUp: () => { view.top--; draw(); }, ArrowDown: () => { view.top++; draw(); },
			"+": () => zoom(0.6, middle), "-": () => zoom(1 / 0.6, middle),
			"0": () => { view.from = 0; view.to = data.length; draw(); },
		}[e.key];
		if (does) {
			e.preventDefault();
			does();
		}
	});
	new ResizeObserver(resize).observe(canvas.parentElement);
	const legend = (name, title, style) => element("span", {}, element("i", {style: `background:var(--${name});${style}`}), title);
	byId("legend").append(...data.states.map(s => legend(s.name, s.title, "")), legend("bad", "red line: critical path", "height:3px;vertical-align:5px"));
	return {draw, resize, search, next, goTo, find};
})();
