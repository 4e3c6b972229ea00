#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The driver finds the effects of a library on the program. It reports a library that shows itself.
# It does not report our own library, nor output that differs in every run.
. "$(dirname "$0")/../lib.sh"
run=$(dirname "$0")/run.py
mkdir "$dir/suites"
cat >"$dir/suites/small.py" <<'END'
from suite import Case, Skip
def prepare(work):
    pass
def cases(work):
    yield Case("output", ["sh", "-c", "seq 1000 | sort -rn | head -n 3; exit 5"])
    yield Case("killed", ["sh", "-c", "kill -9 $$"])
    yield Case("hangs", ["sleep", "100"], timeout=0.5)
    yield Case("mixed", ["sh", "-c", 'case $LD_PRELOAD in *syntrace*) printf "acbd\\n\\n";; *) printf "ab\\ncd\\n";; esac'], unordered=True)
    yield Case("unstable", ["sh", "-c", 'n=$(cat ../../round 2>/dev/null || echo 0); echo $((n + 1)) >../../round; exit $((n % 2))'],
               cwd=str(work))
    yield Case("parts", ["sh", "-c", 'x=$($RECORD true 2>&1); echo "a: ok"; echo "b: ${x:-ok}"; echo c: $((1 / ${x:-1}))'],
               script=True, parts=True)
    yield Case("script", ["sh", "-c", "$RECORD sh -c 'echo $PWD >f; cat f; echo $TMPDIR'"], script=True)
END
cat >"$dir/suites/absent.py" <<'END'
from suite import Case, Skip
def prepare(work):
    raise Skip("not here")
def cases(work):
    return []
END
cat >"$dir/bad.c" <<'END'
#include <stdlib.h>
#include <unistd.h>
static void show(void) { _exit(33); }
__attribute__((constructor)) static void init(void) { write(2, "here\n", 5); if (getenv("SYNTRACE_DIR")) atexit(show); }
END
cc -shared -fPIC -w -o "$dir/bad.so" "$dir/bad.c" || fail "no compiler"

drive()
{
	drive_lib=$1
	shift
	timeout 250 python3 "$run" --rounds 2 --suites "$dir/suites" --work "$dir/work" --decode "$decode" --lib "$drive_lib" "$@" >"$dir/out" 2>&1
	drive_got=$?
	cat "$dir/out"
}

# has VERDICT CASE
has()
{
	grep -q "\"case\": \"$2\".*\"verdict\": \"$1\"" "$dir/work/small/summary.jsonl" || fail "$2 is not $1"
}

drive "$lib" small absent
[ $drive_got = 0 ] || fail "exit status $drive_got with our own library"
for case in output mixed killed hangs script parts/a parts/b parts/c; do
	has same $case
done
has unstable unstable
grep -q 'skipped: absent: not here' "$dir/out" || fail "a suite that cannot run is not named"

cp "$dir/work/small/results.jsonl" "$dir/before"
drive "$lib" small
cmp -s "$dir/before" "$dir/work/small/results.jsonl" || fail "finished cases ran again"

drive "$dir/bad.so" small
[ $drive_got = 1 ] || fail "exit status $drive_got with a library that shows itself"
has different output
has different mixed
has different script
has same parts/a
has different parts/b
has different parts/c
grep -q 'stderr' "$dir/out" || fail "the report does not name the difference"

drive "$lib" absent
[ $drive_got = 77 ] || fail "exit status $drive_got when no case could run"
finish
