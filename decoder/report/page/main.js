/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tabs, search, keys, light and dark, print. */
"use strict";

/* The page contains the tasks as HTML, if the trace has any. */
if (byId("model"))
	section({id: "model", title: "Tasks"});

const tabs = (() => {
	const waiting = new Map(), buttons = new Map();

	sections.forEach((s, i) => {
		s.panel = document.querySelector("main").appendChild(byId(s.id) || element("section", {id: s.id, hidden: true}));
		const b = element("button", {role: "tab", id: "tab-" + s.id, "aria-controls": s.id, "aria-selected": "false", title: `key ${i + 1}`,
			onclick: () => show(s.id)}, s.title);
		s.panel.setAttribute("role", "tabpanel");
		s.panel.setAttribute("aria-labelledby", "tab-" + s.id);
		buttons.set(s.id, b);
		byId("tabs").append(b);
	});
	byId("tabs").addEventListener("keydown", e => {
		const by = {ArrowLeft: -1, ArrowRight: 1}[e.key];
		if (!by)
			return;
		const next = (sections.findIndex(s => !s.panel.hidden) + by + sections.length) % sections.length;
		show(sections[next].id);
		buttons.get(sections[next].id).focus();
	});

	function prepare(id) {
		if (waiting.has(id)) {
			waiting.get(id)();
			waiting.delete(id);
		}
	}

	/* "time", or "time/THREAD/EVENT". */
	function show(where) {
		const [id, ...what] = where.split("/");
		if (!buttons.has(id))
			return;
		for (const s of sections) {
			const isShown = s.id === id;
			s.panel.hidden = !isShown;
			buttons.get(s.id).setAttribute("aria-selected", String(isShown));
			buttons.get(s.id).tabIndex = isShown ? 0 : -1;
		}
		prepare(id);
		if (id === "time")
			timeline.resize();
		setAddress(where);
		if (id === "time" && what.length === 2)
			timeline.find(...what);
	}

	return {
		show,
		at: n => sections[n] && show(sections[n].id),
		whenShown: (id, f) => waiting.set(id, f),
		has: id => buttons.has(id),
	};
})();

let nrWaits = 0, nrRows = 0;

function sayFound(number) {
	const waits = number ? `match ${count(number)} of ${count(nrWaits)}` : `${count(nrWaits)} ${nrWaits === 1 ? "wait" : "waits"}`;
	byId("found").textContent = byId("search").value.trim() || number ? `${waits}, ${count(nrRows)} table rows` : "";
}

function search() {
	const text = byId("search").value.trim().toLowerCase();
	nrWaits = timeline.search(text);
	nrRows = 0;
	document.querySelectorAll("tbody tr").forEach(tr => {
		const isMatch = text && tr.textContent.toLowerCase().includes(text);
		tr.classList.toggle("match", Boolean(isMatch));
		nrRows += isMatch ? 1 : 0;
	});
	document.querySelectorAll(".flame rect").forEach(
		r => r.classList.toggle("match", Boolean(text) && r.dataset.name.toLowerCase().includes(text)));
	sayFound(0);
}

/* Shows the next (BY 1) or previous (-1) match in the timeline. */
function nextMatch(by) {
	tabs.show("time");
	sayFound(timeline.next(by));
}

/* Shows the waits with call stack STACK in the timeline: the longest now, the others with n and p. */
function showWaitsOf(stack) {
	byId("search").value = "";
	search();
	nrWaits = timeline.matchStack(stack);
	nextMatch(1);
}

byId("controls").hidden = document.querySelector("nav").hidden = false;
for (const s of sections)
	if (s.show)
		s.show(s.panel);
document.querySelectorAll("#summary > .finding").forEach(f => {
	const title = f.querySelector(".title"), id = f.dataset.section;
	if (tabs.has(id))
		title.replaceChildren(element("a", {href: "#" + id}, title.textContent));
});
byId("search").addEventListener("input", search);
byId("search").addEventListener("keydown", e => {
	if (e.key === "Enter")
		nextMatch(e.shiftKey ? -1 : 1);
	else if (e.key === "Escape")
		e.target.blur();
});
byId("next").addEventListener("click", () => nextMatch(1));
byId("previous").addEventListener("click", () => nextMatch(-1));
byId("theme").addEventListener("click", () => {
	const root = document.documentElement;
	const isDark = root.style.colorScheme ? root.style.colorScheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
	root.style.colorScheme = isDark ? "light" : "dark";
	timeline.draw();
});
document.addEventListener("keydown", e => {
	if (e.target.matches("input") || e.ctrlKey || e.metaKey || e.altKey)
		return;
	if (e.key === "/") {
		e.preventDefault();
		byId("search").focus();
	} else if (e.key === "t") {
		byId("theme").click();
	} else if (e.key === "n" || e.key === "p") {
		nextMatch(e.key === "n" ? 1 : -1);
	} else if (e.key >= "1" && e.key <= "9") {
		tabs.at(Number(e.key) - 1);
	}
});
/* The printer gets light colors, and all parts of the tasks. */
let screenScheme = "", closed = [];
window.addEventListener("beforeprint", () => {
	closed = [...document.querySelectorAll("details:not([open])")];
	closed.forEach(d => { d.open = true; });
	screenScheme = document.documentElement.style.colorScheme;
	document.documentElement.style.colorScheme = "light";
	timeline.print();
});
window.addEventListener("afterprint", () => {
	closed.forEach(d => { d.open = false; });
	document.documentElement.style.colorScheme = screenScheme;
});
const wanted = location.hash.slice(1);
window.addEventListener("hashchange", () => tabs.show(location.hash.slice(1)));
tabs.show("summary");
tabs.show(wanted);
