# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# awk -f json.awk -f markdown.awk bench.jsonl cost.jsonl: the tables of doc/performance.md, each between the lines
# "<!-- figures: NAME -->" and "<!-- end of figures -->".

# What of a row, budget or part is shown; benches, tools and metrics in the order in which they come.
field("type") == "run" {
	machine = sprintf("%s, %s CPUs, Linux %s, %s; %s rounds, %s s; the hypervisor gave %s ms of CPU time to others meanwhile.", \
		field("cpu"), field("cpus"), field("kernel"), field("compiler"), field("rounds"), field("seconds"), field("steal_ms"))
	if (field("left_out") != "")
		machine = machine " Not installed: " field("left_out") "."
}

field("type") == "row" {
	bench = field("bench")
	tool = field("tool")
	metric = field("metric")
	if (!(bench in what)) {
		benches[++nr_benches] = bench
		what[bench] = field("what")
		main[bench] = metric
	}
	add(bench, tool)
	n = split("median least q1 q3 most added ratio ratio_q1 ratio_q3 events bytes_per_event lost", names, " ")
	for (i = 1; i <= n; i++)
		r[bench, tool, metric, names[i]] = field(names[i])
}

field("type") == "budget" {
	b = ++nr_budgets
	budget[b, "bench"] = field("bench")
	budget[b, "how"] = field("tool") == "syntrace" ? "" : ", " substr(field("tool"), 10) # "syntrace-paused"
	budget[b, "name"] = judged(field("field"), field("metric"))
	budget[b, "value"] = field("value")
	budget[b, "limit"] = (field("sense") == "at-most" ? "≤ " : "≥ ") figure(field("limit"), field("metric"), field("field"))
	budget[b, "shown"] = figure(field("value"), field("metric"), field("field"))
	budget[b, "met"] = field("met")
	if (field("moonshot") != "")
		budget[b, "limit"] = budget[b, "limit"] ", moonshot " field("moonshot")
	if (field("field") == "ratio")
		ratio_budget[field("bench")] = field("limit")
}

field("type") == "part" {
	part = field("part")
	if (!(part in part_known)) {
		part_known[part]
		parts[++nr_parts] = part
		title[part] = field("what")
	}
	ns[part, field("bench")] = field("ns")
}

field("type") == "parts" {
	untraced[field("bench")] = field("untraced_ns")
	traced[field("bench")] = field("traced_ns")
	explained[field("bench")] = field("explained_ns")
	percent[field("bench")] = explained_percent()
}

# How much the parts explain, and whether that is as near as is wanted.
function explained_percent(    p)
{
	p = field("explained_percent") + 0
	return sprintf(p < 90 || p > 110 ? "%.0f %%, **not within 10 %%**" : "%.0f %%", p)
}

function add(bench, tool)
{
	if ((bench, tool) in tool_known)
		return
	tool_known[bench, tool]
	tools[bench] = tools[bench] " " tool
}

function judged(name, metric)
{
	if (name == "ratio")
		return metric == "rps" ? "throughput kept" : "times the base"
	if (name == "bytes_per_event")
		return "bytes an event on disk"
	if (metric == "rss_per_thread_bytes")
		return "KiB a thread"
	return metric == "p9999_ns" ? "µs, 99.99 %" : "µs, the slowest"
}

# X in the unit that judged() names.
function figure(x, metric, name)
{
	if (x == "")
		return "-"
	if (name == "ratio" || name == "bytes_per_event")
		return sprintf("%.2f", x)
	return metric ~ /bytes/ ? sprintf("%.0f", x / 1024) : sprintf("%.1f", x / 1000)
}

function thousands(x,    s, out)
{
	s = sprintf("%.0f", x)
	while (length(s) > 3) {
		out = "," substr(s, length(s) - 2) out
		s = substr(s, 1, length(s) - 3)
	}
	return s out
}

function begin(name)
{
	printf "<!-- figures: %s -->\n", name
}

function end()
{
	print "<!-- end of figures -->"
}

function spread(bench, tool, metric,    m)
{
	m = r[bench, tool, metric, "median"]
	return m + 0 ? sprintf("%.0f %%; half %.1f %%", 100 * (r[bench, tool, metric, "most"] - r[bench, tool, metric, "least"]) / m, \
		100 * (r[bench, tool, metric, "q3"] - r[bench, tool, metric, "q1"]) / m) : "-"
}

function events(bench, tool, metric,    e)
{
	e = r[bench, tool, metric, "events"]
	return e == "" ? "" : " (" thousands(e) ")"
}

# The ratio of a tool and the events that it recorded; syntrace's with what half of the rounds had.
function ratio_cell(bench, tool, metric,    s)
{
	s = sprintf(metric == "rps" ? "%.2f" : "%.2fx", r[bench, tool, metric, "ratio"])
	if (tool != "syntrace")
		return s events(bench, tool, metric)
	return sprintf("**%s**%s; %.2f–%.2f", s, events(bench, tool, metric), r[bench, tool, metric, "ratio_q1"], \
		r[bench, tool, metric, "ratio_q3"])
}

# The columns after that of syntrace: the ratio of means of whole runs, and the budget.
function more_head(metric)
{
	return (metric == "ns" ? " whole runs |" : "") " budget |"
}

function more_rule(metric)
{
	return (metric == "ns" ? "---:|" : "") "---:|"
}

function more_cells(bench, metric,    mean)
{
	mean = r[bench, "syntrace", "mean_ns", "ratio"]
	return (metric == "ns" ? (mean == "" ? " - |" : sprintf(" %.2fx |", mean)) : "") " " \
		(bench in ratio_budget ? ratio_budget[bench] : "-") " |"
}

# All benches with METRIC that have been run by TOOL and, for "ns", are operations of the micro-benchmarks.
function ratios(name, metric, unit, base,    i, j, n, b, list, line)
{
	for (i = 1; i <= nr_benches; i++)
		if (is_listed(benches[i], metric) && list == "")
			list = tools[benches[i]]
	if (list == "")
		return
	begin(name)
	n = split(list, t, " ")
	line = "| what | " unit ", " base " (spread) |"
	rule = "|---|---:|"
	for (j = 1; j <= n; j++)
		if (t[j] != base) {
			line = line " " t[j] " |" (t[j] == "syntrace" ? more_head(metric) : "")
			rule = rule "---:|" (t[j] == "syntrace" ? more_rule(metric) : "")
		}
	print line " syntrace bytes/event |"
	print rule "---:|"
	for (i = 1; i <= nr_benches; i++) {
		b = benches[i]
		if (!is_listed(b, metric))
			continue
		line = sprintf("| %s | %s (%s) |", what[b], r[b, base, metric, "median"] < 1000 ? \
			sprintf("%.1f", r[b, base, metric, "median"]) : thousands(r[b, base, metric, "median"]), spread(b, base, metric))
		for (j = 1; j <= n; j++)
			if (t[j] != base) {
				line = line " " (((b, t[j]) in tool_known) ? ratio_cell(b, t[j], metric) : "-") " |"
				if (t[j] == "syntrace")
					line = line more_cells(b, metric)
			}
		print line " " (r[b, "syntrace", metric, "bytes_per_event"] == "" ? "-" : \
			sprintf("%.2f", r[b, "syntrace", metric, "bytes_per_event"])) " |"
	}
	end()
}

function is_listed(bench, metric)
{
	return main[bench] == metric && bench != "off" && bench != "size"
}

function print_off(    n, i, t)
{
	if (!("off" in what))
		return
	begin("off")
	print "| " what["off"] " | ns | against the bare one | half of the rounds | events |"
	print "|---|---:|---:|---:|---:|"
	n = split(tools["off"], t, " ")
	for (i = 1; i <= n; i++)
		printf "| %s | %.1f | %.2fx | %.2f–%.2f | %s |\n", t[i], r["off", t[i], "ns", "median"], r["off", t[i], "ns", "ratio"], \
			r["off", t[i], "ns", "ratio_q1"], r["off", t[i], "ns", "ratio_q3"], \
			r["off", t[i], "ns", "events"] == "" ? "-" : r["off", t[i], "ns", "events"]
	end()
}

function print_size(    n, i, t)
{
	if (!("size" in what))
		return
	begin("size")
	print "| 2 million events of " what["size"] " | events | bytes an event on disk |"
	print "|---|---:|---:|"
	n = split(tools["size"], t, " ")
	for (i = 1; i <= n; i++)
		if (r["size", t[i], "ns", "bytes_per_event"] != "")
			printf "| %s | %s | %.2f |\n", t[i], thousands(r["size", t[i], "ns", "events"]), \
				r["size", t[i], "ns", "bytes_per_event"]
	end()
}

function us(bench, tool, metric, name)
{
	return sprintf("%.2f", r[bench, tool, metric, name] / 1000)
}

function print_worst(    n, i, j, t, b)
{
	if (!("worst" in what))
		return
	begin("worst")
	print "| single calls, µs | run | calls | median | 99 % | 99.9 % | 99.99 % | slowest | slowest of all rounds | over 20 µs | over 200 µs | switched |"
	print "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
	for (i = 1; i <= nr_benches; i++) {
		b = benches[i]
		if (b !~ /^worst/)
			continue
		n = split(tools[b], t, " ")
		for (j = 1; j <= n; j++)
			printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %.0f | %.0f | %.0f |\n", j == 1 ? substr(what[b], 19) : "", t[j], \
				thousands(r[b, t[j], "samples", "median"]), us(b, t[j], "p50_ns", "median"), \
				us(b, t[j], "p99_ns", "median"), us(b, t[j], "p999_ns", "median"), \
				us(b, t[j], "p9999_ns", "median"), us(b, t[j], "max_ns", "median"), us(b, t[j], "max_ns", "most"), \
				r[b, t[j], "over_20us", "median"], r[b, t[j], "over_200us", "median"], \
				r[b, t[j], "switched", "median"]
	}
	end()
}

function kib(bench, tool, metric, name)
{
	return r[bench, tool, metric, name] == "" ? "-" : thousands(r[bench, tool, metric, name] / 1024)
}

function print_memory(    i, b)
{
	if (!("idle" in what))
		return
	begin("memory")
	print "| KiB | untraced | traced | the recorder's | of it a thread | dump |"
	print "|---|---:|---:|---:|---:|---:|"
	for (i = 1; i <= nr_benches; i++) {
		b = benches[i]
		if (main[b] ~ /^rss/)
			printf "| %s | %s | %s | %s | %.1f | %s |\n", what[b], kib(b, "untraced", "rss_bytes", "median"), \
				kib(b, "syntrace", "rss_bytes", "median"), kib(b, "syntrace", "rss_bytes", "added"), \
				r[b, "syntrace", "rss_per_thread_bytes", "added"] / 1024, kib(b, "syntrace", "dump_bytes", "median")
	}
	end()
}

function print_budgets(    i, nr, nr_met)
{
	if (!nr_budgets)
		return
	begin("budgets")
	print "| what | | measured | budget | |"
	print "|---|---|---:|---:|---|"
	for (i = 1; i <= nr_budgets; i++) {
		if (budget[i, "met"] == "")
			continue
		nr++
		nr_met += budget[i, "met"] == "true"
		printf "| %s | %s | %s | %s | %s |\n", what[budget[i, "bench"]] budget[i, "how"], budget[i, "name"], budget[i, "shown"], \
			budget[i, "limit"], budget[i, "met"] == "true" ? "met" : "**missed**"
	}
	printf "\nMet: %d of %d.\n", nr_met, nr
	end()
}

function print_parts(    i)
{
	if (!nr_parts)
		return
	begin("parts")
	print "| ns per pair (two events) | same stack | 2048 stacks in turn |"
	print "|---|---:|---:|"
	for (i = 1; i <= nr_parts; i++)
		printf "| %s | %.1f | %.1f |\n", title[parts[i]], ns[parts[i], "mutex"], ns[parts[i], "stacks"]
	printf "| all | %.1f | %.1f |\n", traced["mutex"], traced["stacks"]
	printf "| more than untraced (%.1f, %.1f) | %.1f | %.1f |\n", untraced["mutex"], untraced["stacks"], \
		traced["mutex"] - untraced["mutex"], traced["stacks"] - untraced["stacks"]
	printf "| explained by the parts in the library | %.1f (%s) | %.1f (%s) |\n", explained["mutex"], percent["mutex"], \
		explained["stacks"], percent["stacks"]
	end()
}

END {
	if (machine != "") {
		begin("machine")
		print machine
		end()
	}
	print_budgets()
	ratios("operations", "ns", "ns each", "untraced")
	print_off()
	print_size()
	print_worst()
	print_memory()
	print_parts()
	ratios("servers", "rps", "requests/s", "untraced")
}
