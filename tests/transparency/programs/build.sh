#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
#
# make -j and gcc: a small program from many files, the objects byte by byte, errors, and gdb on the
# result.
. "$(dirname "$0")/common.sh"
for i in 1 2 3 4 5 6 7 8; do
	printf '#include <stdio.h>\n#include <math.h>\nint f%d(int x) { return printf("%%d %%g\\n", x + %d, floor(x / 3.0)); }\n' "$i" "$i" >"f$i.c"
	echo "int f$i(int);" >>main.c
done
{
	echo 'int main(void) {'
	for i in 1 2 3 4 5 6 7 8; do echo "f$i($i);"; done
	echo 'return 3; }'
} >>main.c
cat >Makefile <<'MAKE'
CFLAGS = -O2 -g -frandom-seed=1 -ffile-prefix-map=$(CURDIR)=.
objects = main.o $(patsubst %,f%.o,1 2 3 4 5 6 7 8)
prog: $(objects) ; @$(CC) -pipe -o $@ $(objects) -lm
%.o: %.c ; @$(CC) $(CFLAGS) -c $<
bad: ; @echo bad >&2; exit 4
MAKE
status $RECORD make -s -j3 prog
cat ./*.o | cksum
cksum <prog
status $RECORD ./prog
status $RECORD make -s -j2 bad 2>&1
status $RECORD gcc -c -x c - -o /dev/null <<C 2>&1
int x = y;
C
command -v gdb >/dev/null || exit 0
status $RECORD gdb -nx -batch -ex 'break f7' -ex run -ex 'info args' -ex bt -ex c ./prog 2>&1 |
	grep -vE 'warning|libthread_db|debuginfod|^\[' | sed -E 's/process [0-9]+/process N/; s/0x[0-9a-f]+/0xX/g'
