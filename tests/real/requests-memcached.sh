#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# memcached: the client knows the bytes of each request.
. "$(dirname "$0")/stack.sh"
need memcached

port=$(free_port)
serve memcached TERM memcached -u "$user" -l 127.0.0.1 -p "$port" -U 0 -t 2
answers memcached listening "$port"
load_stack memcached "${LOAD:-4000}" 6
judge_stack memcached --images 1 --edges ready=1
finish
