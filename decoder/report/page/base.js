/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Common parts of the page: the data, elements, and texts for times and stacks. */
"use strict";

/* Stores a script error in the document, where tests and users find it. */
window.addEventListener("error", e => document.documentElement.dataset.error = e.message);

const data = JSON.parse(document.getElementById("data").textContent);

/* Makes an element with attributes and children.  Strings become text nodes, so text of the trace is never markup. */
function element(name, attributes, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes || {}))
		if (key.startsWith("on"))
			e.addEventListener(key.slice(2), value);
		else if (value !== null && value !== undefined && value !== false)
			e.setAttribute(key, value === true ? "" : value);
	e.append(...children.filter(c => c !== null && c !== undefined));
	return e;
}

function byId(id) {
	return document.getElementById(id);
}

/* Puts the present view into the address, for links.  Browsers refuse this if it changes often. */
function setAddress(where) {
	try {
		history.replaceState(null, "", "#" + where);
	} catch {
		/* the page also works without it */
	}
}

/* Formats nanoseconds with three digits and a unit. */
function span(ns) {
	const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
	for (const [size, unit] of units)
		if (Math.abs(ns) >= size || unit === "ns") {
			const value = ns / size;
			const digits = unit === "ns" ? 0 : value >= 100 ? 0 : value >= 10 ? 1 : 2;
			return value.toFixed(digits) + " " + unit;
		}
}

function count(n) {
	return n.toLocaleString("en");
}

function share(part, whole) {
	return whole ? (100 * part / whole).toFixed(1) + " %" : "-";
}

/* Call stacks come as "main;serve;read"; here the innermost function is first.  Number 0 means no stack. */
const stacks = data.stacks.map(s => s ? s.split(";").reverse() : []);

function frames(stack) {
	return stacks[stack] || [];
}

/* A short name for a stack: its innermost functions and the call. */
function leaf(stack) {
	const f = frames(stack);
	return f.length ? f.slice(0, 3).reverse().join(";") : "(no stack)";
}

/* The findings of a report, in sentences. */
function finding(f, link) {
	return element("div", {class: "finding"},
		element("h3", {class: {bad: "bad", good: "good"}[f.tone]}, link ? element("a", {href: "#" + f.section}, f.title) : f.title),
		element("p", {class: "hint"}, f.headline),
		element("pre", {}, f.text));
}

function findingsOf(section) {
	return data.findings.filter(f => f.section === section).map(f => finding(f, false));
}

function stackList(stack) {
	const f = frames(stack);
	return element("ul", {class: "stack"}, ...(f.length ? f : ["(no stack)"]).map(x => element("li", {}, x)));
}

function table(columns, rows, choose) {
	const body = element("tbody");
	for (const row of rows) {
		const tr = element("tr", choose ? {tabindex: 0} : {});
		columns.forEach((c, i) => {
			const cell = row.cells[i];
			tr.append(element("td", {class: c.class || null}, cell instanceof Node ? cell : String(cell)));
		});
		if (choose) {
			const chosen = () => {
				body.querySelectorAll(".chosen").forEach(x => x.classList.remove("chosen"));
				tr.classList.add("chosen");
				choose(row);
			};
			tr.addEventListener("click", chosen);
			tr.addEventListener("keydown", e => {
				if (e.key === "Enter")
					chosen();
			});
		}
		body.append(tr);
	}
	return element("table", {}, element("thead", {}, element("tr", {}, ...columns.map(
		c => element("th", {class: c.class || null, scope: "col"}, c.title)))), body);
}

function color(name) {
	return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}
