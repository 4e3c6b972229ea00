#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# The trace directory: files of the user are never deleted, files of other users are never mapped, a renamed trace keeps
# its processes, and a small disk or limit leads to a small dump or to the true reason.
. "$(dirname "$0")/lib.sh"

program=$top_builddir/tests/robustness/directory
tool=$top_builddir/syntrace
umask 022
cd "$dir" || exit 99

# run NAME [VARIABLE=VALUE...]: the program runs as untraced, with a plain LD_PRELOAD, into NAME.
run()
{
	run_name=$1
	shift
	timeout -k 5 60 env SYNTRACE_DIR="$dir/$run_name" LD_PRELOAD="$lib" "$@" "$program" 100 >out 2>&1 ||
		fail "$run_name: exit status $?: $(head -n 3 out)"
	[ ! -s out ] || fail "$run_name: a plain run prints: $(head -n 3 out)"
}

# dumps DIRECTORY: how many dumps it holds; a file named like one is none.
dumps()
{
	for file in "$1"/*.dump; do
		[ "$(head -c 7 "$file" 2>/dev/null)" != SNTRACE ] || echo "$file"
	done | wc -l
}

# recorded DIRECTORY NUMBER
recorded()
{
	[ "$(dumps "$1")" = "$2" ] || fail "$1: $(dumps "$1") dumps instead of $2: $(ls -a "$1" 2>&1)"
}

id_of()
{
	od -An -tx1 -j 16 -N 16 "$1/trace" | tr -d ' \n'
}

# ---- 1: the content of DIR.old ----

# A finished trace is replaced, as always.
run a
run a
first=$(id_of a)
run a
recorded a 1
[ "$(id_of a.old)" = "$first" ] || fail "a.old is not the trace before"
[ ! -e a.old.1 ] || fail "a.old.1 without need"

# blocked WHAT: the kind of b.old keeps it in place; two runs later b holds the last trace and
# b.old.1 the previous trace.
blocked()
{
	run b
	run b
	blocked_id=$(id_of b)
	run b
	recorded b 1
	[ "$(id_of b.old.1)" = "$blocked_id" ] || fail "$1: b.old.1 is not the trace before: $(ls b.old.1)"
	"$decode" stat b 2>&1 | grep -q '^  note .*previous trace is .*b\.old\.1: .*b\.old is not .*not replaced' ||
		fail "$1: the dump does not tell where the trace before is"
	rm -rf b b.old.?
}

# kept WHAT FILE...: blocked, and the files are as they were.
kept()
{
	kept_what=$1
	shift
	cat "$@" >before 2>&1
	blocked "$kept_what"
	cat "$@" >after 2>&1
	cmp -s before after || fail "$kept_what: a file of the user is gone, or another one"
	rm -rf b.old
}

mkdir b.old && echo precious >b.old/db.dump
kept "a file with a dump's ending" b.old/db.dump
mkdir b.old && echo precious >b.old/trace && echo precious >b.old/peers
kept "files with the names of a trace's" b.old/trace b.old/peers
cp -r a.old b.old && echo precious >b.old/notes
kept "a trace with another file" b.old/trace b.old/*.dump b.old/notes
cp -r a.old b.old && echo precious >b.old/0007.7.dump
kept "a trace with a file named like a dump" b.old/trace b.old/*.dump
cp -r a.old b.old && cp a/*.dump b.old/0007.7.dump
kept "a trace with another trace's dump" b.old/trace b.old/*.dump
cp -r a.old b.old && echo precious >target && ln -s ../target b.old/0007.7.dump
kept "a trace with a symbolic link" b.old/trace b.old/*.dump target
echo precious >b.old
kept "a file" b.old
mkdir b.old
kept "an empty directory"
cp -r a.old b.old && chmod 777 b.old
kept "a trace that others may write to" b.old/trace b.old/*.dump

# A trace that is still recorded, renamed by the user.
: >live
start b live "$program" 100 "$dir/go"
within 20 grep -q ready live || fail "the program does not begin"
mv b b.old
before=$(id_of b.old)
blocked "a live trace"
[ "$(id_of b.old)" = "$before" ] && [ "$(dumps b.old)" = 1 ] || fail "a live trace was removed"
: >go
wait "$started" || fail "the program whose trace was renamed: exit status $?"
recorded b.old 7
check_trace b.old
rm -rf go b.old

# Once files that cannot be replaced take all names, no file is lost, and no event is recorded.
run c
for n in '' .1 .2 .3 .4 .5 .6 .7 .8 .9; do
	mkdir "c.old$n" && echo precious >"c.old$n/db.dump"
done
first=$(id_of c)
run c
[ "$(id_of c)" = "$first" ] || fail "ten taken names: another trace in c"
[ "$(cat c.old*/db.dump | wc -l)" = 10 ] || fail "ten taken names: a file is gone"

# ---- 2: files that other users may write to ----

mkdir d && chmod 777 d
run d
[ ! -e d/trace ] || fail "records into a directory that others may write to"
chmod 1777 d
run d
[ ! -e d/trace ] || fail "records into a sticky directory that others may write to"
SYNTRACE_DIR=$dir/d "$tool" doctor "$program" | grep -q 'directory .*other users may write to it' ||
	fail "doctor does not tell of a directory that others may write to"
chmod 755 d
cp a/trace d/trace && chmod 666 d/trace
run d
recorded d 0
chmod 600 d/trace && ln d/trace other-name
run d
recorded d 0
rm d/trace && ln -s ../other-name d/trace
run d
recorded d 0
rm d/trace && mkfifo d/trace
run d
recorded d 0
rm d/trace
run d
recorded d 1

# planted MODE: another user's shared file in the directory; that user cuts the file off while the program runs.
planted()
{
	rm -rf d go
	mkdir d && chmod 755 "$dir" && chmod "$1" d
	cp a/trace d/trace && chown 65534 d/trace && chmod 666 d/trace
	# as if no process had joined yet: else the trace would only be moved aside
	dd if=/dev/zero of=d/trace bs=1 seek=56 count=4 conv=notrunc 2>/dev/null
	: >planted
	start d planted "$program" 100 "$dir/go"
	within 20 grep -q ready planted || fail "the program does not begin"
	setpriv --reuid=65534 --clear-groups sh -c ': >d/trace' || fail "the other user cannot cut the file off"
	sleep 0.2
	: >go
	wait "$started" || fail "mode $1: another user ends the program: exit status $?"
	[ "$(cat planted)" = ready ] || fail "mode $1: a plain run prints: $(head -n 3 planted)"
	recorded d 0
	rm -f go
}
if [ "$(id -u)" != 0 ]; then
	echo "note: not root: another user's files are not tried"
elif ! setpriv --reuid=65534 --clear-groups true 2>/dev/null; then
	echo "note: setpriv cannot change the user here: another user's files are not tried"
else
	planted 777
	planted 1777
	planted 755
	timeout 60 "$tool" pause d >out 2>&1
	[ $? = 4 ] || fail "pause takes another user's shared file"
	grep -q 'other users may write to the trace in d' out || fail "pause does not say why: $(cat out)"
	mkdir -p e && chmod 777 e && setpriv --reuid=65534 --clear-groups sh -c ': >e/0000.1.dump'
	timeout 60 "$tool" record -o e "$program" 100 >out 2>&1
	[ $? = 125 ] || fail "the launcher takes a directory that others may write to"
	grep -q 'other users may write to e' out || fail "the launcher does not say why: $(cat out)"
fi

# ---- 3: a renamed trace ----

# renamed COMMAND...: its trace, into f, is renamed while it runs, and another one made under the old name.
renamed()
{
	rm -rf f f.* go
	: >renamed
	env SYNTRACE_DIR="$dir/f" "$@" "$program" 100 "$dir/go" >renamed 2>&1 &
	renamed_pid=$!
	remember
	within 20 grep -q ready renamed || fail "the program does not begin"
	mv f f.renamed
	run f
	new=$(id_of f)
	: >go
	wait "$renamed_pid" || fail "the program whose trace was renamed: exit status $?: $(cat renamed)"
	recorded f 1
	recorded f.renamed 7
	[ "$(id_of f)" = "$new" ] || fail "the new trace is another one"
	check_trace f
	check_trace f.renamed
}
renamed LD_PRELOAD="$lib"
mkdir own && head -c 4096 /dev/zero >own/trace
renamed MAPPED="$dir/own/trace" LD_PRELOAD="$lib"
renamed "$tool" record -q -o f

# The same, but the new trace is gone again: there is no directory with the old name.
rm -rf f f.* go
: >renamed # the words of the run before
start f renamed "$program" 100 "$dir/go"
within 20 grep -q ready renamed || fail "the program does not begin"
mv f f.renamed
: >go
wait "$started" || fail "the program whose trace was renamed: exit status $?"
[ ! -e f ] || fail "a child makes a new trace under the old name"
recorded f.renamed 7

# A session that means another trace, and no parent that knows better.
SYNTRACE_ID=$(id_of f.renamed) SYNTRACE_SESSION=$dir/a
before=$(dumps a)
timeout 60 env SYNTRACE_ID="$SYNTRACE_ID" SYNTRACE_SESSION="$SYNTRACE_SESSION" LD_PRELOAD="$lib" "$program" 100 ||
	fail "another trace's session: exit status $?"
unset SYNTRACE_ID SYNTRACE_SESSION
recorded a "$before"

timeout 60 "$decode" check a f.renamed >out 2>&1 || fail "check of two traces: exit status $?: $(tail -n 3 out)"
# check names a dump that belongs to another trace.
cp a/*.dump f.renamed/0099.1.dump
timeout 60 "$decode" check f.renamed >out 2>&1
[ $? = 1 ] || fail "check: exit status with another trace's dump"
grep -q "0099\.1\.dump.*$(id_of a).*$(id_of f.renamed)" out || fail "check does not name the dump and both traces"
timeout 60 "$decode" check --format=jsonl f.renamed 2>&1 | grep -q "0099\.1\.dump.*$(id_of a)" ||
	fail "check --format=jsonl does not name the dump"

# ---- 4: little room ----

rm -rf g
run g SYNTRACE_MAX_SIZE=1M
recorded g 1
"$decode" stat g | grep -q '^  note .*limited to 1024 KiB: the value of --max-size' || fail "1M: the dump does not say why it is small"
decoded g --fail-on-loss
counted pthread_mutex_lock 200
rm -rf g
timeout 60 "$tool" record -q --max-size=1M -o g "$program" 100 2>out || fail "record --max-size=1M: exit status $?"
recorded g 1
timeout 60 "$tool" record -q --max-size=100K -o g "$program" 100 2>out
grep -q 'max-size takes a size of at least 512K' out || fail "record --max-size=100K: $(cat out)"
SYNTRACE_MAX_SIZE=100K "$tool" doctor "$program" | grep -q 'room .*SYNTRACE_MAX_SIZE is 100K.*512K' ||
	fail "doctor does not tell of a size that is too small"
run h SYNTRACE_MAX_SIZE=100K
recorded h 0

mkdir small
if mount -t tmpfs -o size=12m tmpfs small 2>/dev/null; then
	run small/plain
	recorded small/plain 1
	"$decode" stat small/plain | grep -q '^  note .*limited to [0-9]* KiB: half of the free space' ||
		fail "12 MiB: the dump does not say why it is small"
	timeout 60 "$tool" record -q -o small/tool "$program" 100 2>out || fail "12 MiB: exit status $?"
	recorded small/tool 1
	umount small
	mount -t tmpfs -o size=900k tmpfs small
	timeout 60 "$tool" record -q -o small/tool "$program" 100 2>out || fail "900 KiB: exit status $?"
	recorded small/tool 0
	grep -q 'needs at least 512 KiB, but may use only [0-9]* KiB: half of the free space' out ||
		fail "900 KiB: not the true reason: $(cat out)"
	umount small
	# a full file system: it has space neither for the shared file nor for its pages
	mount -t tmpfs -o size=64k tmpfs small
	for n in 4 8 12 16 20 40 60; do
		rm -rf small/*
		head -c "$((n * 1024))" /dev/zero >small/filler
		run small/trace
	done
	umount small
else
	echo "note: cannot mount a file system: small disks are not tried"
fi
finish
