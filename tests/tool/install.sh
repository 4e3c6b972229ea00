#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The files of `make install` work in their prefix, and after the prefix has been moved.
. "$(dirname "$0")/lib.sh"
tool_need_library

${MAKE:-make} -s -C "$top_builddir" install DESTDIR="$tool_work/stage" >out 2>err || {
	bad 'make install fails'
	tool_end
}
bin=$(dirname "$(find stage -name syntrace -perm -u+x -path '*/bin/*')")
prefix=${bin%/bin}
mv "$prefix" moved

status 0 moved/bin/syntrace record -o d true
has err '^syntrace: recorded 1 process image'
status 0 moved/bin/syntrace-decode stat d
has out 'pid [0-9]+'
library=$(find moved -name libsyntrace.so)
status 0 env LD_PRELOAD="$tool_work/$library" true
[ -f syntrace.data/trace ] || bad 'LD_PRELOAD alone leaves no trace'
for file in man/man1/syntrace.1 man/man5/syntrace-format.5 doc/syntrace/README.md \
	bash-completion/completions/syntrace; do
	[ -f "moved/share/$file" ] || bad "$file is not installed"
done
grep -rlF "$top_builddir/" moved/bin moved/share >out && bad 'installed files name the build tree'
tool_end
