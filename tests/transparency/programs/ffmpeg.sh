#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# ffmpeg with four threads: encoding and decoding of synthetic sources, bit by bit.
. "$(dirname "$0")/common.sh"
run()
{
	status $RECORD ffmpeg -nostdin -hide_banner -loglevel error "$@"
}
run -f lavfi -i testsrc2=size=320x240:rate=25:duration=2 -f lavfi -i sine=frequency=440:duration=2 -threads 4 \
	-c:v mpeg4 -c:a aac -flags +bitexact -fflags +bitexact -f matroska a.mkv
cksum <a.mkv
run -f lavfi -i testsrc=size=320x240:rate=25:duration=1 -threads 4 -c:v libx264 -preset veryfast -flags +bitexact \
	-fflags +bitexact -f matroska b.mkv
cksum <b.mkv
run -threads 4 -i a.mkv -map 0:v -vf scale=160:120,hue=h=60 -f framemd5 -
run -threads 4 -i b.mkv -map 0:v -f md5 -
run -i a.mkv -map 0:a -f md5 -
run -i nothing.mkv -f null - 2>&1
run -f lavfi -i testsrc=duration=1 -filter_complex '[0]split=3[a][b][c];[a]hflip[d];[b]vflip[e];[c][d][e]hstack=3' \
	-filter_threads 4 -filter_complex_threads 4 -f md5 -
mkfifo pipe
run -y -f lavfi -i testsrc=duration=1:size=64x64 -f rawvideo pipe &
cksum <pipe
wait $!
