#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# ./check runs a test that failed beside other tests once more, alone. A test that fails again is a failure, and after more
# than five failures no test runs again. Only the long form (make check-long) runs this test.
. "$(dirname "$0")/lib.sh"
[ -n "${SYNTRACE_TEST_LONG:-}" ] || {
	echo "skipped: only in the long form"
	exit 77
}

mkdir -p tree/build-aux tree/bin
cp "$top_srcdir/check" tree/
cp "$top_srcdir/build-aux/prepare.sh" tree/build-aux/
: >tree/build-aux/packages.debian
cd tree || exit 99
cat >configure.ac <<'END'
AC_INIT([again], [1])
AC_CONFIG_AUX_DIR([build-aux])
AM_INIT_AUTOMAKE([foreign])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat >Makefile.am <<'END'
TEST_EXTENSIONS = .py
PY_LOG_COMPILER = sh
TESTS = a.sh b.sh busy.sh busy.py bad-1.sh bad-2.sh bad-3.sh bad-4.sh
END
# a passes. b skips. busy fails while it is not alone, that is, in its first run. The first `nr-bad` tests bad-N fail always.
echo 'exit 0' >a.sh
echo 'exit 77' >b.sh
echo 'echo "the reason of $0"; [ -f was-busy ] || { : >was-busy; exit 1; }; echo "alone"' >busy.sh
sed 's/was-busy/was-too/g' busy.sh >busy.py
for number in 1 2 3 4; do
	echo "echo 'the reason of bad'; exit \$(($number <= \$(cat ../nr-bad)))" >bad-$number.sh
done
sed -i '1i #!/bin/sh' ./*.sh
chmod +x ./*.sh
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES # of the make that runs this test

# NR_BAD STATUS SUMMARY: ./check
check()
{
	rm -f build/was-*
	echo "$1" >nr-bad
	status "$2" ./check
	[ "$(tail -n 1 out)" = "$3" ] || bad "the last line is not '$3'"
}

check 0 0 '7 passed, 0 failed, 1 skipped'
has out '^AGAIN: busy\.sh failed beside other tests and passed alone'
has out '^AGAIN: busy\.py failed beside other tests and passed alone'
has out '^    the reason of .*busy\.sh$'
has out '^SKIP: b\.sh$'
hasnt out '^FAIL|^alone'
has build/busy.sh.first.log 'the reason of .*busy\.sh'
has build/busy.sh.log '^alone'
check 2 1 '5 passed, 2 failed, 1 skipped'
has out '^AGAIN: busy\.sh '
hasnt out '^AGAIN: bad'
has out '^FAIL: bad-1\.sh$'
has out '^FAIL: bad-2\.sh$'
has out '^the reason of bad$'
check 4 1 '1 passed, 6 failed, 1 skipped'
hasnt out '^AGAIN'
tool_end
