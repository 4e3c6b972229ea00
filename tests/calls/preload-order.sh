#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# LD_PRELOAD through execs: the user's other entries stay, in their order, and what a program sees is what it
# would see untraced; only the recorder's own entry, where the user had put it, is there too.
. "$(dirname "$0")/../lib.sh"
need env sh "${CC:=cc}"

for name in one two; do
	echo "int $name;" | "$CC" -shared -o "$dir/lib$name.so" -x c - || fail "cannot build lib$name.so"
done

# check WHAT EXPECTED CMD...: the last line of output.
check()
{
	check_what=$1 check_expected=$2
	shift 2
	check_got=$(SYNTRACE_DIR="$dir/trace" timeout 60 "$@" 2>&1 | tail -n 1)
	[ "$check_got" = "$check_expected" ] ||
		fail "$check_what: LD_PRELOAD is '$check_got' instead of '$check_expected'"
}

show='echo "${LD_PRELOAD-unset}"'
both=$dir/libone.so:$lib:$dir/libtwo.so
check "kept through exec" "$both" env LD_PRELOAD="$both" sh -c "exec sh -c '$show'"
check "kept through fork and exec" "$both" env LD_PRELOAD="$both" sh -c "sh -c '$show'; :"
check "blanks separate, too" "$dir/libone.so $lib" env LD_PRELOAD="$dir/libone.so $lib" sh -c "sh -c '$show'; :"
check "cleared by the program" unset env LD_PRELOAD="$lib" env -i sh -c "$show"
check "unset by the program" unset env LD_PRELOAD="$lib" sh -c "unset LD_PRELOAD; sh -c '$show'"
check "replaced by the program" "$dir/libtwo.so" env LD_PRELOAD="$lib" \
	sh -c "LD_PRELOAD=$dir/libtwo.so sh -c '$show'"
cd "$(dirname "$lib")" || exit 99
check "a relative path, elsewhere" "./libsyntrace.so" env LD_PRELOAD=./libsyntrace.so \
	sh -c "cd /; exec env sh -c '$show'"
cd "$dir" || exit 99
finish 2>&1
