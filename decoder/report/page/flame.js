/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Contention as two flame graphs of equal width.  The upper one grows up and shows the stacks of the waiters.
 * The lower one grows down and shows the stacks of the holders.
 */
"use strict";

const flame = (() => {
	const HEIGHT = 17, MOST_DEPTH = 24, SVG = "http://www.w3.org/2000/svg";

	/* Makes a tree of frames from weighted stacks, with the outermost frame at the root. */
	function tree(weighted) {
		const root = {name: "all", value: 0, children: new Map()};
		for (const [stack, value, top] of weighted) {
			const path = frames(stack).slice().reverse();
			if (top)
				path.push(top);
			let at = root;
			at.value += value;
			for (const name of path) {
				if (!at.children.has(name))
					at.children.set(name, {name, value: 0, children: new Map()});
				at = at.children.get(name);
				at.value += value;
			}
		}
		return root;
	}

	/* Returns the number of levels that place() draws of NODE: its share WIDTH of WIDE pixels can be less than a pixel. */
	function depth(node, width, wide) {
		if (width * wide < 1)
			return 0;
		let most = 0;
		for (const c of node.children.values())
			most = Math.max(most, depth(c, width * c.value / node.value, wide));
		return Math.min(1 + most, MOST_DEPTH);
	}

	function svg(name, attributes) {
		const e = document.createElementNS(SVG, name);
		for (const [key, value] of Object.entries(attributes))
			e.setAttribute(key, value);
		return e;
	}

	/* The color depends on the name, so a function has the same color in both graphs. */
	function fill(name) {
		let hash = 0;
		for (const c of name)
			hash = hash * 31 + c.codePointAt(0) >>> 0;
		return `hsl(${hash % 50 + 10} ${55 + hash % 30}% ${62 + hash % 12}%)`;
	}

	function place(into, node, x, width, level, y, all, wide) {
		if (width * wide < 1 || level >= MOST_DEPTH)
			return;
		const g = svg("g", {}), title = svg("title", {});
		title.textContent = `${node.name}: ${span(node.value)}, ${share(node.value, all)}`;
		const rect = svg("rect", {x: x * wide, y: y(level), width: Math.max(width * wide, 1), height: HEIGHT - 1, fill: fill(node.name), "data-name": node.name});
		g.append(title, rect);
		if (width * wide > 40) {
			const text = svg("text", {x: x * wide + 3, y: y(level) + 12});
			text.textContent = node.name.slice(0, Math.floor(width * wide / 6.6) - 1);
			g.append(text);
		}
		into.append(g);
		let at = x;
		for (const c of [...node.children.values()].sort((a, b) => b.value - a.value)) {
			const part = width * c.value / node.value;
			place(into, c, at, part, level + 1, y, all, wide);
			at += part;
		}
	}

	function draw(title, weighted, isUp, wide) {
		const root = tree(weighted), nr = depth(root, 1, wide), height = nr * HEIGHT;
		const e = svg("svg", {class: "flame", viewBox: `0 0 ${wide} ${height}`, height, role: "img", "aria-label": title});
		const y = isUp ? level => (nr - 1 - level) * HEIGHT : level => level * HEIGHT;
		place(e, root, 0, 1, 0, y, root.value, wide);
		return e;
	}

	return {draw};
})();
