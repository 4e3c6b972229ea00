# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# awk -f json.awk -f report.awk bench.jsonl: the tables of `make bench`, and which budgets were missed.

function each(part, whole)
{
	return part + 0 > 0 && whole + 0 > 0 ? sprintf("%.2f", part / whole) : "-"
}

function shown(s)
{
	return s == "" ? "-" : s
}

# X as its metric is read best.
function quantity(x, metric)
{
	return x == "" ? "-" : metric ~ /bytes/ ? sprintf("%.0f KiB", x / 1024) : sprintf("%.0f", x)
}

# The metrics of a bench that have lines of their own. mean_ns: of whole runs, with the batches in which others had the CPU.
function is_main(metric)
{
	return metric ~ /^(ns|mean_ns|rps)$/
}

# What was gathered of a bench whose rows have several metrics: a line per tool, a column per metric.
function print_figures(    i, j)
{
	if (!nr_columns)
		return
	printf "  %-20s", ""
	for (j = 1; j <= nr_columns; j++)
		printf " %12s", columns[j]
	print ""
	for (i = 1; i <= nr_lines; i++) {
		printf "  %-20s", lines[i]
		for (j = 1; j <= nr_columns; j++)
			printf " %12s", shown(cells[lines[i], columns[j]])
		print ""
	}
	nr_columns = nr_lines = 0
	split("", cells)
	split("", is_known)
}

function gather(tool, metric, value)
{
	if (!((tool, "") in is_known)) {
		is_known[tool, ""]
		lines[++nr_lines] = tool
	}
	if (!(("", metric) in is_known)) {
		is_known["", metric]
		columns[++nr_columns] = metric
	}
	cells[tool, metric] = value
}

function end_bench()
{
	printf "%s", noise
	noise = ""
	print_figures()
}

field("type") == "run" {
	printf "%s, %s CPUs, Linux %s, %s; medians of %s rounds, %s s\n", field("cpu"), field("cpus"), field("kernel"), \
		field("compiler"), field("rounds"), field("seconds")
	if (field("steal_ms") + 0)
		printf "the hypervisor gave %s ms of CPU time to others meanwhile\n", field("steal_ms")
	if (field("left_out") != "")
		printf "left out, not installed: %s\n", field("left_out")
}

field("type") == "row" {
	bench = field("bench")
	metric = field("metric")
	if (bench != last) {
		end_bench()
		printf "\n%s: %s\n", bench, field("what")
		if (is_main(metric))
			printf "  %-20s %12s %8s %15s %12s %8s %9s %6s\n", "", metric == "ns" ? "ns each" : "requests/s", \
				metric == "ns" ? "ratio" : "kept", "half of them", "events", "each", "bytes/ev", "lost"
		last = bench
	}
	if (!is_main(metric)) {
		short = metric
		sub(/_bytes$/, "", short)
		gather(field("tool"), short, quantity(field("median"), metric))
		if (metric == "max_ns")
			gather(field("tool"), "most of all", quantity(field("most"), metric))
		if (metric == "rss_per_thread_bytes")
			gather(field("tool"), "added", field("tool") == field("base") ? "" : \
				quantity(field("added"), metric))
		next
	}
	printf "  %-20s %12.1f %8s %15s %12s %8s %9s %6s\n", field("tool") (metric == "mean_ns" ? ", mean" : ""), field("median"), \
		field("ratio") == "" ? "-" : sprintf("%.3f", field("ratio")), \
		field("ratio_q1") == "" ? "-" : sprintf("%.3f..%.3f", field("ratio_q1"), field("ratio_q3")), \
		shown(field("events")), each(field("events"), metric == "rps" ? 0 : field("operations")), \
		field("bytes_per_event") == "" ? "-" : sprintf("%.2f", field("bytes_per_event")), shown(field("lost"))
	if (metric == "mean_ns")
		next
	if (field("tool") == "syntrace" && field("bytes_per_event") != "")
		sizes = sizes " " bench " " field("bytes_per_event")
	if (field("tool") == field("base"))
		noise = sprintf("  noise: of the %s rounds half lie within %.1f %%, all within %.0f %%\n", \
			field("base"), 100 * (field("q3") - field("q1")) / field("median"), \
			100 * (field("most") - field("least")) / field("median"))
}

field("type") == "budget" {
	end_bench()
	name = field("bench") " " (field("field") ~ /^(ratio|bytes_per_event)$/ ? "" : field("metric") " ") field("field")
	if (field("met") == "") {
		unknown = unknown (unknown == "" ? "" : ", ") name
		next
	}
	nr++
	nr_met += field("met") == "true"
	if (field("met") == "false")
		missed = missed sprintf("  %-36s %12.6g   budget: %s %s\n", name, field("value"), \
			field("sense") == "at-most" ? "at most" : "at least", field("limit"))
	if (field("field") == "bytes_per_event")
		bytes_limit = field("limit")
	if (field("moonshot") != "") {
		nr_moonshots++
		nr_there += field("sense") == "at-most" ? field("value") + 0 <= field("moonshot") + 0 : \
			field("value") + 0 >= field("moonshot") + 0
	}
}

END {
	end_bench()
	printf "\nbudgets met: %d of %d; moonshots: %d of %d\n", nr_met, nr, nr_there, nr_moonshots
	if (missed != "")
		printf "missed:\n%s", missed
	# not judged: in a run as short as most of these, what each trace has once counts for much
	n = split(sizes, size, " ")
	for (i = 1; i < n; i += 2)
		if (size[i + 1] + 0 > bytes_limit + 0)
			large = large sprintf("%s%s %.1f", large == "" ? "" : ", ", size[i], size[i + 1])
	if (bytes_limit != "" && large != "")
		printf "more than %s bytes an event on disk, all that a trace has once included: %s\n", bytes_limit, large
	if (unknown != "")
		printf "not measured: %s\n", unknown
}
