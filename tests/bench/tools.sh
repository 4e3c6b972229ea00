# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
# shellcheck shell=sh
#
# The tracers that are compared.  Each has
#
#   TOOL_here              succeeds if the tool is installed (and can be used now)
#   TOOL_begin             before the rounds of one benchmark; the trace goes into $trace
#   TOOL_run CMD...        runs CMD traced; CMD's standard output is kept
#   TOOL_end               after the rounds: prints "<events> <bytes on disk> <lost>", per round, "- - -" if none
#
# "bytes" is what the tool left on disk for the events; "lost" what it says it lost.
# Sourced by run.sh with $work (a directory), $lib, $bare, $decode and $rounds set.

tools_all="untraced syntrace lttng uftrace uftrace-noevent"

# Bytes that the files below $1 take on disk.
disk_bytes()
{
	du -s -B1 "$1" | cut -f1
}

untraced_here() { :; }
untraced_begin() { :; }
untraced_run() { "$@"; }
untraced_end() { echo "- - -"; }

# The least that a preloaded library can do (bare.c), and nothing at all for as long as a call takes.
bare_begin() { :; }
bare_run() { env LD_PRELOAD="$bare" "$@"; }
bare_end() { echo "- - -"; }

machine_begin() { :; }
machine_run() { "$@"; }
machine_end() { echo "- - -"; }

# The recorder in a program that was told to record nothing.
syntrace_disabled_begin() { :; }
syntrace_disabled_run() { env SYNTRACE_DISABLE=1 LD_PRELOAD="$lib" "$@"; }
syntrace_disabled_end() { echo "0 - -"; }

# The recorder in a program of a trace that is paused. What begins and ends is recorded.
syntrace_paused_begin() { "$top_builddir/syntrace" record -q --paused -o "$trace" true; }
syntrace_paused_run() { env SYNTRACE_SESSION="$trace" LD_PRELOAD="$lib" "$@"; }
syntrace_paused_end() { syntrace_end | awk -v rounds="$rounds" '{ printf "%d %d %d\n", $1 / rounds, $2 / rounds, $3 / rounds }'; }

syntrace_here()
{
	[ -f "$lib" ] && [ -x "$decode" ]
}

syntrace_begin() { :; }

syntrace_run()
{
	rm -rf "$trace"
	env SYNTRACE_DIR="$trace" LD_PRELOAD="$lib" "$@"
}

syntrace_end()
{
	"$decode" stat --format=jsonl "$trace" 2>/dev/null | awk -v bytes="$(disk_bytes "$trace")" '
		function field(name) {
			match($0, "\"" name "\":[0-9]+")
			return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
		}
		/"type":"process"/ {
			events += field("recorded")
			lost += field("lost") + field("missing")
		}
		END { printf "%d %d %d\n", events, bytes, lost }'
}

# LTTng-UST with its pthread wrapper, as a user who wants no loss and as much context as it has sets it up.
lttng_here()
{
	command -v lttng >/dev/null && command -v lttng-sessiond >/dev/null &&
		[ -e "$(find_wrapper)" ]
}

find_wrapper()
{
	find /usr/lib /usr/local/lib -name 'liblttng-ust-pthread-wrapper.so' 2>/dev/null | head -n 1
}

lttng_daemon=

lttng_begin()
{
	# One daemon for the whole run; a daemon that was there before is used and left alone.
	if ! lttng --no-sessiond list >/dev/null 2>&1; then
		lttng-sessiond --no-kernel --verbose-consumer >"$work/sessiond.log" 2>&1 &
		lttng_daemon=$!
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			lttng --no-sessiond list >/dev/null 2>&1 && break
			sleep 0.2
		done
	fi
	lttng_wrapper=$(find_wrapper)
	{
		lttng create "$lttng_session" --output="$trace" &&
			lttng enable-channel -s "$lttng_session" -u c0 --subbuf-size=4M --num-subbuf=8 \
				--blocking-timeout=inf &&
			lttng enable-event -s "$lttng_session" -u -c c0 'lttng_ust_pthread:*' &&
			lttng add-context -s "$lttng_session" -u -c c0 -t vtid -t ip &&
			lttng start "$lttng_session"
	} >"$work/lttng.log" 2>&1
}

lttng_session=syntrace-bench-$$

lttng_run()
{
	env LTTNG_UST_ALLOW_BLOCKING=1 LD_PRELOAD="$lttng_wrapper" "$@"
}

lttng_end()
{
	lttng destroy "$lttng_session" >>"$work/lttng.log" 2>&1
	if command -v babeltrace2 >/dev/null; then
		babeltrace2 -c sink.utils.counter "$trace" 2>/dev/null |
			awk -v rounds="$rounds" -v bytes="$(disk_bytes "$trace")" '
			/ Event messages$/ { n = $1 }
			/Discarded event/ { lost = $1 }
			END { printf "%d %d %d\n", n / rounds, bytes / rounds, lost / rounds }'
	else
		echo "? ? ?" # babeltrace2 is missing: nobody can say
	fi
}

lttng_finish()
{
	[ -n "$lttng_daemon" ] || return 0
	kill "$lttng_daemon" 2>/dev/null
	wait "$lttng_daemon" 2>/dev/null # it ends its consumers first
	lttng_daemon=
}

uftrace_here()
{
	command -v uftrace >/dev/null
}

uftrace_begin() { :; }

uftrace_run()
{
	rm -rf "$trace"
	uftrace record --force --no-pager ${uftrace_option:+"$uftrace_option"} -d "$trace" "$@"
}

# Its files TID.dat hold records of 16 bytes; a call makes two (entry and exit).
uftrace_end()
{
	find "$trace" -name '[0-9]*.dat' -size +0 -printf '%s\n' | awk '
		{ bytes += $1 }
		END { printf "%d %d -\n", bytes / 32, bytes }'
}

uftrace_noevent_here() { uftrace_here; }
uftrace_noevent_begin() { :; }

uftrace_noevent_run()
{
	uftrace_option=--no-event
	uftrace_run "$@"
	uftrace_option=
}

uftrace_noevent_end() { uftrace_end; }
