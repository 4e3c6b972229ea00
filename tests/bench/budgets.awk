# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# awk -f json.awk -f budgets.awk budgets bench.jsonl: an object for each line of `budgets`, with what was measured and
# whether that is within it; "met" is null where it was not measured.

FNR == NR {
	if ($0 !~ /^#/ && NF)
		budget[++nr] = $0
	next
}

field("type") == "row" {
	for (i = 1; i <= nr; i++) {
		split(budget[i], b, " ")
		if (field("bench") == b[1] && field("tool") == b[2] && field("metric") == b[3]) {
			value[i] = field(b[4])
			what[i] = field("what")
		}
	}
}

END {
	for (i = 1; i <= nr; i++) {
		split(budget[i], b, " ")
		met = value[i] == "" ? "null" : (b[5] == "at-most" ? value[i] + 0 <= b[6] + 0 : value[i] + 0 >= b[6] + 0) ? \
			"true" : "false"
		printf "{\"v\":2,\"type\":\"budget\",\"bench\":\"%s\",\"tool\":\"%s\",\"metric\":\"%s\",\"field\":\"%s\"," \
			"\"sense\":\"%s\",\"limit\":%s,\"moonshot\":%s,\"value\":%s,\"met\":%s,\"what\":%s}\n", \
			b[1], b[2], b[3], b[4], b[5], b[6], b[7] == "-" ? "null" : b[7], value[i] == "" ? "null" : value[i], \
			met, quoted(what[i])
	}
}
