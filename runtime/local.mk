# Linked into libsyntrace.so only.  No libc call that allocates, locks or sets errno: tests/lint/.
noinst_LTLIBRARIES += libruntime.la
libruntime_la_CFLAGS = $(AM_CFLAGS) $(SYT_TRACED_CFLAGS) $(XXHASH_CFLAGS)
libruntime_la_SOURCES =
# Flags of everything that runs inside of the traced program.
SYT_TRACED_CFLAGS = -O2 -g -fPIC -fvisibility=hidden -fexceptions -fasynchronous-unwind-tables \
	-fno-omit-frame-pointer -ftls-model=initial-exec -fcf-protection=full -fno-stack-protector \
	-fno-builtin-memcmp -U_FORTIFY_SOURCE
