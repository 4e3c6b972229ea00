#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# doctor before the run and the trace after it report the same blind spots. One program of each
# kind, run alone by `syntrace record` and as the child of a recorded shell: it behaves as untraced.
. "$(dirname "$0")/lib.sh"
tool_need_library
[ -z "${SYNTRACE_SANITIZED-}" ] || { echo "skipped: whole programs are not traced in a sanitizer build"; exit 77; }
decode=$top_builddir/syntrace-decode
rows=0

# agree PROGRAM FINDING COVERAGE: doctor finds FINDING, the trace's coverage line says COVERAGE, of the program that
# a shell ran.  An empty FINDING or COVERAGE: it finds, or says, no blind spot.
agree()
{
	agree_program=$1 agree_finding=$2 agree_coverage=$3
	rows=$((rows + 1))
	"$tool" doctor "$1" >out 2>err
	if [ -n "$2" ]; then
		has out "^  $2 "
	fi
	if [ -z "$3" ]; then
		has out ': visible$'
	fi
	"$1" >out.plain 2>err.plain
	agree_status=$?
	rm -rf t t.old
	status $agree_status "$tool" record -q -o t sh -c "$1; exit \$?"
	cmp -s out out.plain && cmp -s err err.plain || bad "$1 writes something else when a traced shell runs it"
	"$decode" stat t >lines 2>err || bad "$1: $(cat err)"
	unwrap <lines >stat
	if [ -n "$3" ]; then has stat "^Blind spots [^:]*: $3"; else hasnt stat 'Blind spots'; fi
	[ -n "$3" ] || grep -q "^  command .*$1" stat || bad "$1 is not in the trace"
}

# The same for a program that is not seen at all; run alone, the tool reports this before.
blind()
{
	agree "$1" "$2" "$3"
	rm -rf t
	status $agree_status "$tool" record -q -o t "$1"
	cmp -s out out.plain || bad "$1 writes something else when it is recorded"
	has err "^syntrace: nothing will be recorded of $1, or of the programs that it starts:$"
	[ ! -e t ] || bad "$1 leaves a trace"
}

left_out()
{
	echo "left out: $*"
}

cat >p.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
extern char **environ;
static pthread_mutex_t m;
int main(void)
{
	char **e = environ;
	pthread_mutex_lock(&m);
	while (*e)
		puts(*e++);
	fputs("on stderr\n", stderr);
	return 7 + pthread_mutex_unlock(&m);
}
END
$CC -o dynamic p.c || exit 99
agree ./dynamic '' ''

# Bytes written inside of libc: how many, where to, and by which thread.
cat >pipe.c <<'END'
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char text[16];
	ssize_t bytes, all = 0;
	if (argc > 1)
		return puts("hello") < 0;
	while ((bytes = read(0, text, sizeof(text))) > 0)
		all += bytes;
	return (int)all;
}
END
$CC -o pipe pipe.c || exit 99
status 6 "$tool" record -q -o t sh -c './pipe write | ./pipe'
"$decode" stat t | unwrap >stat
has stat '^ +6 received bytes with an unknown sender: the data was written by calls that are not recorded'
has stat "^Blind spots [^:]*: 1 receive of data from calls that are not recorded, such as stdio's \\(6 bytes, most on pipe:0x[0-9a-f]+#0 $PWD/pipe\\)\\.\$"
"$decode" stat --format=jsonl t >stat
has stat '"blind":\[\{"what":"unseen","count":1,"bytes":6,"examples":\["pipe:0x[0-9a-f]*#0 '
rm -rf t

if $CC -static -o static p.c 2>/dev/null; then
	blind ./static static '1 static program \(./static\)'
else
	left_out "static: no static libc"
fi
if $CC -static-pie -fPIE -o static-pie p.c 2>/dev/null; then
	blind ./static-pie static-pie '1 static program \(./static-pie\)'
else
	left_out "static-pie: no static libc"
fi
# No interpreter, no libc: as the Go linker makes them.
cat >bare.c <<'END'
void _start(void)
{
#if defined(__x86_64__)
	__asm__ volatile("mov $7, %edi; mov $231, %eax; syscall");
#else
	__asm__ volatile("mov x0, 7; mov x8, 94; svc 0");
#endif
}
END
$CC -static -nostdlib -o bare bare.c && blind ./bare static '1 static program \(./bare\)'
if command -v go >/dev/null; then
	printf 'package main\nimport ("fmt"; "os")\nfunc main() { fmt.Println(os.Environ()); os.Exit(7) }\n' >g.go
	if CGO_ENABLED=0 GOFLAGS=-mod=mod GOCACHE=$PWD/go-cache HOME=$PWD timeout 300 go build -o go-program g.go 2>build.log; then
		blind ./go-program go '1 static program \(./go-program\)'
	else
		left_out "go: it does not build"
	fi
else
	left_out "go: no go"
fi
if musl-gcc -o musl p.c 2>/dev/null; then
	blind ./musl musl '1 musl program \(./musl\)'
else
	left_out "musl: no musl-gcc"
fi
if ! $CC -m32 -o bits32 p.c 2>/dev/null; then
	left_out "32-bit: the compiler makes none"
elif ./bits32 >out 2>&1; [ $? = 7 ]; then
	blind ./bits32 32-bit '1 32-bit program \(./bits32\)'
else
	left_out "32-bit: the kernel runs none"
fi
loader=$(readelf -lW dynamic | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
LC_ALL=C sed 's/GLIBC_2\.35/GLIBC_2.33/g' "$loader" >ld-linux-old.so.2
chmod +x ld-linux-old.so.2
$CC -Wl,--dynamic-linker="$PWD/ld-linux-old.so.2" -o old p.c
"$tool" doctor ./old >out
has out '^  old-libc '
printf '#!%s/static\n' "$PWD" >script
chmod +x script
[ ! -f static ] || blind ./script static '1 static program \(./script\)'

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	cp dynamic setuid && chown 65534 setuid && chmod 4755 setuid
	blind ./setuid setuid '1 setuid program \(./setuid\)'
	cp dynamic setgid && chown 0:65534 setgid && chmod 2755 setgid
	blind ./setgid setgid '1 setuid program \(./setgid\)'
else
	left_out "setuid, setgid: not root"
fi

# Another root directory, and a user without write permission to the trace directory.
if [ "$(id -u)" = 0 ]; then
	mkdir -p root/lib root/lib64 root/tmp
	cp dynamic root/dynamic
	cp "$loader" root/lib64 && for file in $(ldd ./dynamic | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p'); do
		mkdir -p "root${file%/*}" && cp "$file" "root$file"
	done
	printf '#!/bin/sh\nexec chroot %s /dynamic\n' "$PWD/root" >in-root
	printf '#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups /bin/sh -c "exit 3"\n' >as-nobody
	chmod +x in-root as-nobody
	agree ./in-root script '1 program without access to the recorder \(/dynamic\)'
	agree ./as-nobody script '1 program without access to the recorder \(/bin/sh\)'
else
	left_out "chroot, another user: not root"
fi

# A file that cannot be run at all is no blind spot, and gives the same message as untraced.
echo 'echo a script' >text && echo x >plain && chmod +x text && chmod -x plain
printf '#!/nowhere/x\n' >no-interpreter && chmod +x no-interpreter
cp dynamic machine && printf '\377' | dd of=machine bs=1 seek=18 conv=notrunc 2>/dev/null
cat >errors <<'END'
#!/bin/bash
for file in ./nosuch ./plain ./text ./root . ./no-interpreter; do
	$file; echo "$file: $?"
	sh -c "exec $file"; echo "$file: $?"
	env $file; echo "$file: $?"
	nice $file; echo "$file: $?"
done
END
chmod +x errors
if command -v bash >/dev/null; then
	agree ./errors script ''
	printf '#!/bin/sh\n./machine; echo $?; env ./machine; echo $?\n' >foreign && chmod +x foreign
	agree ./foreign script '2 programs for other machines \(./machine\)'
fi

cat >ring.c <<'END'
#include <liburing.h>
int main(void)
{
	struct io_uring ring;
	return io_uring_queue_init(8, &ring, 0) && 0;
}
END
if $CC -o ring ring.c -luring 2>/dev/null; then
	agree ./ring io_uring '1 use of io_uring \(liburing\.so'
else
	left_out "io_uring: no liburing"
fi

# By hand: seen where it comes through syscall(), which doctor only says that it is imported.
cat >setup.c <<'END'
#include <string.h>
#include <unistd.h>
int main(void)
{
	char parameters[120];
	memset(parameters, 0, sizeof(parameters));
	return syscall(425, 4, parameters) < 0 ? 77 : 0;
}
END
$CC -o setup setup.c
if ./setup; then
	agree ./setup syscall '1 use of io_uring \(io_uring_setup\)'
else
	left_out "io_uring by hand: the kernel refuses it"
fi

printf '#include <pthread.h>\nstatic pthread_mutex_t m;\nint run(void) { return pthread_mutex_lock(&m); }\n' >plugin.c
cat >deep.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
int main(void)
{
	void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_DEEPBIND);
	return plugin ? ((int (*)(void))dlsym(plugin, "run"))() : 1;
}
END
$CC -shared -fPIC -o plugin.so plugin.c && $CC -o deep deep.c -ldl
agree ./deep dlopen '1 library .*DEEPBIND.*plugin\.so'

cat >team.c <<'END'
#include <stdio.h>
int main(void)
{
	int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3)
	for (int i = 0; i < 100; i++)
		sum += i;
	printf("%d\n", sum);
	return 0;
}
END
if gcc -fopenmp -o team team.c 2>/dev/null; then
	agree ./team openmp ''
	"$decode" events --no-stacks t | grep -q GOMP_parallel || bad 'no event of OpenMP'
else
	left_out "libgomp: no gcc with OpenMP"
fi

# Ids in pid namespaces: the outer id is the id that all other processes use.
if unshare -pf true 2>/dev/null; then
	rm -rf t
	status 0 "$tool" record -q -o t unshare -pf sh -c ./dynamic\;:
	"$decode" stat t >stat
	has stat '^  pids +[0-9]+ 1$'
	"$decode" stat --format=jsonl t | grep -q '"pids":"[0-9]* 2"' || bad 'the JSON lines have no pids'
else
	left_out "pid namespaces: not allowed"
fi

[ $rows -gt 3 ] || bad 'hardly anything was tried'
echo "$rows programs"
tool_end
