# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# compare.awk FULL SAMPLED: compares two outputs of list-dump. Both runs of the program made the same calls, except that a
# wait on a condition variable may return early, and that only an open that takes long has an event. Checks that
#   each call of the full trace is an event of the sampled trace or is left out, by thread and call, and no call is invented;
#   the fields `left_out` and `gap` account for all calls that are left out;
#   the calls that the format records whole or as ghosts are there, and ghosts have no call stack;
#   each event with a position, number of bytes or argument is one of the full trace.
function say(text) { print text; is_bad = 1 }
{
	delete v
	for (i = 2; i <= NF; i++) {
		split($i, part, "=")
		v[part[1]] = part[2]
	}
	thread = v["thread"]
	call = thread " " v["call"]
}
FNR == 1 { file++ }
/^damage/ { say(FILENAME ": a block is damaged") }
$1 == "event" {
	data = call " " v["result"] " " v["offset"] " " v["bytes"] " " v["arg"] " " v["count"]
	# the position of a close is that of the whole object, which another thread may still use
	if (v["call"] == "close")
		data = call " " v["result"] " " v["arg"]
	if (v["call"] == "dup") # the number of the new descriptor depends on the other thread
		data = call
}
$1 == "event" && file == 1 {
	if (v["left_out"] || v["gap"] || v["crossed"] || v["decision"])
		say("a full trace has fields of a sampler: " $0)
	nr_full[call]++
	known[data]++
	next
}
$1 == "event" {
	nr[call]++
	nr_sampled++
	fields[thread] += v["left_out"]
	if (v["left_out"] && !v["gap"])
		say("no time of a gap: " $0)
	if (!v["gap"] && v["unsampled"] != "WHOLE" && !v["stack"])
		nr_ghosts++
	if (!v["stack"] && v["unsampled"] == "NONE")
		say("a ghost that is not needed: " $0)
	if (!v["stack"] && v["unsampled"] == "GHOST" && v["dur"] + 0 == 0 && v["call"] ~ /signal|post|send|close/)
		say("a ghost without an end: " $0)
	if (v["call"] !~ /^(pthread_cond_wait|open|process_|epoll_wait|pthread_create|wait|fork|socketpair|eventfd$)/ && known[data]-- <= 0)
		say("not an event of the full trace: " $0)
}
$1 == "out" {
	nr[call] += v["left_out"]
	out[thread] += v["left_out"]
	if (!v["stack"])
		say("a site without a call stack: " $0)
}
$1 == "rest" { fields[thread] += v["left_out"] }
END {
	for (c in nr_full)
		if (nr_full[c] != nr[c] && c !~ /cond_wait|open/)
			say("thread and call " c ": " nr_full[c] " calls, not " nr[c])
	for (c in nr)
		if (!(c in nr_full) && c !~ /cond_wait|open/)
			say("thread and call " c ": " nr[c] " calls of the sampled trace, none of the full trace")
	for (t in out)
		if (out[t] != fields[t])
			say("thread " t ": " out[t] " calls are left out, the events tell of " fields[t])
	if (is_bad)
		exit 1
	nr_out = 0
	for (t in out)
		nr_out += out[t]
	print nr_sampled, nr_ghosts + 0, nr_out
}
