# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# awk -f json.awk -f rows.awk: makes bench.jsonl of run.sh's raw lines
#
#   run KEY VALUE...               about the run: copied into the first object
#   title BENCH BASE what...       BASE: the tool that the others are compared with
#   value BENCH TOOL METRIC value [operations]    one round
#   events BENCH TOOL events bytes lost           of one round; "-": the tool was off, "?": cannot be known
#
# One object per bench, tool and metric, bench by bench.  doc/performance.md has the fields.

# Sorts the numbers of LIST into v[1..n]; returns n.
function sort(list,    n, i, j, t)
{
	n = split(list, v, " ")
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) {
			t = v[j]
			v[j] = v[j - 1]
			v[j - 1] = t
		}
	return n
}

# What PART of v[1..n] do not exceed, between the two nearest ones.
function quantile(n, part,    at, below)
{
	at = 1 + (n - 1) * part
	below = int(at)
	return below >= n ? v[n] : v[below] + (at - below) * (v[below + 1] - v[below])
}

function number(s)
{
	return s ~ /^-?[0-9.]+$/ ? s + 0 : "null"
}

function named(name, value)
{
	printf ",\"%s\":%s", name, value
}

function figure(name, value)
{
	named(name, sprintf("%.10g", value))
}

$1 == "run" {
	key = $2
	sub(/^run [^ ]+ ?/, "")
	run_keys[++nr_run_keys] = key
	run[key] = $0
}

$1 == "title" {
	bench = $2
	benches[++nr_benches] = bench
	base[bench] = $3
	sub(/^title [^ ]+ [^ ]+ /, "")
	title[bench] = $0
}

$1 == "value" {
	row = $2 SUBSEP $3 SUBSEP $4
	if (!(row in values))
		rows[++nr_rows] = row
	values[row] = values[row] " " $5
	if ($6 != "")
		operations[row] = $6
}

$1 == "events" {
	events[$2, $3] = $4
	bytes[$2, $3] = $5
	lost[$2, $3] = $6
}

# The ratios of the rounds of ROW to those of BASE in the same rounds.
function ratios(row, base_row,    a, b, n, i, list)
{
	n = split(values[row], a, " ")
	if (split(values[base_row], b, " ") != n)
		return ""
	for (i = 1; i <= n; i++) {
		if (b[i] + 0 == 0)
			return ""
		list = list " " sprintf("%.9g", a[i] / b[i])
	}
	return list
}

# The object of ROW, which is id[1] (bench), id[2] (tool), id[3] (metric).
function print_row(row,    base_row, base_median, median, n, e, b)
{
	base_row = id[1] SUBSEP base[id[1]] SUBSEP id[3]
	n = sort(values[base_row])
	base_median = n ? quantile(n, 0.5) : 0
	n = sort(values[row])
	median = quantile(n, 0.5)
	printf "{\"v\":2,\"type\":\"row\",\"bench\":%s,\"what\":%s,\"tool\":%s,\"metric\":%s", quoted(id[1]), \
		quoted(title[id[1]]), quoted(id[2]), quoted(id[3])
	named("rounds", n)
	figure("median", median)
	figure("least", v[1])
	figure("q1", quantile(n, 0.25))
	figure("q3", quantile(n, 0.75))
	figure("most", v[n])
	named("base", quoted(base[id[1]]))
	named("added", base_row in values ? sprintf("%.10g", median - base_median) : "null")
	named("ratio", base_median ? sprintf("%.4f", median / base_median) : "null")
	n = sort(ratios(row, base_row))
	named("ratio_q1", n ? sprintf("%.4f", quantile(n, 0.25)) : "null")
	named("ratio_q3", n ? sprintf("%.4f", quantile(n, 0.75)) : "null")
	named("operations", number(operations[row]))
	e = events[id[1], id[2]]
	b = bytes[id[1], id[2]]
	named("events", number(e))
	named("bytes", number(b))
	named("bytes_per_event", e + 0 > 0 && b + 0 > 0 ? sprintf("%.3f", b / e) : "null")
	named("lost", number(lost[id[1], id[2]]))
	print "}"
}

END {
	printf "{\"v\":2,\"type\":\"run\""
	for (i = 1; i <= nr_run_keys; i++)
		named(run_keys[i], run[run_keys[i]] ~ /^[0-9]+$/ ? run[run_keys[i]] : quoted(run[run_keys[i]]))
	print "}"
	for (i = 1; i <= nr_benches; i++)
		for (j = 1; j <= nr_rows; j++) {
			split(rows[j], id, SUBSEP)
			if (id[1] == benches[i])
				print_row(rows[j])
		}
}
