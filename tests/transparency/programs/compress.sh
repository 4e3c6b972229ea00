#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Compressors with threads: xz, pigz, zstd: the bytes that come out, and back; tar and sort.
. "$(dirname "$0")/common.sh"
seq 300000 | tr 0-9 a-j >words
for how in 'xz -T4 --block-size=500000' 'pigz -p 4 -n' 'zstd -q -T4 -B200000' 'xz -T4 -0 --memlimit=200MiB'; do
	command -v "${how%% *}" >/dev/null || continue
	$RECORD $how -c words >packed
	echo "exit status $? of $how"
	cksum <packed
	status $RECORD ${how%% *} -d -c <packed | cksum
	status $RECORD ${how%% *} -t <packed
	head -c 100000 packed | status $RECORD ${how%% *} -d -c 2>&1 >/dev/null | sed 's/^.*: //'
done
$RECORD xz -T4 -9e -k words &
until_ok test -e words.xz
kill -TERM $!
ended xz $!
ls
status $RECORD tar -c --mtime=@0 --sort=name --owner=0 --group=0 --mode=644 -I 'xz -T2' -f a.tar.xz words
status $RECORD tar -xJOf a.tar.xz | cksum
status $RECORD sort --parallel=4 -S 2M -r words | cksum
