#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Apache serves checkouts of a Subversion repository, with the worker MPM and with the event MPM: the experiment of
# the Scalpel paper, figure 2 (doc/models.md). The client is not traced.
. "$(dirname "$0")/load.sh"
need apache2 svn svnadmin python3
modules=/usr/lib/apache2/modules
[ -f $modules/mod_dav_svn.so ] || skip "libapache2-mod-svn is not installed"

# Apache gives up the rights of root: its user must reach the repository, and must write the trace.
chmod 755 "$dir"
user=$(id -un)
[ "$user" = root ] && user=www-data
svnadmin create "$dir/repository"
mkdir "$dir/tree"
for file in 1 2 3 4 5; do
	seq "$file" 400 >"$dir/tree/file$file"
done
svn import -q -m "five files" "$dir/tree" "file://$dir/repository"
[ "$user" = "$(id -un)" ] || chown -R "$user" "$dir/repository"

# configure MPM THREADS: $dir/MPM.conf, for one process with this number of threads that serve.
configure()
{
	cat >"$dir/$1.conf" <<-END
		ServerRoot $dir
		ServerName 127.0.0.1
		Listen 127.0.0.1:$port
		User $user
		Group $(id -gn "$user")
		PidFile $dir/pid
		ErrorLog $dir/error.log
		DefaultRuntimeDir $dir
		LoadModule mpm_$1_module $modules/mod_mpm_$1.so
		LoadModule authz_core_module $modules/mod_authz_core.so
		LoadModule dav_module $modules/mod_dav.so
		LoadModule dav_svn_module $modules/mod_dav_svn.so
		StartServers 1
		ServerLimit 1
		ThreadLimit $2
		ThreadsPerChild $2
		MaxRequestWorkers $2
		MinSpareThreads 1
		MaxSpareThreads $2
		KeepAlive On
		KeepAliveTimeout 100ms
		<Location /svn>
			DAV svn
			SVNPath $dir/repository
			Require all granted
		</Location>
	END
}

# checkouts CLIENTS NUMBER: so many clients check out the repository at the same time, each NUMBER times.
checkouts()
{
	checkout_pids=
	for client in $(seq "$1"); do
		for number in $(seq "$2"); do
			svn checkout -q --non-interactive --config-dir "$dir/config-$client" "http://127.0.0.1:$port/svn" "$dir/copy-$client" ||
				exit 1
			rm -rf "$dir/copy-$client"
		done &
		checkout_pids="$checkout_pids $!"
	done
	for pid in $checkout_pids; do
		wait "$pid" || fail "a checkout failed"
	done
}

# serve NAME MPM THREADS CLIENTS NUMBER: the trace $dir/NAME of the checkouts.
serve()
{
	port=$(free_port)
	configure "$2" "$3"
	apache2 -t -f "$dir/$2.conf" >"$dir/log" 2>&1 || skip "apache2 refuses the configuration: $(cat "$dir/log")"
	start "$1" server.log apache2 -f "$dir/$2.conf" -D FOREGROUND
	within 20 listening "$port" || {
		cat "$dir/server.log" "$dir/error.log"
		fail "apache2 does not listen"
		finish
	}
	checkouts "$4" "$5"
	kill -TERM "$started"
	wait "$started"
	served=$?
	[ $served = 0 ] || fail "$1: apache2 ended with $served on SIGTERM"
}

# compare NAME [--pool]: the nodes of figure 2 in the model of $dir/NAME
compare()
{
	compare_trace=$1
	shift
	echo "== $compare_trace"
	timeout -k 5 "$patience" "$decode" model --format=jsonl --instances "$dir/$compare_trace" >"$dir/model" &&
		timeout -k 5 "$patience" "$decode" events --format=jsonl "$dir/$compare_trace" >"$dir/events" ||
		fail "$compare_trace: the decoder fails"
	python3 "$top_srcdir/tests/real/apache.py" "$dir/model" "$dir/events" "$@" || fail "$compare_trace: see above"
}

for mpm in worker event; do
	serve $mpm $mpm 4 1 "$(load 10 100)"
	judge $mpm --images 2 --edges create=5 --edges mutex=100
	compare $mpm
done

# Only a listener that finds no idle thread waits for one; otherwise it takes one from a list by atomic operations, which
# syntrace does not record. More clients than threads make it wait.
serve pool worker 2 4 "$(load 2 20)"
compare pool --pool
finish
