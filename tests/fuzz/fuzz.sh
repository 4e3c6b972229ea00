#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Fuzzing of the block reader, the record readers, the whole decoder and the readers of text files (fuzz-block.c,
# fuzz-record.c, fuzz-decoder.c, fuzz-rules.c, fuzz-expect.c, fuzz-workload.c). Always: runs the inputs kept in corpus/, with
# any compiler; make check-asan runs them with sanitizers. In make check-long, or when FUZZ_SECONDS is set: runs each
# target for this many seconds (60) under ASan and UBSan, if clang with libFuzzer is there, with
# little memory. An input that makes one allocation of 256 MiB, or 512 MiB in all, or takes 20
# seconds, is a finding like a crash. FUZZ_CORPUS: a directory that keeps interesting inputs, a
# folder for each target.
targets="block record decoder rules expect workload"
corpus=$top_srcdir/tests/fuzz/corpus
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

for target in $targets; do
	FUZZ_ALL=1 "$top_builddir/tests/fuzz/replay-$target" "$corpus/$target" >"$work/out" 2>"$work/err" || {
		echo "FAIL: replay-$target ended with $?"
		grep -vE '^syntrace-decode: ' "$work/err" | tail -n 40
		exit 1
	}
	echo "$target: $(cat "$work/out")"
done
[ -n "${SYNTRACE_TEST_LONG:-}${FUZZ_SECONDS:-}" ] || exit 0

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

# Values in comparisons are not traced: mutations know the format, and the tracing costs half of the
# speed.
flags="-std=gnu11 -D_GNU_SOURCE -g -O2 -fsanitize=address,undefined -fno-sanitize-recover=undefined
	-fno-omit-frame-pointer -I $top_srcdir -I $top_builddir -DSYT_SYSCONFDIR=\"/nowhere\""
libs="-llz4 -lxxhash -lprotobuf-c -lz -lsqlite3 -ldw -lelf -linih -liberty -lm -lpthread"
mkdir "$work/objects"
# Reports have files of the same name, so a link and its object are named by the whole path.
for file in "$top_srcdir/tests/fuzz/recipe.c" "$top_srcdir/tests/fuzz/mutate.c" \
	$(find "$top_srcdir/base" "$top_srcdir/decoder" "$top_srcdir/settings" "$top_builddir/decoder" -name '*.c' ! -name main.c | sort -u); do
	ln -s "$file" "$work/objects/$(echo "$file" | tr / _)"
done
# shellcheck disable=SC2086
(cd "$work/objects" && printf '%s\n' ./*.c |
	xargs -P "$(nproc)" -n 16 clang $flags -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp -c) || exit 1
for target in $targets; do
	# shellcheck disable=SC2086
	clang $flags -fsanitize=fuzzer -fno-sanitize-coverage=trace-cmp -o "$work/fuzz-$target" \
		"$top_srcdir/tests/fuzz/fuzz-$target.c" "$work"/objects/*.o $libs || exit 1
done

seconds=${FUZZ_SECONDS:-60}
# a small quarantine: freed memory must count as free, not as used
ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=8
export ASAN_OPTIONS
failures=0
cd "$work" || exit 99
for target in $targets; do
	mine=${FUZZ_CORPUS:-$work/corpus}/$target
	mkdir -p "$mine"
	timeout $((seconds + 300)) ./fuzz-"$target" -max_total_time="$seconds" -max_len=16384 -entropic=0 \
		-rss_limit_mb=512 -malloc_limit_mb=256 -timeout=20 -close_fd_mask=3 -print_final_stats=1 \
		-artifact_prefix="$target-" "$mine" "$corpus/$target" >"log" 2>&1
	status=$?
	echo "$target: $(grep -o 'cov: .* corp: [^ ]*' log | tail -n 1), $(grep -o 'Done .*' log)"
	[ $status -eq 0 ] && continue
	failures=$((failures + 1))
	echo "FAIL: fuzz-$target ended with $status"
	grep -vE '^#[0-9]+|NEW_FUNC' log | tail -n 60
	for found in "$target"-crash-* "$target"-oom-* "$target"-timeout-* "$target"-leak-*; do
		[ ! -f "$found" ] || cp "$found" "$top_builddir/tests/fuzz/"
	done
done
[ $failures -eq 0 ]
