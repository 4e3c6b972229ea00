#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# link.sh LIBTOOL [OPTION...] --mode=MODE COMMAND...: runs libtool, which starts some 50 processes to link a program.  A
# program without libtool's libraries needs none of them: here the compiler links it.
is_link=
for word; do
	case $word in
	--mode=link) is_link=1 ;;
	*.la | *.lo | -rpath | -module | -static | -all-static | -dlopen | -dlpreopen | -export-*) exec "$@" ;;
	esac
done
[ -n "$is_link" ] || exec "$@"
while [ "$1" != --mode=link ]; do
	shift
done
shift
exec "$@"
