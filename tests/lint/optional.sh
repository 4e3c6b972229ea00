#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# No test is left out silently: a build without cmocka, libgomp and a C++ compiler has the same TESTS, and
# each test that it cannot build is skipped by name.  Configured again, it builds the real tests.
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

# The exit status of PROGRAM is 77, after it was built in the poor build.
expect_skip()
{
	$MAKE -s -C "$poor" "$1" >"$lint_work/make.log" 2>&1 || {
		tail -n 5 "$lint_work/make.log"
		lint_fail "$1: does not build where configure found nothing optional"
		return
	}
	"$poor/$1" >"$lint_work/out"
	[ $? -eq 77 ] || lint_fail "$1: is not skipped where configure found nothing optional"
}

poor=$lint_work/poor
mkdir "$poor" "$lint_work/bin"
cat >"$lint_work/bin/pkg-config" <<END
#!/bin/sh
case "\$*" in *cmocka*) exit 1 ;; esac
exec $PKG_CONFIG "\$@"
END
chmod +x "$lint_work/bin/pkg-config"
(cd "$poor" && "$top_srcdir/configure" -q CC="$CC" CXX=/nonexistent/c++ syt_cv_gomp=no \
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

expect_skip tests/unit/test-env
expect_skip tests/calls/omp.call
expect_skip tests/calls/omp-edges

# Every unit test compiles with the header that stands in for cmocka's.
# shellcheck disable=SC2046 # file names without spaces
$CC -std=gnu11 -fsyntax-only -Wall -Wextra -Werror -D_GNU_SOURCE= -I"$top_srcdir" -I"$poor" \
	-I"$top_srcdir/tests/lib/no-cmocka" $(find "$top_srcdir/tests/unit" -name 'test-*.c') \
	>"$lint_work/cc.log" 2>&1 || {
	grep -E 'error' "$lint_work/cc.log" | head -n 5
	lint_fail "unit tests do not compile with tests/lib/no-cmocka/cmocka.h"
}

# ./check configures again a build that lacked something.
if grep -q '^S\["HAVE_CMOCKA_TRUE"\]=""' "$top_builddir/config.status"; then
	sed -i '/cmocka/d' "$lint_work/bin/pkg-config"
	(
		cd "$lint_work" && ln -s poor build && ln -s "$top_srcdir/configure" configure
		. "$top_srcdir/build-aux/prepare.sh"
		prepare_configure
	) >"$lint_work/configure.log" 2>&1 || lint_fail "./check cannot configure again"
	$MAKE -s -C "$poor" tests/unit/test-env >"$lint_work/make.log" 2>&1
	"$poor/tests/unit/test-env" >"$lint_work/out" 2>&1 ||
		lint_fail "tests/unit/test-env: still not built after cmocka was installed"
fi
lint_end
