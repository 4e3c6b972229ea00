/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The tab of the lock order: each cycle of locks, drawn and with its call stacks. */
"use strict";

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

function showLockOrder(into) {
	into.append(...findingsOf("lockorder"));
	for (const c of data.lockorder)
		into.append(element("h3", {class: c.tone}, c.title), element("div", {class: "columns"}, cycle(c.steps),
			element("div", {}, ...c.steps.map(s => element("div", {},
				element("b", {}, "thread " + s.thread), " held ", element("code", {}, s.had), ", acquired in", stackList(s.hadStack),
				...(s.through || []).flatMap((t, i) => [i ? "and before that waited in" : "and waited in", stackList(t.waitStack),
					"for ", element("b", {}, "thread " + t.thread), " in", stackList(t.sendStack)]),
				s.verb + " ", element("code", {}, s.took), " in", stackList(s.tookStack))))));
}

section({id: "lockorder", title: "Lock order", show: showLockOrder});
