# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# awk -f json.awk -f decode.awk bench-decode.jsonl: which budgets of decoding are met.  A budget whose sizes or numbers of
# CPUs were not measured has no verdict.

function rate(verb, jobs, events) { return seconds[verb, jobs, events] ? events / seconds[verb, jobs, events] / 1e6 : 0 }

function verdict(what, value, format, sense, limit)
{
	if (!value)
		printf "  not measured  %s\n", what
	else
		printf "  %-12s  %s: " format " (%s " format ")\n", \
			(sense == "at most" ? value <= limit : value >= limit) ? "met" : "MISSED", what, value, sense, limit
}

# Of the largest trace of at most LIMIT events.
function speed(limit,    key, k, size)
{
	for (key in seconds) {
		split(key, k, SUBSEP)
		if (k[1] == "stat" && k[2] == 2 && k[3] + 0 > size + 0 && k[3] + 0 <= limit)
			size = k[3] + 0
	}
	verdict(sprintf("decoding, all edges and leaf tasks of %.0f million events on 2 CPUs, million a second", size / 1e6), \
		size >= 45e6 ? rate("stat", 2, size) : 0, "%.1f", "at least", 20)
}

# The budget: the least ratio to the rate of babeltrace2.
function least_ratio(verb)
{
	return verb == "stat" ? 10 : verb ~ /--format=jsonl/ ? 2 : verb == "diagnose" ? 1 : 3
}

# The rates of all verbs on one load, as ratios to the messages that babeltrace2 counts in a second.
# The middle one of the values KEY 1, KEY 2.. of the rounds, of two the mean.  least and most are the others.
function middle(of, load, verb,    i, k, n, v, t)
{
	for (i = 1; i <= nr_rounds; i++)
		if ((load, verb, i) in of) {
			t = of[load, verb, i]
			for (k = n++; k > 0 && v[k] > t; k--)
				v[k + 1] = v[k]
			v[k + 1] = t
		}
	least = n ? v[1] : 0
	most = n ? v[n] : 0
	return n ? (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2 : 0
}

function compare(load,    i, verb, value, limit, has_base)
{
	printf "\n%s, %.1f million events", load, compared_events[load] / 1e6
	has_base = middle(rates, load, "counter")
	if (has_base) {
		printf "; babeltrace2 counts %.2f million messages a second", has_base
		printf ", %.0f ns of CPU time each", middle(used, load, "counter")
		if (nr_rounds > 1)
			printf " (%.0f to %.0f)", least, most
	}
	print ":"
	for (i = 1; i <= nr_compared; i++) {
		verb = compared_verb[i]
		value = middle(ratios, load, verb)
		limit = least_ratio(verb)
		if (!middle(rates, load, verb))
			continue
		printf "  %-12s  %-22s %6.2f million a second, ", \
			(!has_base ? "not compared" : value >= limit ? "met" : "MISSED"), verb, middle(rates, load, verb)
		if (has_base) {
			value = middle(ratios, load, verb)
			printf "%5.2fx (%.2f to %.2f; at least %dx), ", value, least, most, limit
		}
		printf "%5.0f ns of CPU time, %4.0f MiB%s\n", middle(used, load, verb), compared_rss[load, verb], \
			(compared_rss[load, verb] * 1048576 > 1e9 ? " (MISSED: at most 1 GB)" : "")
	}
}

field("tool") == "compared" || (field("tool") == "babeltrace2" && field("verb") == "counter") {
	load = field("load")
	verb = field("verb")
	round = field("round") + 0
	if (round > nr_rounds)
		nr_rounds = round
	if (!(load in compared_events)) {
		compared_events[load] = field("events") + 0
		compared_load[++nr_loads] = load
	}
	if (field("tool") == "compared" && !(verb in is_compared)) {
		is_compared[verb] = 1
		compared_verb[++nr_compared] = verb
	}
	rates[load, verb, round] = field("seconds") > 0 ? field("events") / field("seconds") / 1e6 : 0
	used[load, verb, round] = 1e9 * (field("user_s") + field("sys_s")) / field("events")
	if (field("rss_kib") / 1024 > compared_rss[load, verb])
		compared_rss[load, verb] = field("rss_kib") / 1024
	if (field("tool") == "babeltrace2" && rates[load, verb, round])
		for (i = 1; i <= nr_compared; i++)
			if ((load, compared_verb[i], round) in rates)
				ratios[load, compared_verb[i], round] = rates[load, compared_verb[i], round] / rates[load, verb, round]
}

field("tool") == "syntrace" {
	verb = field("verb")
	events = field("events") + 0
	jobs = field("jobs") + 0
	if (verb == "first output") {
		first = field("seconds") + 0
		first_bytes = field("bytes") / 1e9
		next
	}
	seconds[verb, jobs, events] = field("seconds") + 0
	cpu[verb, jobs, events] = field("user_s") + field("sys_s")
	if (field("rss_kib") + 0 > rss[verb] + 0)
		rss[verb] = field("rss_kib") + 0
	if (!(verb in seen)) {
		seen[verb] = 1
		verbs[++nr_verbs] = verb
	}
	if (events > largest[verb])
		largest[verb] = events
	if (verb == "stat" && (!smallest || events < smallest))
		smallest = events
}

# The verbs for requests, as ratios to the verb that comes first: it reads the trace.
field("tool") == "shop" {
	jobs = field("jobs") + 0
	used = field("user_s") + field("sys_s")
	if (!(jobs in reading)) {
		reading[jobs] = used
		next
	}
	shop[++nr_shop] = sprintf("  %-20s  %.2f times the CPU time of stat on %d CPU%s", field("verb"), \
		reading[jobs] ? used / reading[jobs] : 0, jobs, jobs == 1 ? "" : "s")
}

field("tool") == "model" {
	leaves = field("leaves") + 0
	model_seconds[leaves] = field("seconds") + 0
	model_cpu[leaves] = (field("user_s") + field("sys_s")) / leaves
	model_rss[leaves] = field("rss_kib") * 1024 / 1e9
}

END {
	n = largest["stat"]
	lines = largest["events --format=jsonl"]
	if (nr_shop)
		print "\nrequests of examples/shop:"
	for (i = 1; i <= nr_shop; i++)
		print shop[i]
	for (i = 1; i <= nr_loads; i++)
		compare(compared_load[i])
	if (!n)
		exit
	print "\nbudgets:"
	speed(75e6)
	if (n > 75e6)
		speed(n)
	verdict("the same, two CPUs to one", seconds["stat", 2, n] ? seconds["stat", 1, n] / seconds["stat", 2, n] : 0, "%.2f", \
		"at least", 1.7)
	verdict(sprintf("CPU time of an event among %.0f million to that among %.0f million", n / 1e6, smallest / 1e6), \
		n > smallest ? (cpu["stat", 1, n] / n) / (cpu["stat", 1, smallest] / smallest) : 0, "%.2f", "at most", 1.25)
	for (i = 1; i <= nr_verbs; i++)
		verdict("peak memory of " verbs[i] ", GB", rss[verbs[i]] * 1024 / 1e9, "%.2f", "at most", 1)
	verdict("events --format=jsonl, million lines a second on 2 CPUs", rate("events --format=jsonl", 2, lines), "%.1f", \
		"at least", 1.5)
	verdict(sprintf("first output of stat on %.2f GB, seconds", first_bytes), first, "%.2f", "at most", 1)
	verdict("the model of 10 million leaves on 2 CPUs, seconds", model_seconds[10000000], "%.1f", "at most", 60)
	verdict("the same, peak memory, GB", model_rss[10000000], "%.2f", "at most", 4)
	verdict("CPU time of a leaf among 10 million to that among 100,000", \
		model_cpu[100000] ? model_cpu[10000000] / model_cpu[100000] : 0, "%.2f", "at most", 1.5)
}
