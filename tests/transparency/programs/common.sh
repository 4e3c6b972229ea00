# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
# shellcheck shell=sh
#
# Shared by the scripts of this folder. Each is a case of suites/programs.py: it starts a program in
# its usual way behind $RECORD, gives it work, and prints facts that must be the same with and
# without the recorder: results, exit statuses, and the program's entries in /proc. It runs in an
# empty directory of its own.
set -u
: "${RECORD=}"
# The launcher instead of the bare preload.
case "${LAUNCHER:+$RECORD}" in
*SYNTRACE_DIR=*) RECORD="sh $(dirname "$0")/launch.sh $LAUNCHER ${RECORD##*SYNTRACE_DIR=}" ;;
esac
export LC_ALL=C TZ=UTC

# A port that was free just now.
free_port()
{
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Succeeds once CMD... does; gives up after a minute.
until_ok()
{
	until_tries=600
	until "$@" >/dev/null 2>&1; do
		until_tries=$((until_tries - 1))
		[ $until_tries -gt 0 ] || {
			echo "gave up: $*"
			return 1
		}
		sleep 0.1
	done
}

# Succeeds if a process listens on PORT; makes no connection.
listening()
{
	grep -qi "^ *[0-9]*: [0-9A-F]*:$(printf %04X "$1") 0*:0000 0A" /proc/net/tcp /proc/net/tcp6
}

# The process of the program that was started as PID: the launcher, if there is one, is its parent.
program()
{
	case $(readlink "/proc/$1/exe") in
	*syntrace) pgrep -P "$1" ;;
	*) echo "$1" ;;
	esac
}

# holds NAME PID: its open fds and its threads.
holds()
{
	set -- "$1" "$(program "$2")"
	echo "$1 has $(find "/proc/$2/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l) threads, and open"
	find "/proc/$2/fd" -mindepth 1 -printf '%f %l\n' | sort -n |
		sed -E "s/\[[0-9]+\]/[N]/; s,$PWD,HERE,"
}

# status CMD...: runs it, then prints its exit status.
status()
{
	"$@"
	echo "exit status $?"
}

# ended NAME PID: waits for a child and prints how it ended.  The shell names a signal; behind the launcher, whose exit status is
# 128 and the signal, it does not.
ended()
{
	wait "$2" 2>/dev/null
	echo "$1 ended with $?"
}
