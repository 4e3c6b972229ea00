#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# LD_PRELOAD through execs: the user's other entries stay, in their order, and are loaded. A program
# sees the same value as without the recorder.
. "$(dirname "$0")/../lib.sh"
need env sh "${CC:=cc}"

# check WHAT EXPECTED CMD...: the last line of output.
check()
{
	check_what=$1 check_expected=$2
	shift 2
	rm -rf "$dir/trace"
	check_got=$(SYNTRACE_DIR="$dir/trace" timeout 60 "$@" 2>&1 | tail -n 1)
	[ "$check_got" = "$check_expected" ] || fail "$check_what: '$check_got' instead of '$check_expected'"
	"$decode" stat "$dir/trace" | grep -q '^  command    sh -c echo' || fail "$check_what: the last one is not traced"
}

# Each says that it was loaded into the last shell.
for name in one two; do
	cat >"$dir/lib.c" <<-END
		#include <string.h>
		#include <unistd.h>
		__attribute__((constructor)) static void f(int argc, char **argv)
		{
			if (argc > 2 && !strncmp(argv[2], "echo", 4) && write(1, "$name", 3) != 3)
				_exit(99);
		}
	END
	"$CC" -shared -fPIC -o "$dir/lib$name.so" "$dir/lib.c" || fail "cannot build lib$name.so"
done

show='echo " ${LD_PRELOAD-unset}"'
one=$dir/libone.so two=$dir/libtwo.so
last="sh -c '$show'; :"
check "first" "twoone $one:$two" env LD_PRELOAD="$one:$lib:$two" sh -c "$show"
check "through exec" "twoone $one:$two" env LD_PRELOAD="$one:$lib:$two" sh -c "exec sh -c '$show'"
check "through fork and exec" "twoone $one:$two" env LD_PRELOAD="$one:$lib:$two" sh -c "$last"
check "alone" " unset" env LD_PRELOAD="$lib" sh -c "$last"
check "in front" "one $one" env LD_PRELOAD="$lib:$one" sh -c "$last"
check "behind" "one $one" env LD_PRELOAD="$one:$lib" sh -c "$last"
check "blanks separate, too" "one $one" env LD_PRELOAD="$one $lib" sh -c "$last"
check "cleared by the program" " unset" env LD_PRELOAD="$lib:$one" env -i sh -c "$show"
check "unset by the program" " unset" env LD_PRELOAD="$lib" sh -c "unset LD_PRELOAD; $last"
check "set by the program" "two $two" env LD_PRELOAD="$lib" sh -c "LD_PRELOAD=$two sh -c '$show'"
check "replaced by the program" "two $two" env LD_PRELOAD="$one:$lib" sh -c "LD_PRELOAD=$two sh -c '$show'"
check "emptied by the program" " " env LD_PRELOAD="$lib" sh -c "LD_PRELOAD= sh -c '$show'"
cd "$(dirname "$lib")" || exit 99
check "a relative path, elsewhere" " unset" env LD_PRELOAD=./libsyntrace.so sh -c "cd /; exec env sh -c '$show'"
cd "$dir" || exit 99
cp "$lib" renamed.so
check "by another name" " unset" env LD_PRELOAD="$dir/renamed.so" sh -c "$last"
check "by another name, cleared" " unset" env LD_PRELOAD="$dir/renamed.so" env -i sh -c "exec sh -c '$show'"
check "by another name, in front" "one $one" env LD_PRELOAD="$dir/renamed.so:$one" sh -c "$last"
finish 2>&1
