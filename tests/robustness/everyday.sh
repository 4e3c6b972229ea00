#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# Everyday programs write the same bytes and end in the same way with and without the recorder;
# commands that are not installed are named and left out. Then the traces that a tracer leaves: open
# file descriptors, threads, the environment, and system calls. 200,000 recorded events (a million in the long form) may
# add only a few system calls, which make space.
. "$(dirname "$0")/../lib.sh"

nr_same=0
cd "$dir" || exit 99
mkdir plain trace
seq 200000 | tr 0-9 a-j >words

# same CMD...: in two directories of the same content.
same()
{
	command -v "$1" >/dev/null || {
		echo "left out: $1 is not installed"
		return
	}
	for same_how in plain traced; do
		rm -rf work
		mkdir work
		same_preload=
		[ $same_how = plain ] || same_preload=$lib
		(
			cd work || exit 9
			exec timeout -k 5 60 env ${same_preload:+LD_PRELOAD="$same_preload"} \
				${same_preload:+SYNTRACE_DIR="$dir/trace/t"} "$@"
		) >out.$same_how 2>err.$same_how </dev/null
		echo "exit status $?" >>out.$same_how
	done
	cmp -s out.plain out.traced || {
		fail "another output: $*"
		diff out.plain out.traced | head -n 5
	}
	cmp -s err.plain err.traced || {
		fail "other messages: $*"
		diff err.plain err.traced | head -n 5
	}
	rm -rf trace/t trace/t.old
	nr_same=$((nr_same + 1))
}

script=$dir/script.sh
cat >script.sh <<'END'
trap 'echo trapped' USR1
echo start; kill -USR1 $$
seq 1000 | sort -R | sort -n | tail -n 1
x=$(printf '%s' a b c | rev); echo "$x"
(exit 7); echo $?
# the shell may or may not say that the job was terminated
(sleep 5 & kill -TERM $!; wait $!; echo $?) 2>/dev/null
cat <(echo substituted) 2>/dev/null
exec 5>&1 6<&0; echo to five >&5
ls /proc/self/fd | wc -l
no-such-command
kill -9 $$
END
cat >git.sh <<'END'
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export GIT_AUTHOR_DATE='2000-01-01T00:00:00Z' GIT_COMMITTER_DATE='2000-01-01T00:00:00Z' GIT_CONFIG_NOSYSTEM=1 HOME=$PWD
git init -q -b main . && for i in 1 2 3; do seq $i 1000 >f$i; git add f$i; git commit -qm "commit $i"; done
git log --stat; git grep -n 77 | head -n 50; git gc -q; git fsck; git rev-parse HEAD; git show nothing
END
cat >threads.py <<'END'
import concurrent.futures, subprocess, sys, os, sqlite3, hashlib, asyncio, time
def tasks():  # a thread that was joined leaves /proc a little later
    for _ in range(500):
        if len(os.listdir("/proc/self/task")) == 1:
            break
        time.sleep(0.01)
    return len(os.listdir("/proc/self/task"))
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(lambda n: int(hashlib.sha256(b"x" * n).hexdigest()[:4], 16), range(2000))))
print(subprocess.run(["sort", "-r"], input=b"a\nb\nc\n", capture_output=True))
print(subprocess.run("exit 3", shell=True).returncode, sorted(os.listdir("/proc/self/fd")), tasks())
async def main():
    p = await asyncio.create_subprocess_exec("echo", "asynchronous", stdout=asyncio.subprocess.PIPE)
    print(await p.communicate())
    await asyncio.gather(*[asyncio.sleep(0.01) for _ in range(100)])
asyncio.run(main())
d = sqlite3.connect(":memory:"); print(d.execute("select sum(value) from generate_series(1, 10)") if False else d.execute("select 6 * 7").fetchall())
print({k: v for k, v in os.environ.items() if "SYNTRACE" in k or k == "LD_PRELOAD"}); sys.stdout.flush()
os.abort() if len(sys.argv) > 1 else sys.exit(5)
END
cat >threads.js <<'END'
const {Worker, isMainThread, parentPort} = require('worker_threads');
if (isMainThread) {
  // one after the other: their order among each other is anybody's
  require('fs').readFile(__filename, (e, d) => {
    console.log(d.length);
    require('child_process').execFile('echo', ['child'], (e, out) => {
      console.log(e, out);
      const w = new Worker(__filename);
      w.on('message', m => { console.log('from worker', m); process.exitCode = 4; });
    });
  });
} else {
  setTimeout(() => parentPort.postMessage([1, 2, 3].map(x => x * 2)), 300);
}
END

same true
same false
same cat ../words
same sort --parallel=2 -S 1M ../words
same xz -T2 -k -c --block-size=100000 ../words
same gzip -c ../words
same tar -cf - -C .. --mtime=@0 words
same find /etc -maxdepth 1 -name 'p*'
same bash "$script"
same sh "$script"
same dash -c 'echo $((6 * 7)); exec no-such-command'
same bash ../git.sh
same perl -e 'my $p = fork // die; if (!$p) { print "child\n"; exit 3 } waitpid $p, 0; print $? >> 8, "\n"; kill 15, $$'
same perl -Mthreads -e 'print join(",", map { $_->join } map { my $n = $_; threads->create(sub { $n * $n }) } 1 .. 8), "\n"'
same /usr/bin/python3 ../threads.py
same /usr/bin/python3 ../threads.py abort
same /usr/bin/python3 -c 'import os; os.write(1, b"x"); os._exit(6)'
same node ../threads.js
same node -e 'process.kill(process.pid, "SIGTERM"); setTimeout(() => 0, 9000)'
same java -version
same redis-server --version
same redis-cli --help
same openssl speed -elapsed -seconds 0 -bytes 16 none
same openssl rand -hex 0
same jq -n '[range(1000)] | add'
same env -i sh -c 'env; ulimit -a'
same env
same env -i env
same bash -c env
same bash -c 'export A=b; env; env -i C=d bash -c env; (unset PATH; /usr/bin/env); LD_PRELOAD= env'
same perl -e 'print map { "$_=$ENV{$_}\n" } sort keys %ENV; print `env`; system "env"; $ENV{X} = 1; system "env"; exec "env"'
same /usr/bin/python3 -c 'import os, subprocess; print(os.environ, flush=True); os.environ["X"] = "1"
os.system("env"); print(os.popen("env").read(), flush=True); subprocess.run(["env"]); subprocess.run(["env"], env={})
os.posix_spawn("/usr/bin/env", ["env"], {"A": "b"}); os.wait(); os.execve("/usr/bin/env", ["env"], {})'
same sh -c 'ldd /bin/true | sed "s/ (0x.*//"; LD_TRACE_LOADED_OBJECTS=1 /bin/true | wc -l'
same setsid sh -c 'echo detached'
same nice -n 5 sh -c 'nice'
same timeout 0.2 sleep 5
echo "$nr_same commands do the same"

# System calls for many events, compared with those for two thousand. The recorder reads the
# CPU time of a thread after 100 us of silence and every 5 ms: those readings follow the time that
# the run takes, so they are compared with it and not with the events.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	churn=$top_builddir/tests/robustness/churn
	pairs=101000
	[ -z "${SYNTRACE_TEST_LONG:-}" ] || pairs=501000
	most=$((pairs / 500)) # new calls for all events
	for nr in 1000 $pairs; do
		rm -rf trace/t
		began=$(date +%s%N)
		strace -f -qq -o calls.$nr -E SYNTRACE_DIR="$dir/trace/t" -E LD_PRELOAD="$lib" "$churn" pairs $nr
		milliseconds=$((($(date +%s%N) - began) / 1000000))
	done
	readings=$(grep -c clock_gettime calls.$pairs)
	few=$(wc -l <calls.1000)
	many=$(wc -l <calls.$pairs)
	echo "system calls: $few with 2000 events, $many with $((2 * pairs)); the others are"
	for nr in 1000 $pairs; do
		sed 's/^\([0-9]* *\)\([a-z_0-9]*\)(.*/\2/' calls.$nr | sort | uniq -c | awk '{ print $2, $1 }' >names.$nr
	done
	join -a 2 -o 0,1.2,2.2 -e 0 names.1000 names.$pairs | awk '$3 > $2 { print "    " $3 - $2, $1 }'
	[ "$few" -gt 0 ] || fail "strace saw no system call"
	[ $((many - few - readings)) -lt $most ] ||
		fail "$((many - few - readings)) system calls for $((2 * pairs)) events, without the readings of the CPU time"
	[ "$readings" -lt $((milliseconds + 1000)) ] || fail "$readings readings of the CPU time in $milliseconds ms"
else
	echo "note: no strace; system calls are not counted"
fi
finish
