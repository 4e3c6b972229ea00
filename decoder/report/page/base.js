/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Common parts of the page: the data, its tabs, elements, and texts for times and stacks. */
"use strict";

/* Stores a script error in the document, where tests and users find it. */
window.addEventListener("error", e => document.documentElement.dataset.error = e.message);

const data = JSON.parse(document.getElementById("data").textContent);

/* The tabs of the page, in the order of the scripts.  The file of a tab adds it here. */
const sections = [];

/*
 * Adds the tab ID with the text TITLE.  The page has it unless data[ID] is null.  SHOW(INTO) fills its <section> INTO.
 * Only the sections that page.html contains have no SHOW.
 */
function section({id, title, show}) {
	if (!(id in data) || data[id] !== null)
		sections.push({id, title, show});
}

section({id: "summary", title: "Summary"});

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

/* Returns the id of a thread, with its host if there are several. */
function threadId(thread) {
	const t = data.threads[thread];
	return t.id + (data.hosts ? "@" + data.hosts[t.host] : "");
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

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];

/* Formats nanoseconds with three digits and a unit. */
function span(ns) {
	const [size, unit] = UNITS.find(([s]) => Math.abs(ns) >= s) || UNITS[3], value = ns / size;
	const digits = unit === "ns" ? 0 : value >= 100 ? 0 : value >= 10 ? 1 : 2;
	return value.toFixed(digits) + " " + unit;
}

/* Formats nanoseconds like span(), with the error of a time that the clocks of two hosts measured, in the same unit and rounded up.
   ERROR: null if no limit is known, undefined if one clock measured the time. */
function spanWithError(ns, error) {
	if (error === undefined)
		return span(ns);
	if (error === null)
		return span(ns) + " ±?";
	const [size] = UNITS.find(([s]) => Math.abs(ns) >= s) || UNITS[3], value = error / size;
	const digits = value ? Math.max(0, Math.min(Math.log10(size), 1 - Math.floor(Math.log10(value)))) : 0;
	return `${span(ns)} ±${(Math.ceil(value * 10 ** digits) / 10 ** digits).toFixed(digits)}`;
}

/* Formats a time in ns with the unit that suits LARGEST, and with as many digits as show a difference of STEP ns. */
function exactTime(ns, step, largest) {
	const [size, unit] = UNITS.find(([s]) => largest >= s) || UNITS[3], all = Math.round(Math.log10(size));
	const digits = Math.min(all, Math.max(0, all - Math.floor(Math.log10(Math.max(step, 1)) + 1e-9)));
	const rounded = Math.round(ns / 10 ** (all - digits)) * 10 ** (all - digits);
	const part = String(rounded % size).padStart(all, "0").slice(0, digits);
	return Math.floor(rounded / size) + (digits ? "." + part : "") + " " + unit;
}

/* Formats the begins AT, in ns, in one unit and to the microsecond, so that rows which begin close together differ. */
function beginTexts(at) {
	const largest = Math.max(...at);
	return at.map(ns => exactTime(ns, 1e3, largest));
}

function count(n) {
	return n.toLocaleString("en");
}

function share(part, whole) {
	return whole ? (100 * part / whole).toFixed(1) + " %" : "-";
}

/* Returns the frames of a call stack as indices in data.names and data.places, innermost first.  Stack 0 has none. */
function framesOf(stack) {
	return (data.stacks[stack] || []).slice().reverse();
}

function frames(stack) {
	return framesOf(stack).map(f => data.names[f]);
}

/* A short name for a stack: its innermost functions and the call. */
function leaf(stack) {
	const f = frames(stack);
	return f.length ? f.slice(0, 3).reverse().join(";") : "(no stack)";
}

/* A place without the outer directories. */
function shortPlace(place) {
	const parts = place.split("/");
	return parts.length > 2 ? "…/" + parts.slice(-2).join("/") : place;
}

function stackList(stack) {
	const f = framesOf(stack);
	return element("ul", {class: "stack"}, ...(f.length ? f.map(n => element("li", {}, data.names[n], data.places[n] &&
		element("span", {class: "place", title: data.places[n]}, " " + shortPlace(data.places[n])))) : [element("li", {}, "(no stack)")]));
}

/* Copies the findings of a section from the summary, with the details that the summary leaves out. */
function findingsOf(section) {
	return [...document.querySelectorAll(`#summary > .finding[data-section="${section}"]`)].map(f => {
		const copy = f.cloneNode(true), details = f.nextElementSibling;
		if (details && details.matches("template"))
			copy.querySelector("h2").after(details.content.cloneNode(true));
		return copy;
	});
}

function button(text, onclick) {
	return element("button", {class: "link", onclick}, text);
}

/* Makes a table.  With CHOOSE, the first cell of each row is a button, and a click anywhere in the row also chooses. */
function table(title, columns, rows, choose) {
	const body = element("tbody");
	for (const row of rows) {
		const tr = element("tr", choose ? {class: "choice"} : {});
		columns.forEach((c, i) => {
			const cell = row.cells[i] instanceof Node ? row.cells[i] : String(row.cells[i]);
			tr.append(element("td", {class: c.class || null, "data-title": c.title || null}, choose && !i ? button(cell) : cell));
		});
		if (choose)
			tr.addEventListener("click", () => {
				body.querySelectorAll(".chosen").forEach(x => x.classList.remove("chosen"));
				tr.classList.add("chosen");
				choose(row);
			});
		body.append(tr);
	}
	return element("table", {class: "cards", "aria-label": title}, element("thead", {}, element("tr", {}, ...columns.map(
		c => element("th", {class: c.class || null, scope: "col"}, c.title)))), body);
}

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

/* Returns a color of page.css as the browser computes it, for drawings. */
function color(name) {
	const probe = document.body.appendChild(element("i", {style: `color:var(--${name})`})), computed = getComputedStyle(probe).color;
	probe.remove();
	return computed;
}

/* Returns black or white, so that text on COLOR, "rgb(R, G, B)", is readable. */
function ink(color) {
	const [r, g, b] = color.match(/[\d.]+/g).map(x => (x / 255) ** 2.2);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#000" : "#fff";
}
