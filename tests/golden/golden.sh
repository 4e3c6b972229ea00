#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Dumps of earlier releases stay readable: tests/golden/VERSION/NAME.tar.xz is a trace that VERSION
# recorded; its decoded text is beside it. The dumps are never made anew; the texts are when fields
# are added to the JSON lines: tests/golden/golden.sh --update. For a long text there is only a checksum, in NAME.VERB.cksum.
set -u
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$top_srcdir/build}"
decode=$top_builddir/syntrace-decode
[ -x "$decode" ] || { echo "skipped: no $decode"; exit 77; }
command -v xz >/dev/null || { echo "skipped: no xz"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0

for archive in "$top_srcdir"/tests/golden/*/*.tar.xz; do
	rm -rf "$work"/*
	tar -xJf "$archive" -C "$work" || exit 99
	for verb in events edges; do
		expected=${archive%.tar.xz}.$verb.jsonl
		options=
		[ $verb = events ] && options=--no-stacks
		"$decode" $verb --format=jsonl $options "$work"/*.data >"$work/$verb" 2>"$work/errors"
		rv=$?
		if [ -f "${expected%jsonl}cksum" ]; then
			expected=${expected%jsonl}cksum
			cksum <"$work/$verb" >"$work/sum" && mv "$work/sum" "$work/$verb"
		fi
		if [ "${1-}" = --update ]; then
			cp "$work/$verb" "$expected"
		elif [ $rv -ne 0 ] || ! cmp -s "$work/$verb" "$expected"; then
			echo "${archive#"$top_srcdir"/}: $verb: exit status $rv; expected and decoded:"
			cat "$work/errors"
			diff "$expected" "$work/$verb" | head -20
			failed=1
		fi
	done
	"$decode" edges --verify "$work"/*.data || failed=1
	"$decode" check "$work"/*.data >"$work/check" || {
		sed -n '/^VIOLATED/,$p' "$work/check"
		failed=1
	}
done
exit $failed
