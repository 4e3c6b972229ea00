#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Shows each lint a small correct tree or library, then one violation after the other: a lint that
# cannot fail is worthless. Only the long form (make check-long) runs this test.
set -u
[ -n "${SYNTRACE_TEST_LONG:-}" ] || {
	echo "skipped: only in the long form"
	exit 77
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
failed=0
: "${CC:=cc}"

# A tree that every lint likes.
fresh()
{
	rm -rf "$work/tree"
	mkdir -p "$work/tree/format" "$work/tree/runtime" "$work/tree/preload" \
		"$work/tree/decoder/read" "$work/tree/decoder/report/why" "$work/tree/decoder/report/info" "$work/tree/decoder/show" "$work/tree/decoder/verb" \
		"$work/tree/base" "$work/tree/settings" "$work/tree/tool" "$work/tree/tests" "$work/tree/doc" "$work/tree/man"
	printf '/* SPDX-License-Identifier: LGPL-2.1-or-later */\n#ifndef H\n#define H\n#include <stdint.h>\nstruct syt_a {\n\tuint32_t member_x;\n};\n#endif\n' \
		>"$work/tree/format/format.h"
	sed '/struct/,/};/d; s/ H$/ E/' "$work/tree/format/format.h" >"$work/tree/format/event.h"
	printf '/* SPDX-License-Identifier: LGPL-2.1-or-later */\nCALL(one, LOCK)\nHAND(two, LOCK)\nOLD(two, X_1)\nMARK(three, LOCK)\n' \
		>"$work/tree/format/calls.def"
	printf '### `struct syt_a`\n\n| at | bytes | member |\n|---|---|---|\n| 0 | 4 | `member_x` |\n' \
		>"$work/tree/doc/format.md"
	printf '/* SPDX-License-Identifier: LGPL-2.1-or-later */\n{"SYNTRACE_ONE", 1},\n' >"$work/tree/runtime/env.c"
	echo '| `SYNTRACE_ONE` | |' >"$work/tree/doc/environment.md"
	mkdir -p "$work/tree/tests/calls"
	printf '| nr | | | | |\n|---|---|---|---|---|\n| 1 | text | text | `runtime/env.c` | `tests/calls/one.c` |\n' \
		>"$work/tree/doc/pitfalls.md"
	mkdir -p "$work/tree/decoder/history"
	printf '/* SPDX-License-Identifier: LGPL-2.1-or-later */\nEDGE(ONE, "one", IN, OUT)\n' \
		>"$work/tree/decoder/history/edge-kinds.def"
	printf '### One (`one`)\n\n    A ──one──► B\n\n*Rule.* x\n\n*Why it is sound.* x\n\n*Limits.* x\n' \
		>"$work/tree/doc/happens-before.md"
	printf '/* SPDX-License-Identifier: LGPL-2.1-or-later */\nint main(void) { return one() + two(); }\n' \
		>"$work/tree/tests/calls/one.c"
}

# WHAT EXPECTED LINT: runs it on the tree and the library.
expect()
{
	LINT_ROOT=$work/tree LINT_LIBRARY=$work/lib.so LINT_LIST=$work/list "$here/$3" >"$work/out" 2>&1
	rv=$?
	if [ $rv -ne "$2" ]; then
		echo "$3: $1: exit status $rv, expected $2"
		cat "$work/out"
		failed=1
	fi
}

# FILE LINE LINT WHAT: the tree with LINE appended to FILE is a violation.
bad()
{
	fresh
	mkdir -p "$work/tree/${1%/*}"
	[ -f "$work/tree/$1" ] ||
		echo '/* SPDX-License-Identifier: LGPL-2.1-or-later */' >"$work/tree/$1"
	echo "$2" >>"$work/tree/$1"
	expect "$1: $2" 1 "$3"
}

good()
{
	fresh
	mkdir -p "$work/tree/${1%/*}"
	echo '/* SPDX-License-Identifier: LGPL-2.1-or-later */' >"$work/tree/$1"
	echo "$2" >>"$work/tree/$1"
	expect "$1: $2" 0 "$3"
}

fresh
for lint in layers.sh headers.sh tags.sh text.sh format.sh environment.sh tested.sh pitfalls.sh pictures.sh; do
	expect 'a clean tree' 0 $lint
done

bad format/format.h '#include <stdio.h>' layers.sh
bad format/format.h '#include "runtime/frame.h"' layers.sh
bad runtime/a.c '#include <stdlib.h>' layers.sh
bad runtime/a.c '#include "decoder/read/trace.h"' layers.sh
bad runtime/a.c '  #  include "preload/wrap.h"' layers.sh
bad preload/a.c '#include <lz4.h>' layers.sh
bad preload/a.c '#include <xxhash.h>' layers.sh
bad preload/a.c '#include "runtime/ring.h"' layers.sh
bad preload/a.c '#include "runtime/sys.h"' layers.sh
good preload/a.c '#include "runtime/sys.h" /* vfork: the child may call nothing */' layers.sh
good preload/a.c '#include "runtime/frame.h"' layers.sh
bad preload/a.c '	fd = open("/etc/passwd", O_RDONLY);' layers.sh
bad preload/a.c '	fd = openat(AT_FDCWD, "x", 0);' layers.sh
bad decoder/a.c '#include "runtime/frame.h"' layers.sh
bad decoder/a.c '#include "preload/wrap.h"' layers.sh
bad decoder/read/a.c '#include "decoder/match/match.h"' layers.sh
bad decoder/show/a.c '#include "decoder/report/waits/waits.h"' layers.sh
bad decoder/report/why/a.c '#include "decoder/report/waits/waits.h"' layers.sh
good decoder/report/why/a.c '#include "decoder/report/critical_path/view.h"' layers.sh
bad decoder/show/a.c '#include "decoder/command/command.h"' layers.sh
good decoder/report/why/a.c '#include "base/err.h"' layers.sh
bad settings/a.c '#include "format/format.h"' layers.sh
good settings/a.c '#include "base/err.h"' layers.sh
bad base/a.c '#include "format/format.h"' layers.sh
bad base/a.c '#include "settings/settings.h"' layers.sh
bad runtime/a.c '#include "base/err.h"' layers.sh
good tool/a.c '#include "base/err.h"' layers.sh
bad runtime/a.c '#include "settings/settings.h"' layers.sh
bad decoder/show/a.c '#include "settings/settings.h"' layers.sh
good decoder/report/info/a.c '#include "settings/settings.h"' layers.sh
good tool/a.c '#include "settings/settings.h"' layers.sh
bad decoder/a.c '	SYT_SYS_1(SYS_exit, 0);' layers.sh
bad decoder/local.mk 'syntrace_decode_LDADD = libruntime.la' layers.sh
bad tool/local.mk 'syntrace_SOURCES = tool/main.c runtime/env.c' layers.sh
bad tool/a.c '#include "decoder/read/trace.h"' layers.sh
bad fleet/a.c '#include "decoder/read/trace.h"' layers.sh
bad decoder/a.c '#include "fleet/store.h"' layers.sh
good fleet/a.c '#include "base/err.h"' layers.sh
bad preload/local.mk 'libsyntrace_la_LIBADD = libdecoder.a' layers.sh

fresh
echo '#include "tool/b.h"' >"$work/tree/tool/a.h"
echo '#include "tool/c.h"' >"$work/tree/tool/b.h"
expect 'headers without a circle' 0 layers.sh
echo '#include "tool/a.h"' >"$work/tree/tool/c.h"
expect 'a circle of headers' 1 layers.sh
fresh
echo '#include "tool/b.h"' >"$work/tree/tool/a.c"
echo '#include "tool/b.h"' >"$work/tree/tool/b.c"
echo '#include "tool/a.h"' >"$work/tree/tool/b.h"
expect 'a circle of modules' 1 layers.sh

# TEXT: the header tool/a.h with TEXT, a format of printf, is a violation, in both forms.
bad_header()
{
	fresh
	printf "/* SPDX-License-Identifier: LGPL-2.1-or-later */\\n$1" >"$work/tree/tool/a.h"
	expect "$1" 1 headers.sh
	SYNTRACE_TEST_LONG='' expect "$1" 1 headers.sh
}
bad_header '#ifndef A\n#define A\nstatic inline uint32_t f(void) { return 0; }\n#endif\n'
bad_header 'int twice;static int g(void) { return 0; }\n'
bad_header '#ifndef A\n#define A\n#endif\nint twice;\n'
bad_header 'int twice;\n#ifndef A\n#define A\n#endif\n'
bad_header '#ifndef A\n#define B\n#endif\n'
bad_header '#ifndef H\n#define H\n#endif\n' # the guard of format/format.h
fresh
printf '#ifndef A\n#define A\nstatic inline uint32_t f(void) { return 0; }\n#endif\n' >"$work/tree/tool/a.h"
printf '#include "tool/a.h"\n' >"$work/tree/tool/a.c"
expect 'a header that a source compiles' 1 headers.sh
SYNTRACE_TEST_LONG='' expect 'a header that the build compiles' 0 headers.sh
printf '#include <stdint.h>\n#include "tool/a.h"\n' >"$work/tree/tool/a.c"
SYNTRACE_TEST_LONG='' expect 'a header that no source compiles alone' 1 headers.sh

bad tool/a.h 'struct syt_a { int x; };' tags.sh
bad tool/a.c 'enum syt_a { A };' tags.sh
good tool/a.c 'struct a { int x; };' tags.sh
fresh
echo 'struct b { int x; };' | tee "$work/tree/tool/a.h" >"$work/tree/decoder/a.h"
expect 'a tag without a prefix in two headers' 1 tags.sh

fresh
echo 'int x;' >"$work/tree/tool/a.c"
expect 'a source without licence' 1 text.sh
bad doc/a.md "see $(echo /home)/someone/notes" text.sh

fresh
sed -i 's/uint32_t member_x;/uint32_t member_x; \/* a * *\/\n\tuint64_t y, z[2];/' "$work/tree/format/format.h"
expect 'a member that format.md does not name' 1 format.sh
printf '| 8 | 8 | `y` |\n| 16 | 16 | `z` |\n' >>"$work/tree/doc/format.md"
expect 'members that format.md names' 0 format.sh
sed -i 's/| 16 | 16/| 16 | 8/' "$work/tree/doc/format.md"
expect 'a wrong size in format.md' 1 format.sh
bad doc/format.md '| 4 | 4 | `gone` |' format.sh
fresh
echo 'FIELD(ONE, one)' >"$work/tree/format/fields.def"
expect 'a field that format.md does not name' 1 format.sh

bad format/calls.def 'HAND(four, LOCK)' tested.sh
bad format/calls.def 'FAST(five, LOCK)' tested.sh
bad doc/pitfalls.md '| 2 | text | text | `runtime/env.c` | none |' pitfalls.sh
bad doc/pitfalls.md '| 2 | text | text | none | `tests/calls/one.c` |' pitfalls.sh
bad doc/pitfalls.md '| 3 | text | text | `runtime/env.c` | `tests/calls/one.c` |' pitfalls.sh
bad doc/pitfalls.md '| 2 | text | text | `runtime/env.c` | `tests/calls/gone.c` |' pitfalls.sh
bad decoder/history/edge-kinds.def 'EDGE(TWO, "two", IN, OUT)' pictures.sh
fresh
sed -i 's/──one──►/  one/' "$work/tree/doc/happens-before.md"
expect 'an edge without a picture' 1 pictures.sh
fresh
sed -i '/Limits/d' "$work/tree/doc/happens-before.md"
expect 'a rule that knows everything' 1 pictures.sh
bad doc/happens-before.md '*Rule.* y' pictures.sh
bad doc/happens-before.md '**Two.** A rule.' pictures.sh
bad runtime/env.c '	{"SYNTRACE_TWO", 2},' environment.sh
bad runtime/a.c 'getenv("SYNTRACE_TWO");' environment.sh
bad doc/environment.md '| `SYNTRACE_TWO` | |' environment.sh

# Libraries. The first exports the names of calls.def and uses the names of the list.
printf 'getauxval\n' >"$work/list"
cat >"$work/good.c" <<'END'
#include <stddef.h>
unsigned long getauxval(unsigned long);
static __thread char small[128] __attribute__((tls_model("initial-exec")));
__attribute__((visibility("default"))) int one(int n) { small[n] = (char)getauxval(3); return small[1]; }
#ifdef __x86_64__
__asm__(".symver two_new, two@@X_2, remove");
__asm__(".symver two_old, two@X_1, remove");
__attribute__((visibility("default"))) int two_old(void) { return 1; }
__attribute__((visibility("default"))) int two_new(void) { return 2; }
#else
__attribute__((visibility("default"))) int two(void) { return 2; }
#endif
END
if [ "$(uname -m)" = x86_64 ]; then
	printf 'X_1 { local: *; };\nX_2 { global: two; } X_1;\n' >"$work/map"
else
	printf '{ global: one; two; local: *; };\n' >"$work/map"
fi
# one stays without a version: bound by a plain export list, as in the real library.
build()
{
	# shellcheck disable=SC2086 # flags
	$CC -shared -fPIC -O1 -fvisibility=hidden -nostartfiles -Wl,-z,now -Wl,-z,relro ${2-} \
		-o "$work/lib.so" "$work/$1" ${3-} >"$work/cc.out" 2>&1 || {
		cat "$work/cc.out"
		echo "selftest: cannot build the library for $1"
		failed=1
	}
}
if [ "$(uname -m)" = x86_64 ]; then
	sed -i 's/local: \*;//' "$work/map"
fi
fresh
build good.c "-Wl,--version-script=$work/map"
for lint in exports.sh undefined.sh binary.sh; do
	expect 'a good library' 0 $lint
done

violation() # LINT WHAT CODE [FLAGS [LIBRARIES]]
{
	{
		cat "$work/good.c"
		echo "$3"
	} >"$work/bad.c"
	build bad.c "-Wl,--version-script=$work/map ${4-}" "${5-}"
	expect "$2" 1 "$1"
}
X='__attribute__((visibility("default")))'
violation exports.sh 'one export too many' "$X int extra(void) { return 1; }"
violation undefined.sh 'malloc' "void *malloc(size_t); $X void *three(void) { return malloc(1); }"
for name in memcpy memset strcmp strlen snprintf __memcpy_chk on_exit dladdr __sigsetjmp; do
	printf 'getauxval\n%s\n' $name >"$work/list"
	violation undefined.sh "$name, which a sanitizer replaces, although it is allowed" \
		"int $name(void *); $X int three(void *p) { return $name(p) + 1; }" -fno-builtin
done
printf 'getauxval\n' >"$work/list"
build good.c "-Wl,--version-script=$work/map"
for name in bcmp stpcpy __tls_get_addr; do
	printf 'getauxval\n%s\n' $name >"$work/list"
	expect "$name in the list" 1 undefined.sh
done
printf 'getauxval\n' >"$work/list"
violation binary.sh 'too much TLS' \
	"static __thread char big[512] __attribute__((tls_model(\"initial-exec\"))); $X char *three(void) { return big; }"
violation binary.sh 'dynamic TLS' "__thread int dyn; $X int *three(void) { return &dyn; }" \
	-ftls-model=global-dynamic
violation binary.sh 'another library' "double sin(double); $X double three(double x) { return sin(x); }" '' -lm
violation binary.sh 'an executable stack' '' '-Wl,-z,execstack'
violation binary.sh 'lazy binding' '' '-Wl,-z,lazy'
cp "$work/good.c" "$work/keep.c"
sed -i 's/int one(/int uno(/' "$work/good.c"
violation exports.sh 'a row that is not exported' ''
cp "$work/keep.c" "$work/good.c"
echo 'int two(void); '"$X"' int three(void) { return two(); }' >"$work/tail.c"
printf 'getauxval\ntwo\n' >"$work/list"
{
	grep -v -e two "$work/keep.c" | sed '/^#ifdef/d; /^#else/d; /^#endif/d'
	cat "$work/tail.c"
} >"$work/bad.c"
build bad.c
expect 'uses an intercepted name' 1 undefined.sh

rm -f "$work/lib.so"
for lint in exports.sh undefined.sh binary.sh; do
	expect 'no library' 77 $lint
done

[ $failed -eq 0 ] && echo "each lint accepts the correct tree and rejects each violation"
exit $failed
