#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace-decode report: the page holds valid JSON and no markup of the program's, and tells of the programs of
# examples/ what is wrong with them; its scripts run without an error. In the short form the browser shows two pages; the
# long form shows each section, and has readers with a mouse, a keyboard, a narrow screen and a printer.
. "$(dirname "$0")/lib.sh"
page=$report_tests/html-page.py

# NAME PROGRAM ARGUMENT...: traces it into $dir/NAME and makes $dir/NAME.html.
report()
{
	timeout -k 5 60 env SYNTRACE_DIR="$dir/$1" LD_PRELOAD="$lib" "$2" "$3" ${4+"$4"}
	page_of "$1"
}

# NAME: makes $dir/NAME.html of the trace $dir/NAME, which is as bounded as it says.
page_of()
{
	name=$1
	timeout -k 5 60 "$decode" report -o "$dir/$name.html" "$dir/$name" >"$dir/summary" || fail "$name: report: exit status $?"
	coverage_is_last "$dir/summary" "$name"
	[ "$(wc -c <"$dir/$name.html")" = "$(sed -n 's/.* in \([0-9]*\) bytes: .*/\1/p' "$dir/summary")" ] ||
		fail "$name: it is not as long as it says"
}

# TRACE SECTION PATTERN...: the data of that section, as text, matches these.
tells()
{
	tells_trace=$1 tells_section=$2
	shift 2
	python3 "$page" "$dir/$tells_trace.html" "$tells_section" >"$dir/told" || fail "$tells_trace: see above"
	for pattern; do
		grep -qE -- "$pattern" "$dir/told" || fail "$tells_trace: no '$pattern' in $tells_section"
	done
}

report convoy "$top_builddir/examples/convoy" sick
report deadlock "$top_builddir/examples/deadlock" sick
report inversion "$top_builddir/examples/inversion" sick
report healthy "$top_builddir/examples/inversion" healthy
tells convoy coverage '^Coverage: '
tells convoy contention 'a lock convoy' 'held since .* in write_line' 'usleep in write_line'
tells convoy waits 'waited .* for a lock, .* in pthread_mutex_lock in write_line'
tells convoy critical '% +write_line$'
python3 "$page" "$dir/convoy.html" stacks 'write_line .*convoy\.c:[0-9]+$' || fail "convoy: no file and line"
# The tasks are HTML that needs no script: each task of the model with parts can be opened.
"$decode" model --format=jsonl "$dir/convoy" >"$dir/model"
python3 "$page" "$dir/convoy.html" tasks "$dir/model" || fail "convoy: see above"
python3 "$page" "$dir/convoy.html" palette || fail "palette: see above"
[ "$(python3 "$page" "$dir/deadlock.html" worst)" = blocked ] || fail "deadlock: the deadlock does not come first"
[ "$(python3 "$page" "$dir/convoy.html" worst)" = findings ] || fail "convoy: the lock convoy does not come first"
tells deadlock lockorder 'Deadlock: 2 threads wait for each other' 'read_index;pthread_mutex_lock' 'write_index;pthread_mutex_lock' \
	'0\.[12] had mutex:.*, waits for mutex:'
tells inversion lockorder '2 threads can deadlock, because they took mutex:.* in both orders' 'pay_rent;' 'pay_back;'
tells healthy lockorder 'No deadlock can result from the order'

# Requests of three processes: a request that slept is the slowest.
mkdir "$dir/logs"
SYNTRACE_DIR=$dir/shop LD_PRELOAD=$lib timeout -k 5 60 "$top_builddir/examples/shop" --directory="$dir/logs" --requests=120 --fault=sleep:60 ||
	fail "shop: exit status $?"
page_of shop
{
	"$decode" requests --format=jsonl "$dir/shop"
	"$decode" workload --format=jsonl "$dir/shop"
	"$decode" requests --show=slowest --format=jsonl "$dir/shop"
} >"$dir/requests.jsonl"
python3 "$page" "$dir/shop.html" requests "$dir/requests.jsonl" || fail "shop: see above"

# The summary and diagnose agree. In the healthy program the reports may have lists, but no problem stands out.
for name in convoy deadlock inversion healthy; do
	timeout -k 5 60 "$decode" diagnose "$dir/$name" >"$dir/diagnosis"
	python3 "$page" "$dir/$name.html" summary "$dir/diagnosis" || fail "$name: the summary is not that of diagnose"
done

# Levels and waits say as much as the verb waits.
"$decode" waits --format=jsonl "$dir/convoy" >"$dir/waits.jsonl"
python3 "$page" "$dir/convoy.html" times "$dir/waits.jsonl" || fail "convoy: see above"

# A name that is markup, also with the end tag of a script. Without symbols, the name is also in call stacks.
hostile="$dir/<script>alert(1)<!--"
strip -o "$hostile" "$top_builddir/examples/.libs/inversion" 2>/dev/null || strip -o "$hostile" "$top_builddir/examples/inversion" || exit 99
report hostile "$hostile" sick '</script><script>document.documentElement.dataset.bad = 1</script><!--'
grep -q '&lt;script&gt;alert' "$dir/hostile.html" || fail "hostile: the name is not in the summary"
grep -q 'u003cscript\\u003ealert' "$dir/hostile.html" || fail "hostile: the name is not in the data"
grep -q '<script>alert' "$dir/hostile.html" && fail "hostile: the name is markup"
tells hostile program '<script>document'

# A file appears when it is whole, or not.
(ulimit -f 8 && trap '' XFSZ && timeout 60 "$decode" report -o "$dir/full.html" "$dir/convoy") >/dev/null 2>&1
[ $? = 4 ] || fail "a full disk: not told"
[ -z "$(find "$dir" -name 'full.html*')" ] || fail "a full disk: half a page"
"$decode" report "$dir/convoy" | cmp - "$dir/convoy.html" || fail "another page on standard output"
"$decode" report --jobs=1 --memory=1M -o - "$dir/convoy" | cmp - "$dir/convoy.html" ||
	fail "another page with one job and less memory"

# ---- in a browser ----
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "the scripts of the page are not tried: there is no chromium"
	finish
}

# TRACE FRAGMENT PATTERN...: what the page shows there.
shows()
{
	shows_where="$1 at #$2"
	timeout -k 5 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$dir/profile" \
		--virtual-time-budget=3000 --dump-dom "file://$dir/$1.html#$2" >"$dir/dom" 2>"$dir/errors"
	if [ ! -s "$dir/dom" ]; then
		echo "the browser shows nothing:"
		tail -n 5 "$dir/errors"
		finish
	fi
	python3 "$page" "$dir/dom" shown "$2" >"$dir/told" || fail "$shows_where: see above"
	shift 2
	for pattern; do
		grep -qE -- "$pattern" "$dir/told" || {
			fail "$shows_where: no '$pattern'"
			head -n 40 "$dir/told"
		}
	done
}

event=$(python3 "$page" "$dir/convoy.html" event) || fail "convoy: no wait of which it is known who ended it"
shows convoy "time/$event" 'event '"$(echo "$event" | tr / .)" 'pthread_mutex_lock' 'write_line' '← mutex, 0\.'
shows hostile summary '<script>document'
grep -q 'data-bad' "$dir/dom" && fail "hostile: the page ran it"
[ -n "${SYNTRACE_TEST_LONG:-}" ] || finish
shows convoy summary 'Coverage: ' 'lock convoy' 'write_line'
shows convoy time/0.1/99999 'is not in the timeline'
shows convoy critical 'write_line;usleep'
shows convoy contention 'waiters:' 'causes:' 'write_line'
shows convoy waits 'harmful' 'write_line'
shows convoy lockorder 'No deadlock can result'
shows shop requests 'clusters? of 120 requests' 'Work by program' 'back_off;nanosleep' 'by handoff'
shows deadlock lockorder 'Deadlock' 'read_index' 'write_index' 'waits for'
shows inversion lockorder 'can deadlock' 'pay_rent' 'pay_back'

# ---- a reader with a mouse, with a keyboard, with a narrow screen, with a printer ----
port=$(free_port)
start server log "$top_builddir/tests/report/requests" serve "$port"
timeout -k 5 60 "$top_builddir/tests/report/requests" ask "$port" || fail "the client: exit status $?"
wait "$started" || fail "the server: exit status $?"
page_of server
[ -n "${AXE_CORE-}" ] || echo "the accessibility rules are not tried: AXE_CORE does not name axe.min.js of axe-core"
timeout -k 5 300 python3 "$report_tests/html-browser.py" "$browser" "$dir/reader" "$dir/convoy.html" "$dir/server.html" "$dir/shop.html" ${AXE_CORE:+"$AXE_CORE"} ||
	fail "a reader: see above"
finish
