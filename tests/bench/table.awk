# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Makes the table of run.sh from its raw lines
#
#   title NAME UNIT what...            UNIT: ns (less is better) or rps (more is better)
#   value NAME TOOL value operations   one round
#   events NAME TOOL events bytes lost per round; "-": the tool was off, "?": cannot be known
#
# and writes the same as JSON lines to the file `out`.

function median(list,    v, n, i, j, t)
{
	n = split(list, v, " ")
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) {
			t = v[j]
			v[j] = v[j - 1]
			v[j - 1] = t
		}
	least = v[1]
	most = v[n]
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}

function number(s)
{
	return s ~ /^[0-9.]+$/ ? s : "null"
}

function each(part, whole)
{
	return (part + 0 > 0 && whole + 0 > 0) ? sprintf("%.2f", part / whole) : "-"
}

$1 == "title" {
	name[++nr] = $2
	unit[$2] = $3
	sub(/^[^ ]+ [^ ]+ [^ ]+ /, "")
	title[name[nr]] = $0
}

$1 == "value" {
	values[$2, $3] = values[$2, $3] " " $4
	operations[$2, $3] = $5
}

$1 == "events" {
	events[$2, $3] = $4
	bytes[$2, $3] = $5
	lost[$2, $3] = $6
}

END {
	printf "%s, %d CPUs, Linux %s; medians of %d rounds, %d s\n\n", cpu, nr_cpus, kernel, rounds, seconds
	printf "" >out
	for (i = 1; i <= nr; i++) {
		what = name[i]
		base = median(values[what, "untraced"])
		spread = base ? 100 * (most - least) / base : 0
		printf "%s: %s\n", what, title[what]
		printf "  %-16s %12s %8s %12s %8s %8s %6s\n", "", \
			unit[what] == "ns" ? "ns each" : "requests/s", \
			unit[what] == "ns" ? "ratio" : "kept", "events", "each", "bytes/ev", "lost"
		n = split("untraced syntrace lttng uftrace uftrace-noevent", tool, " ")
		for (j = 1; j <= n; j++) {
			t = tool[j]
			if (!((what, t) in values))
				continue
			m = median(values[what, t])
			ratio = base ? m / base : 0
			e = events[what, t]
			printf "  %-16s %12.1f %8.3f %12s %8s %8s %6s\n", t, m, ratio, e, \
				each(e, unit[what] == "ns" ? operations[what, t] : 0), \
				each(bytes[what, t], e), \
				lost[what, t]
			printf "{\"v\":1,\"bench\":\"%s\",\"tool\":\"%s\",\"unit\":\"%s\",\"value\":%s,\"ratio\":%.4f," \
				"\"least\":%s,\"most\":%s,\"events\":%s,\"bytes\":%s,\"lost\":%s}\n", \
				what, t, unit[what], m, ratio, least, most, number(e), \
				number(bytes[what, t]), number(lost[what, t]) >>out
		}
		printf "  noise: the untraced rounds lie within %.0f %%\n\n", spread
	}
}
