#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Calls that have moved bytes and never return (tests/calls/unreturned.c): their bytes are not
# counted. Bytes sent before them keep their edges. Bytes sent after them have no edges, above all
# no false ones.
. "$(dirname "$0")/../lib.sh"
: "${CC:=cc}"
need "$CC"
"$CC" -g -o "$dir/unreturned" "$top_srcdir/tests/calls/unreturned.c" -lpthread || fail "does not compile"
cd "$dir" || exit 99

# part NAME UNMATCHED: standard input says its edges: FROM PROCESS, CALL, TO PROCESS, CALL, BYTES.  So many bytes have none,
# because a call never returned.
part()
{
	cat >expected
	rm -rf trace
	timeout 20 env SYNTRACE_DIR="$dir/trace" LD_PRELOAD="$lib" ./unreturned "$1" || fail "$1: exit status $?"
	"$decode" edges --kind=stream trace >text || fail "$1: exit status $? of syntrace-decode"
	sed -E 's/^[0-9.]+ [a-z]+ +([0-9]+)\.[0-9.]+ ([a-z_]+).* --> ([0-9]+)\.[0-9.]+ ([a-z_]+)[^,]*, [^,]*(, ([0-9]+) bytes)?(.*)$/\1 \2 \3 \4 \6\7/
		s/,? ?,? waited [^,]*//; s/, one of several possible causes/ ?/; /^No happens-before edge matches/d' text >edges
	diff expected edges || fail "$1: other edges"
	"$decode" stat --format=jsonl trace >stat || fail "$1: exit status $? of syntrace-decode"
	unmatched=$(sed -n 's/.*"bytes_unmatched":{\([^}]*\)}.*/\1/p' stat)
	[ "$unmatched" = "${2:+\"UNRETURNED\":$2}" ] || fail "$1: unmatched: $unmatched"
	check_trace trace
}

# 4096 bytes, then 61440 of a write that finds no more room; another process writes 70000.
for how in exit kill jump cancel; do
	part $how 131440 <<-'END'
		1 write 0 read 4096
	END
done

# A receive that waits for more than the 100 bytes that it has taken, then one of the next 40.
part waitall 40 </dev/null

# A read that took no bytes; the next reader gets all sent bytes, so none can be missing.
part idle "" <<'END'
0 write 0 read 10
0 write 0 read 7
END
finish
