#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Programs that close all fds, or put other files on their numbers: there was none of ours, the numbers come as
# they do untraced, and recording goes on.
. "$(dirname "$0")/lib.sh"

for what in loop from range unshare dup openssh daemon; do
	alike $what "$top_builddir/tests/robustness/closing" $what 5000 && {
		decoded $what --fail-on-loss
		# the thread with file descriptors of its own records 5000 more
		counted pthread_mutex_lock 10000 15000
		counted pthread_join 1 2
	}
done
finish
