/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tabs, search, keys, light and dark. */
"use strict";

const tabs = (() => {
	const sections = [...document.querySelectorAll("main > section")].filter(
		s => !(s.id in data) || data[s.id] !== null);
	const waiting = new Map(), buttons = new Map();

	document.querySelectorAll("main > section").forEach(s => s.hidden = true);
	sections.forEach((s, i) => {
		const b = element("button", {role: "tab", "aria-controls": s.id, "aria-selected": "false", title: `key ${i + 1}`,
			onclick: () => show(s.id)}, s.dataset.title);
		buttons.set(s.id, b);
		byId("tabs").append(b);
	});

	/* "time", or "time/THREAD/EVENT". */
	function show(where) {
		const [id, ...what] = where.split("/");
		if (!buttons.has(id))
			return;
		for (const s of sections) {
			s.hidden = s.id !== id;
			buttons.get(s.id).setAttribute("aria-selected", String(s.id === id));
		}
		if (waiting.has(id)) {
			waiting.get(id)();
			waiting.delete(id);
		}
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
		shown: () => sections.find(s => !s.hidden).id,
	};
})();

function search() {
	const text = byId("search").value.trim().toLowerCase(), nr = timeline.search(text);
	let nrRows = 0;
	document.querySelectorAll("tbody tr").forEach(tr => {
		const isMatch = text && tr.textContent.toLowerCase().includes(text);
		tr.classList.toggle("match", Boolean(isMatch));
		nrRows += isMatch ? 1 : 0;
	});
	document.querySelectorAll(".flame rect").forEach(
		r => r.classList.toggle("match", Boolean(text) && r.dataset.name.toLowerCase().includes(text)));
	byId("found").textContent = text ? `${count(nr)} waits, ${count(nrRows)} rows` : "";
}

document.title = "syntrace: " + data.program;
byId("what").textContent = data.program;
byId("coverage").textContent = data.coverage;
byId("coverage").classList.toggle("lossy", data.lossy);
showSummary();
if (tabs.has("critical"))
	showCritical();
if (tabs.has("contention"))
	showContention();
if (tabs.has("waits"))
	showWaits();
if (tabs.has("lockorder"))
	showLockOrder();
byId("search").addEventListener("input", search);
byId("search").addEventListener("keydown", e => {
	if (e.key === "Enter") {
		tabs.show("time");
		timeline.next(e.shiftKey ? -1 : 1);
	} else if (e.key === "Escape") {
		e.target.blur();
	}
});
byId("theme").addEventListener("click", () => {
	const root = document.documentElement;
	root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
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
		tabs.show("time");
		timeline.next(e.key === "n" ? 1 : -1);
	} else if (e.key >= "1" && e.key <= "9") {
		tabs.at(Number(e.key) - 1);
	}
});
const wanted = location.hash.slice(1);
window.addEventListener("hashchange", () => tabs.show(location.hash.slice(1)));
document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
tabs.show("summary");
tabs.show(wanted);
