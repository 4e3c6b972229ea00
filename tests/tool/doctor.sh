#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# syntrace doctor on programs made to be one thing each.
. "$(dirname "$0")/lib.sh"

cat >lock.c <<'END'
#include <pthread.h>
static pthread_mutex_t m;
int main(void)
{
	pthread_mutex_lock(&m);
	return pthread_mutex_unlock(&m);
}
END

# STATUS FINDING HIDES PROGRAM: the program's JSON names the finding.
finds()
{
	status "$1" "$tool" doctor --format=jsonl "$4"
	has out "^\{\"v\":1,\"type\":\"obstacle\",\"finding\":\"$2\",\"hides\":\"$3\",\"text\":\".+\"\}$"
	status "$1" "$tool" doctor "$4"
	has out "^  $2 "
}

# Builds and examines, or says that this machine cannot build it.
finds_built()
{
	finds_status=$1 finds_name=$2 finds_hides=$3
	shift 3
	if "$@" -o "./p-$finds_name" >build.log 2>&1; then
		finds "$finds_status" "$finds_name" "$finds_hides" "./p-$finds_name"
	else
		echo "note: not tried here: $*"
	fi
}

$CC -o dynamic lock.c || exit 99
status 0 "$tool" doctor ./dynamic
has out '^\./dynamic: visible$'
has out 'imports +2 intercepted functions in the program'
status 0 "$tool" doctor --format=jsonl ./dynamic
has out '^\{"v":1,"type":"program","program":"\./dynamic","verdict":"visible","imports":2,'

cp dynamic é
status 0 "$tool" doctor ./é
has out '^\./é: visible$'
status 0 "$tool" doctor --format=jsonl ./é
has out '^\{"v":1,"type":"program","program":"\./é",'

# Where the recorder would write. It could not say so itself.
in_environment()
{
	status "$1" env "$4" "$tool" doctor --format=jsonl ./dynamic
	has out "^\{\"v\":1,\"type\":\"obstacle\",\"finding\":\"$2\",\"hides\":\"$3\",\"text\":\"[^\"]*$5"
}
no_finding()
{
	status 0 env "$1" "$tool" doctor --format=jsonl ./dynamic
	[ "$(wc -l <out)" = 1 ] || bad "$1: a finding"
}
mkdir there
: >file
in_environment 1 disabled all SYNTRACE_DISABLE=1 'SYNTRACE_DISABLE is set'
in_environment 0 directory nothing SYNTRACE_SESSION=missing 'SYNTRACE_SESSION is missing .No such file'
in_environment 0 directory nothing SYNTRACE_SESSION=file 'SYNTRACE_SESSION is file .Not a directory'
in_environment 0 directory nothing SYNTRACE_DIR=missing/trace 'SYNTRACE_DIR is missing/trace .No such file.*syntrace record'
in_environment 0 directory nothing SYNTRACE_DIR=file 'SYNTRACE_DIR is file .Not a directory'
no_finding SYNTRACE_SESSION=there
no_finding SYNTRACE_DIR=there
no_finding SYNTRACE_DIR=new
no_finding SYNTRACE_DIR=there/new/
no_finding SYNTRACE_DISABLE=0
rmdir there

finds_built 1 static all "$CC" -static lock.c
finds_built 1 static-pie all "$CC" -static-pie -fPIE lock.c
finds_built 1 musl all musl-gcc lock.c
finds_built 1 32-bit all "$CC" -m32 lock.c
finds_built 0 sanitizer nothing "$CC" -fsanitize=address lock.c
finds_built 1 sanitizer part "$CC" -fsanitize=thread lock.c
# with the runtime in the program itself
finds_built 1 sanitizer part clang -fsanitize=thread lock.c
for runtime in address leak memory; do
	finds_built 0 sanitizer nothing clang -fsanitize=$runtime lock.c
done

# A class and a machine that are wrong: bytes 4 and 18 of the file.
cp dynamic p-class
printf '\001' | dd of=p-class bs=1 seek=4 conv=notrunc 2>/dev/null
status 1 "$tool" doctor ./p-class
has out '^  32-bit '
cp dynamic p-class
printf '\377' | dd of=p-class bs=1 seek=18 conv=notrunc 2>/dev/null
status 1 "$tool" doctor ./p-class
has out '^  class '

# A loader of a libc without a name that we need: ours without the name.
loader=$(readelf -lW dynamic | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
LC_ALL=C sed 's/GLIBC_2\.35/GLIBC_2.33/g' "$loader" >ld-linux-old.so.2
$CC -Wl,--dynamic-linker="$PWD/ld-linux-old.so.2" -o old lock.c
finds 1 old-libc all ./old
cp "$loader" ld-linux-own.so.2
$CC -Wl,--dynamic-linker="$PWD/ld-linux-own.so.2" -o own-loader lock.c
finds 1 own-libc part ./own-loader
printf '%s\n' '#include <dlfcn.h>' 'int main(void) { return !dlopen("libm.so.6", RTLD_NOW | RTLD_DEEPBIND); }' >plugin.c
$CC -o plugin plugin.c -ldl
finds 0 dlopen nothing ./plugin

echo 'int main(void) { return 0; }' >empty.c
$CC -o none empty.c
finds 0 no-imports nothing ./none
printf '%s\n' 'int pthread_mutex_lock(void *m) { return !m; }' 'int main(void) { return pthread_mutex_lock("x"); }' >own.c
$CC -rdynamic -fno-builtin -o own own.c
finds 1 own-definitions part ./own
echo 'int io_uring_queue_init(int a) { return a; } int main(void) { return io_uring_queue_init(0); }' >ring.c
$CC -o ring ring.c
finds 1 io_uring part ./ring
printf '%s\n' 'void GOMP_barrier(void);' 'int main(void) { GOMP_barrier(); return 0; }' >omp.c
echo 'void GOMP_barrier(void) {}' >gomp.c
$CC -shared -fPIC -Wl,-soname,libgomp.so.1 -o libgomp.so.1 gomp.c
$CC -o omp omp.c ./libgomp.so.1 -Wl,-rpath,"$PWD"
finds 0 openmp nothing ./omp
sed 's/GOMP_barrier/__kmpc_barrier/' omp.c >kmp.c
sed 's/GOMP_barrier/__kmpc_barrier/' gomp.c >kmpc.c
$CC -shared -fPIC -Wl,-soname,libomp.so.5 -o libomp.so.5 kmpc.c
$CC -o kmp kmp.c ./libomp.so.5 -Wl,-rpath,"$PWD"
finds 1 openmp part ./kmp

# Go: the note section decides; a dynamic (cgo) and a static program.
echo x >note
cp dynamic go-dynamic
objcopy --add-section .note.go.buildid=note go-dynamic && finds 1 go part ./go-dynamic
if [ -f p-static ]; then
	cp p-static go-static
	objcopy --add-section .go.buildinfo=note go-static && finds 1 go all ./go-static
fi
printf '__asm__(".pushsection .comment; .asciz \\"rustc version 1.0\\"; .popsection");\n' >rust.c
$CC -o rust lock.c rust.c
finds 1 rust part ./rust

# A library of the program's own: its imports count; when it is gone the program cannot start.
printf '%s\n' '#include <pthread.h>' 'int f(pthread_mutex_t *m) { return pthread_mutex_lock(m); }' >dep.c
printf '%s\n' 'int f(void *);' 'int main(void) { return f((long[8]){0}); }' >user.c
$CC -shared -fPIC -o libdep.so dep.c
$CC -o user user.c -L. -ldep -Wl,-rpath,"$PWD"
status 0 "$tool" doctor ./user
has out 'imports +0 intercepted functions in the program, 1 in the 1 libraries'
rm libdep.so
finds 1 missing-library all ./user

cp dynamic bits
chmod u+s bits
status 1 "$tool" doctor ./bits
has out '^  setuid '
chmod u-s bits
chmod g+s bits
status 1 "$tool" doctor ./bits
has out '^  setgid '
chmod g-s bits
if setcap cap_net_raw+ep bits 2>/dev/null; then
	status 1 "$tool" doctor ./bits
	has out '^  capabilities '
fi

# Scripts: their interpreter is examined, also through env.
printf '#!%s\n' "$PWD/dynamic" >script
chmod +x script
finds 0 script nothing ./script
has out "/dynamic: visible$"
printf '#!/usr/bin/env -S A=b dynamic\n' >script
PATH=$PWD:$PATH
finds 0 script nothing script
printf '#!/nowhere/x\n' >script
status 4 "$tool" doctor script
has err '/nowhere/x: No such file'
printf '#!%s\n' "$PWD/script" >script # its own interpreter
status 4 "$tool" doctor script

# Unreadable files.
status 4 "$tool" doctor ./nosuch
has err '^syntrace: ./nosuch: No such file'
status 4 "$tool" doctor ./lock.c
has err 'neither an ELF file nor a script'
: >zero
status 4 "$tool" doctor ./zero
status 4 "$tool" doctor .
status 2 "$tool" doctor
status 2 "$tool" doctor a b
status 2 "$tool" doctor --format=xml ./dynamic
status 2 "$tool" doctor --nosuch
status 0 "$tool" doctor --help

# Damaged files: any answer, no crash.
size=$(wc -c <dynamic)
nr=20
[ -z "${SYNTRACE_TEST_LONG:-}" ] || nr=60
for at in $(awk -v n="$size" -v nr=$nr 'BEGIN { srand(1); for (i = 0; i < nr; i++) print int(rand() * (i < nr * 2 / 3 ? 1024 : n)) }'); do
	cp dynamic damaged
	printf '\377' | dd of=damaged bs=1 seek="$at" conv=notrunc 2>/dev/null
	"$tool" doctor ./damaged >out 2>err
	rv=$?
	case $rv in
	0 | 1 | 4) ;;
	*) bad "byte $at damaged: exit status $rv" ;;
	esac
	head -c "$at" dynamic >damaged
	"$tool" doctor ./damaged >out 2>err
	rv=$?
	case $rv in
	0 | 1 | 4) ;;
	*) bad "cut to $at bytes: exit status $rv" ;;
	esac
done
tool_end
