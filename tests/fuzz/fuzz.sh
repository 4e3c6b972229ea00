#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# A short run of the fuzzer, where clang with libFuzzer is there.  FUZZ_SECONDS (default 10); FUZZ_CORPUS: a
# directory that keeps what was found interesting.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

command -v clang >/dev/null || {
	echo "clang is not installed"
	exit 77
}
echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n);
int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return p && n ? 0 : 0; }' >"$work/try.c"
clang -fsanitize=fuzzer,address,undefined -o "$work/try" "$work/try.c" 2>/dev/null || {
	echo "clang has no libFuzzer"
	exit 77
}

sources=
for source in "$top_srcdir"/decoder/*/*.c; do
	case $source in
	*/main.c | */options.c) ;;
	*) sources="$sources $source" ;;
	esac
done
# shellcheck disable=SC2086,SC2046
clang -std=gnu11 -D_GNU_SOURCE -g -O1 -fsanitize=fuzzer,address,undefined \
	-fno-sanitize-recover=undefined -I "$top_srcdir" -I "$top_builddir" \
	$(pkg-config --cflags smartcols 2>/dev/null) -o "$work/fuzz-dump" \
	"$top_srcdir/tests/fuzz/fuzz-dump.c" $sources -llz4 -lxxhash -lsmartcols -ldw -liberty -lm -lpthread || exit 1

corpus=${FUZZ_CORPUS:-$work/corpus}
mkdir -p "$corpus"
"$top_builddir/tests/bad-input/damage" make "$corpus/whole" || exit 99
seed=1
while [ $seed -le 20 ]; do
	"$top_builddir/tests/bad-input/damage" cut "$corpus/whole" "$corpus/cut-$seed" $seed >"$work/at" || exit 99
	seed=$((seed + 1))
done
cd "$work" || exit 99
timeout 120 ./fuzz-dump -max_total_time="${FUZZ_SECONDS:-10}" -max_len=600000 -rss_limit_mb=2048 \
	-timeout=20 -seed=1 -print_final_stats=1 "$corpus" >"$work/log" 2>&1
status=$?
tail -n 12 "$work/log"
if [ $status -ne 0 ]; then
	grep -vE '^syntrace-decode: ' "$work/log" | tail -n 60
	for found in crash-* oom-* timeout-*; do
		[ ! -f "$found" ] || cp "$found" "$top_builddir/tests/fuzz-$found"
	done
fi
[ $status -eq 0 ]
