#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# No test is left out silently: a build without cmocka, libgomp and a C++ compiler has the same TESTS, and
# each test that it cannot build is skipped by name.  Configured again, it builds the real tests (long form).
. "$(dirname "$0")/lib.sh"
[ -f "$top_builddir/Makefile" ] || lint_skip "not configured"
: "${PKG_CONFIG:=pkg-config}" "${MAKE:=make}"

# The tests of the build in DIRECTORY, one a line.
tests_of()
{
	# shellcheck disable=SC2016 # make's variables
	MAKEFLAGS= $MAKE -s -C "$1" --no-print-directory \
		--eval='syt-tests: ; @printf "%s\n" $(TESTS)' syt-tests | sed 's|^\./||' | sort
}

# The exit status of each PROGRAM is 77, after it was built in the poor build.
expect_skip()
{
	$MAKE -s -C "$poor" "$@" >"$lint_work/make.log" 2>&1 || {
		tail -n 5 "$lint_work/make.log"
		lint_fail "$*: not all of them build where configure found nothing optional"
		return
	}
	for program; do
		"$poor/$program" >"$lint_work/out"
		[ $? -eq 77 ] || lint_fail "$program: is not skipped where configure found nothing optional"
	done
}

poor=$lint_work/poor
mkdir "$poor" "$lint_work/bin"
cat >"$lint_work/bin/pkg-config" <<END
#!/bin/sh
case "\$*" in *cmocka*) exit 1 ;; esac
exec $PKG_CONFIG "\$@"
END
chmod +x "$lint_work/bin/pkg-config"
# This build's configure has found most results already: here only those that concern the optional packages are new.
{
	sed -n '/^## Cache variables/,/^## Output variables/p' "$top_builddir/config.log" |
		grep -E '^[a-zA-Z_]*_cv_[A-Za-z0-9_]*=' | grep -viE '^ac_cv_env_|cxx|gomp|cmocka'
	for variable in "CC=$CC" CXX=/nonexistent/c++ "PKG_CONFIG=$lint_work/bin/pkg-config"; do
		printf "ac_cv_env_%s_set=set\nac_cv_env_%s_value='%s'\n" "${variable%%=*}" "${variable%%=*}" "${variable#*=}"
	done
} >"$lint_work/cache"
. "$top_srcdir/build-aux/prepare.sh"
(cd "$poor" && prepare_dependencies "$top_srcdir" && CONFIG_SHELL=/bin/sh "$top_srcdir/configure" -q --cache-file="$lint_work/cache" CC="$CC" CXX=/nonexistent/c++ syt_cv_gomp=no \
	PKG_CONFIG="$lint_work/bin/pkg-config") >"$lint_work/configure.log" 2>&1 || {
	tail -n 5 "$lint_work/configure.log"
	lint_fail "configure fails without the optional packages"
	lint_end
}
for what in CMOCKA GOMP CXX; do
	grep -q "^S\\[\"HAVE_${what}_TRUE\"\\]=\"#\"" "$poor/config.status" ||
		lint_fail "configure found $what, which this test hides"
done

tests_of "$top_builddir" >"$lint_work/here"
tests_of "$poor" >"$lint_work/there"
[ -s "$lint_work/here" ] || lint_fail "make does not tell its tests"
diff "$lint_work/here" "$lint_work/there" >"$lint_work/diff" ||
	lint_fail "$(grep -c '^<' "$lint_work/diff") tests are left out where configure found nothing optional: $(
		sed -n 's/^< //p' "$lint_work/diff" | head -n 3 | tr '\n' ' ')..."

expect_skip tests/unit/test-columns tests/calls/omp.call tests/calls/omp-edges

# Every unit test compiles with the header that stands in for cmocka's. The short form takes a few unit tests, which together use
# each word of the header that any unit test uses.
find "$top_srcdir/tests/unit" -name 'test-*.c' | sort | xargs awk -v is_long="${SYNTRACE_TEST_LONG:-}" '
	FNR == 1 { is_printed = 0 }
	{
		is_new = is_long != ""
		while (match($0, /(assert|cmocka|fail|print|skip|will)_[a-z_]*|expect_(any|in|memory|not|string|value)[a-z_]*|CM[A-Z][A-Za-z]*|mock\(/)) {
			word = substr($0, RSTART, RLENGTH)
			$0 = substr($0, RSTART + RLENGTH)
			is_new = is_new || !(word in seen)
			seen[word] = 1
		}
		if (is_new && !is_printed) {
			print FILENAME
			is_printed = 1
		}
	}' >"$lint_work/tests"
[ -s "$lint_work/tests" ] || lint_fail "no unit test uses cmocka"
# shellcheck disable=SC2046 # file names without spaces
$CC -std=gnu11 -fsyntax-only -Wall -Wextra -Werror -D_GNU_SOURCE= -I"$top_srcdir" -I"$poor" \
	-I"$top_srcdir/tests/lib/no-cmocka" $(cat "$lint_work/tests") \
	>"$lint_work/cc.log" 2>&1 || {
	grep -E 'error' "$lint_work/cc.log" | head -n 5
	lint_fail "unit tests do not compile with tests/lib/no-cmocka/cmocka.h"
}

# ./check configures again a build that lacked something.
if [ -n "${SYNTRACE_TEST_LONG:-}" ] && grep -q '^S\["HAVE_CMOCKA_TRUE"\]=""' "$top_builddir/config.status"; then
	sed -i '/cmocka/d' "$lint_work/bin/pkg-config"
	(
		cd "$lint_work" && ln -s poor build && ln -s "$top_srcdir/configure" configure
		prepare_configure
	) >"$lint_work/configure.log" 2>&1 || lint_fail "./check cannot configure again"
	$MAKE -s -C "$poor" tests/unit/test-columns >"$lint_work/make.log" 2>&1
	"$poor/tests/unit/test-columns" >"$lint_work/out" 2>&1 ||
		lint_fail "tests/unit/test-columns: still not built after cmocka was installed"
fi
lint_end
