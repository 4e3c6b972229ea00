#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Shells, pipelines, job control and a terminal: bash, dash, tmux, rsync, perl with threads, sqlite3.
. "$(dirname "$0")/common.sh"
cat >script <<'SCRIPT'
trap 'echo trapped' USR1; trap 'echo exit trap' EXIT
echo start; kill -USR1 $$
seq 1000 | sort -R | sort -n | tail -n 1
coproc { read -r x; echo "coproc $x"; }; echo hello >&"${COPROC[1]}"; read -r y <&"${COPROC[0]}"; echo "$y"; wait
(exit 7); echo $?; cat <(echo substituted)
exec 5>&1; echo to five >&5; ulimit -n; ulimit -s; umask
find /proc/self/fd -mindepth 1 -printf '%f\n' | wc -l
no-such-command; echo $?; /etc; echo $?
yes | head -n 2; echo "${PIPESTATUS[@]}"
timeout 0.2 sleep 5; echo $?
printf '%s\n' {1..20} | xargs -P 4 -n 1 sh -c 'exit $(($0 == 13))'; echo $?
read -t 0.1 z < <(sleep 1); echo $(($? > 128))
exec 3<>/dev/null; flock -n 3 echo locked
env | grep -vE '^(LD_PRELOAD|SYNTRACE|LAUNCHER|RECORD|_=|PWD|OLDPWD|TMPDIR|HOME)' | sort
sleep 100 & sleep 0.3; kill -STOP $!; kill -CONT $!; kill $!; wait $! 2>/dev/null; echo $?
SCRIPT
status $RECORD bash script 2>&1 | sed "s,$PWD,HERE,g"
status $RECORD dash -c 'echo $((6 * 7)); (sleep 0.1; exit 3) & wait $!; echo $?; exec no-such' 2>&1
status $RECORD bash -c 'kill -SEGV $$'
status $RECORD env -i sh -c env
status $RECORD setsid -w sh -c 'echo detached'
if command -v tmux >/dev/null; then
	tmux()
	{
		TERM=xterm command $RECORD tmux -S "$PWD/socket" -f /dev/null "$@"
	}
	tmux new-session -d -x 80 -y 24 'PS1=% exec sh'
	until_ok sh -c "tmux -S '$PWD/socket' capture-pane -p | grep -q %"
	tmux send-keys 'echo typed $((6 * 7)); tput cols' Enter
	until_ok sh -c "tmux -S '$PWD/socket' capture-pane -p | grep -q '^80'"
	tmux capture-pane -p | grep -E '^(typed|80)'
	tmux kill-server
fi
if command -v rsync >/dev/null; then
	mkdir -p from/a/b
	seq 10000 >from/a/b/f
	seq 100 >from/g
	ln -s g from/h
	status $RECORD rsync -a --stats from/ to/ | grep -E 'Number of|Total file size|exit'
	echo more >>from/g
	status $RECORD rsync -ai --checksum from/ to/ | sed 's/t\./../'
	diff -r from to && echo same
fi
status $RECORD perl -Mthreads -Mthreads::shared -e 'my $n :shared = 0;
	$_->join for map { threads->create(sub { for (1 .. 200) { lock $n; $n++ } }) } 1 .. 5; print "$n\n"'
status $RECORD perl -e '$SIG{ALRM} = sub { die "alarm\n" }; eval { alarm 1; select undef, undef, undef, 30 }; print $@;
	$| = 1; my $p = fork // die; exit 3 if !$p; waitpid $p, 0; print $? >> 8, "\n"; open my $h, "-|", "echo piped"; print <$h>; kill 15, $$'
if command -v sqlite3 >/dev/null; then
	sqlite3 db 'create table t(x)'
	for i in 1 2 3 4; do
		$RECORD sqlite3 -cmd '.timeout 30000' db "insert into t select value from json_each('[1,2,3]');" &
	done
	wait
	status $RECORD sqlite3 db 'select count(*), sum(x) from t; pragma integrity_check'
fi
