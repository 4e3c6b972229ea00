/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Asks the server (fleet/serve.h) what the form selects, and shows the answer: a table for each question, and for waits a
 * flame graph, a list of functions with their callers, callees and source lines, and the differences of two selections.
 */
"use strict";

/* Stores a script error in the document, where tests and users find it. */
window.addEventListener("error", e => document.documentElement.dataset.error = e.message);
window.addEventListener("unhandledrejection", e => document.documentElement.dataset.error = e.reason);

const form = document.getElementById("form"), answer = document.getElementById("answer"), coverage = document.getElementById("coverage");

/* Makes an element with attributes and children.  Strings become text nodes, so text of an upload is never markup. */
function element(name, attributes, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(attributes || {}))
		if (key.startsWith("on"))
			e.addEventListener(key.slice(2), value);
		else
			e.setAttribute(key, value);
	e.append(...children);
	return e;
}

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];

/* Formats nanoseconds with three digits and a unit. */
function span(ns) {
	const [size, unit] = UNITS.find(([s]) => Math.abs(ns) >= s) || UNITS[3];
	return Number((ns / size).toPrecision(3)).toString() + " " + unit;
}

function percent(share) {
	return Number((share * 100).toPrecision(3)).toString() + " %";
}

/* ---- requests ---- */

async function lines(url) {
	const response = await fetch(url), text = await response.text();
	if (!response.ok)
		throw new Error(text.trim() || response.statusText);
	return text.split("\n").filter(line => line).map(line => JSON.parse(line));
}

/* Returns the parameters of the first or, with SIDE "2", the second selection of the form. */
function parameters(side) {
	const value = name => form.elements[name].value, p = new URLSearchParams();
	const put = (name, text) => text && p.append(name, text);
	const isVersions = value("question") === "versions";
	put("service", value("service"));
	if (isVersions) {
		put("against", value("version2"));
		put("version", value("version"));
	} else {
		const version = value("version" + side) || value("version"), host = value("host" + side) || value("host");
		put("where", version && "version=" + version);
		put("where", host && "host=" + host);
	}
	put("where", value("class") && "class=" + value("class"));
	put("from", value("from" + side) || value("from"));
	put("to", value("to" + side) || value("to"));
	return p;
}

function hasSecond() {
	return ["version2", "host2", "from2", "to2"].some(name => form.elements[name].value);
}

/* ---- tables ---- */

const SHARES = new Set(["of_time", "low", "high", "share", "before", "before_low", "before_high", "after", "after_low", "after_high"]);

function cell(key, value) {
	if (value === null || value === undefined)
		return element("td", {}, "");
	if (typeof value === "boolean")
		return element("td", {class: value ? "odd" : ""}, value ? "yes" : "");
	if (typeof value !== "number")
		return element("td", {class: "code"}, value);
	return element("td", {class: "number"}, key.endsWith("_ns") ? span(value) : SHARES.has(key) ? percent(value) : Number(value.toPrecision(4)).toString());
}

/* Shows objects with equal keys. */
function table(rows, caption) {
	if (!rows.length)
		return element("p", {}, "Nothing was found.");
	const keys = Object.keys(rows[0]).filter(key => key !== "v" && key !== "type");
	const head = element("tr", {}, ...keys.map(key => element("th", {class: typeof rows[0][key] === "number" ? "number" : ""}, key.replace(/_ns$/, "").replaceAll("_", " "))));
	const body = rows.map(row => element("tr", {}, ...keys.map(key => cell(key, row[key]))));
	return element("div", {class: "scroll"}, element("table", {}, element("caption", {}, caption || ""), element("thead", {}, head), element("tbody", {}, ...body)));
}

/* ---- flame graph ---- */

const SVG = "http://www.w3.org/2000/svg", HEIGHT = 18, WIDE = 1200, MOST_DEPTH = 64;

/* Makes a tree of call paths with the weights of one or two selections. */
function tree(rows) {
	const root = {name: "all", values: [0, 0], children: new Map()};
	for (const {path, values} of rows) {
		let at = root;
		for (const name of ["", ...path.split(";")]) {
			if (name) {
				if (!at.children.has(name))
					at.children.set(name, {name, values: [0, 0], children: new Map()});
				at = at.children.get(name);
			}
			values.forEach((value, side) => at.values[side] += value);
		}
	}
	return root;
}

function svg(name, attributes, text) {
	const e = document.createElementNS(SVG, name);
	for (const [key, value] of Object.entries(attributes))
		e.setAttribute(key, value);
	if (text)
		e.textContent = text;
	return e;
}

/* The color depends on the name or, for two selections, on the difference: red grows, blue shrinks. */
function color(node, isCompared) {
	const [now, before] = node.values;
	if (isCompared) {
		const change = (now - before) / Math.max(now, before);
		return `hsl(${change > 0 ? 5 : 215} 80% ${90 - 35 * Math.abs(change)}%)`;
	}
	let hash = 0;
	for (const c of node.name)
		hash = hash * 31 + c.codePointAt(0) >>> 0;
	return `hsl(${hash % 50 + 10} ${55 + hash % 30}% ${62 + hash % 12}%)`;
}

/* Draws ROOT and the nodes below it.  CHOSE(node) is called for a click. */
function flame(root, isCompared, format, chose) {
	const e = svg("svg", {role: "img", "aria-label": "flame graph", preserveAspectRatio: "none"}), weight = node => Math.max(...node.values);
	let depth = 0;
	function place(node, x, width, level) {
		if (width < 1 || level >= MOST_DEPTH)
			return;
		depth = Math.max(depth, level + 1);
		const rect = svg("rect", {x, y: level * HEIGHT, width: Math.max(width - 0.5, 0.5), height: HEIGHT - 1, fill: color(node, isCompared), "data-name": node.name});
		rect.append(svg("title", {}, `${node.name}: ${format(node.values[0])}` + (isCompared ? `, compared with ${format(node.values[1])}` : "")));
		rect.addEventListener("click", () => chose(node));
		e.append(rect);
		if (width > 40)
			e.append(svg("text", {x: x + 3, y: level * HEIGHT + 13}, node.name.slice(0, Math.floor(width / 6.8))));
		const children = [...node.children.values()].sort((a, b) => weight(b) - weight(a)), all = Math.max(weight(node), children.reduce((sum, c) => sum + weight(c), 0));
		for (const c of children) {
			const part = width * weight(c) / all;
			place(c, x, part, level + 1);
			x += part;
		}
	}
	place(root, 0, WIDE, 0);
	e.setAttribute("viewBox", `0 0 ${WIDE} ${depth * HEIGHT}`);
	return e;
}

/* ---- functions, callers and callees ---- */

function add(map, key, value) {
	map.set(key, (map.get(key) || 0) + value);
}

/* Sums by function: within it, in itself, and by caller and callee.  A path counts once for a function that is in it twice. */
function functions(rows) {
	const all = new Map();
	for (const {path, values: [value]} of rows) {
		const names = path.split(";"), seen = new Set();
		names.forEach((name, n) => {
			if (!all.has(name))
				all.set(name, {name, within: 0, self: 0, callers: new Map(), callees: new Map()});
			const f = all.get(name);
			if (n === names.length - 1)
				f.self += value;
			if (seen.has(name))
				return;
			seen.add(name);
			f.within += value;
			add(f.callers, n ? names[n - 1] : "(begin of thread)", value);
			if (n < names.length - 1)
				add(f.callees, names[n + 1], value);
		});
	}
	return all;
}

/* Shows the function NAME of ALL.  ASK() returns the source lines of the selection. */
function showFunction(into, all, name, format, ask) {
	const f = all.get(name), choose = n => all.has(n) ? element("button", {class: "link code", type: "button", onclick: () => showFunction(into, all, n, format, ask)}, n) : n;
	const list = (title, map) => element("div", {}, element("h2", {}, title), ...[...map].sort((a, b) => b[1] - a[1]).slice(0, 20).map(([n, value]) => element("p", {}, format(value) + " ", choose(n))));
	into.replaceChildren();
	if (!f)
		return;
	const source = element("div", {id: "source"});
	into.append(element("h2", {}, name), element("p", {}, `${format(f.within)} within it, ${format(f.self)} in itself`),
		element("div", {class: "columns"}, list("Callers", f.callers), list("Callees", f.callees)), source);
	showLines(source, ask, name);
}

/* ---- source lines ---- */

const MOST_SOURCE_BYTES = 16 << 20, MOST_LINES = 5000, MOST_CHARACTERS = 500;

/* Returns the lines of a source in the symbol store, or a sentence that tells why there are none. */
async function source(build, file) {
	const response = await fetch(`buildid/${build}/source${file.split("/").map(encodeURIComponent).join("/")}`);
	if (!response.ok)
		return `The symbol store has no source ${file} of this build: syntrace-fleet symbols put --source=DIR keeps sources.`;
	if (response.headers.get("Content-Length") > MOST_SOURCE_BYTES) {
		response.body.cancel();
		return `The source ${file} is too large to be shown.`;
	}
	const text = await response.text();
	return text.includes("\0") ? `The source ${file} is no text.` : text.replace(/\n$/, "").split("\n");
}

/* Shows the ROWS of a source, and the text around its line HOTTEST. */
function sourceTable({build, file}, rows, text, hottest) {
	const at = new Map(rows.map(row => [row.line, row])), numbers = new Set(at.keys()), begin = Math.max(1, Math.min(hottest - MOST_LINES / 2, text.length - MOST_LINES + 1));
	const ns = (row, key) => element("td", row ? {class: "number", title: row[key] + " ns"} : {}, row && row[key] ? span(row[key]) : "");
	for (let n = begin; n <= text.length && n < begin + MOST_LINES; n++)
		numbers.add(n);
	const body = [...numbers].sort((a, b) => a - b).map(n => {
		const row = at.get(n), line = text[n - 1] || "";
		return element("tr", n === hottest ? {class: "hot", "aria-current": "true"} : {}, element("th", {class: "number", scope: "row"}, String(n)),
			ns(row, "self_ns"), ns(row, "total_ns"), ns(row, "total_fleet_ns"),
			element("td", {class: "code"}, line.length > MOST_CHARACTERS ? line.slice(0, MOST_CHARACTERS) + "…" : line));
	});
	const head = ["line", "self", "total", "total of fleet", "source"].map(title => element("th", {class: title === "source" ? "" : "number", scope: "col"}, title));
	return element("div", {class: "scroll source", tabindex: "0", role: "region", "aria-label": "source " + file},
		element("table", {}, element("caption", {}, `${file} of build ${build}`), element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
}

/* Shows the source with the longest waits of the function NAME, or the one with the index CHOSEN, whose button the user pressed. */
async function showLines(into, ask, name, chosen) {
	const status = element("p", {role: "status"}, "Looking for source lines…");
	into.replaceChildren(element("h2", {}, "Source lines"), status);
	try {
		const rows = await ask(), own = rows.filter(row => row.functions.split(";").includes(name)).sort((a, b) => b.total_fleet_ns - a.total_fleet_ns || b.self_fleet_ns - a.self_fleet_ns);
		const places = own.filter((row, n) => own.findIndex(other => other.build === row.build && other.file === row.file) === n), place = places[chosen || 0];
		if (places.length > 1) {
			const buttons = places.map((p, n) => element("button", {class: "link code", type: "button", "aria-pressed": String(p === place), onclick: () => showLines(into, ask, name, n)},
				`${p.file || "no source lines"} of build ${p.build || "unknown"}`));
			into.append(...buttons.map(button => element("p", {}, button)));
			if (chosen !== undefined)
				buttons[chosen].focus(); /* the pressed button is gone */
		}
		if (!place || !place.build) {
			status.textContent = `${name} has no source lines: its code was generated, or the store does not have its address.`;
		} else if (!place.file) {
			status.textContent = `${name} has no source lines: the symbol store has no debug information of build ${place.build} for it. syntrace-fleet symbols put keeps files with debug information.`;
		} else {
			const text = await source(place.build, place.file), isText = Array.isArray(text);
			const view = sourceTable(place, rows.filter(row => row.build === place.build && row.file === place.file), isText ? text : [], place.line);
			status.textContent = `The longest waits of ${name} are at ${place.file}:${place.line}: ${span(place.total_ns)}, ${span(place.self_ns)} in the line itself. ` +
				(!isText ? text : text.length > MOST_LINES ? `${MOST_LINES} of ${text.length} lines are shown.` : "");
			into.append(view);
			const hot = view.querySelector(".hot");
			view.scrollTop = hot.offsetTop - view.clientHeight / 2;
			view.scrollIntoView({block: "nearest"});
		}
	} catch (e) {
		status.textContent = `There are no source lines: ${e.message}`;
	}
	into.dataset.shown = name;
}

/* ---- answers ---- */

/* Shows the waits ROWS, and those of the second selection BEFORE if there is one. */
function showWaits(rows, before) {
	const paths = new Map();
	rows.forEach(row => paths.set(row.path, {path: row.path, values: [row.of_time || 0, 0]}));
	(before || []).forEach(row => {
		if (!paths.has(row.path))
			paths.set(row.path, {path: row.path, values: [0, 0]});
		paths.get(row.path).values[1] = row.of_time || 0;
	});
	const weighted = [...paths.values()].sort((a, b) => Math.max(...b.values) - Math.max(...a.values)), all = functions(weighted), chosen = element("div", {id: "function"});
	const selection = parameters("");
	let asked; /* one request answers for all functions */
	const ask = () => asked ||= lines("query/lines?" + selection).then(all => all.slice(1));
	const show = name => showFunction(chosen, all, name, percent, ask);
	answer.append(element("h2", {}, "Flame graph: share of the threads' time"), flame(tree(weighted), before !== undefined, percent, node => show(node.name)), chosen,
		element("h2", {}, "Functions"),
		...[...all.values()].sort((a, b) => b.within - a.within).slice(0, 20).map(f =>
			element("p", {}, `${percent(f.within)} `, element("button", {class: "link code", type: "button", onclick: () => show(f.name)}, f.name))),
		element("h2", {}, "Call paths"));
	if (before === undefined)
		answer.append(table(rows.slice(0, 200)));
	else
		answer.append(table(weighted.map(({path, values: [now, other]}) => ({path, of_time: now, before: other, "percentage points": (now - other) * 100}))
			.sort((a, b) => Math.abs(b["percentage points"]) - Math.abs(a["percentage points"])).slice(0, 200)));
	const profile = new URL("pprof/wait?" + parameters(""), location.href).href, other = new URL("pprof/wait?" + parameters("2"), location.href).href;
	answer.append(element("p", {class: "code"}, `go tool pprof ${before === undefined ? "" : `-diff_base '${other}' `}'${profile}'`));
}

async function ask() {
	const question = form.elements.question.value;
	history.replaceState(null, "", "#" + new URLSearchParams([...new FormData(form)].filter(([, value]) => value)));
	document.getElementById("other").hidden = question !== "waits" && question !== "versions";
	if (question === "versions" && !(form.elements.version.value && form.elements.version2.value)) {
		answer.replaceChildren(element("p", {}, "Select two versions."));
		return;
	}
	answer.setAttribute("aria-busy", "true");
	try {
		const [head, ...rows] = await lines(`query/${question}?${parameters("")}`);
		const before = question === "waits" && hasSecond() ? (await lines(`query/waits?${parameters("2")}`)).slice(1) : undefined;
		coverage.textContent = `${head.windows} windows of ${head.hosts} hosts, ${percent(head.of_time)} of their time; ${head.lost} events lost`;
		answer.replaceChildren();
		if (question === "waits")
			showWaits(rows, before);
		else
			answer.append(table(question === "lines" ? rows.slice(0, 200) : rows));
	} catch (e) {
		answer.replaceChildren(element("p", {class: "error", role: "alert"}, e.message));
	}
	answer.removeAttribute("aria-busy");
	document.documentElement.dataset.asked = question;
}

async function begin() {
	for (const name of ["service", "version", "host"])
		for (const {value} of await lines("values/" + name))
			for (const select of [form.elements[name], form.elements[name + "2"]].filter(s => s))
				select.append(element("option", {value}, value));
	for (const [name, value] of new URLSearchParams(location.hash.slice(1)))
		if (form.elements[name])
			form.elements[name].value = value;
	form.addEventListener("submit", e => {
		e.preventDefault();
		ask();
	});
	form.elements.question.addEventListener("change", ask);
	await ask();
}

begin().catch(e => coverage.textContent = e.message);
