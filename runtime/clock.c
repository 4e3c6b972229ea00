/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Chooses the clock that stamps events, and reads pairs of that clock and the kernel's clocks at one moment.
 *
 * The vDSO's clock_gettime is looked up in the vDSO itself, because a library that fakes the time intercepts
 * libc's function. Without the vDSO, reading a pair of clocks takes a system call.
 */
#include "runtime/clock.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#include "runtime/sys.h"

uint32_t syt_clock_source = SYT_CLOCK_MONOTONIC;
uint32_t syt_clock_has_tsc;

/* The last reading of the event clock after syt_clock_stop(), 0 while the clock runs. All threads increment
 * this one variable, so later operations still have greater stamps, even across threads. */
static uint64_t stopped;

/* A thread that read syt_clock_has_tsc just before it was cleared may still read the TSC. The stopped clock
 * begins this margin (about 20 us) later, so that the stamp of such a thread is not greater than its
 * readings. */
#define STOP_MARGIN_TICKS (UINT64_C(1) << 16)

static int (*vdso_clock_gettime)(clockid_t, struct timespec *);

#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

static bool kernel_trusts_tsc(void)
{
	char name[8] = "";
	long fd = SYT_SYS_4(SYS_openat, AT_FDCWD, CLOCKSOURCE, O_RDONLY | O_CLOEXEC, 0);

	if (fd < 0)
		return false;
	long n = SYT_SYS_3(SYS_read, fd, name, sizeof(name) - 1);

	SYT_SYS_1(SYS_close, fd);
	return n >= 3 && memcmp(name, "tsc", 3) == 0 && (n == 3 || name[3] == '\n');
}

/* Returns the address of a vDSO function from the vDSO's dynamic symbol table, or NULL. */
static void *vdso_symbol(const char *name)
{
	uintptr_t base = getauxval(AT_SYSINFO_EHDR);

	if (!base)
		return NULL;
	const ElfW(Ehdr) *eh = (const void *)base;
	const ElfW(Phdr) *ph = (const void *)(base + eh->e_phoff);
	const ElfW(Dyn) *dyn = NULL;
	uintptr_t bias = 0;
	bool is_loaded = false;

	for (unsigned i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type == PT_LOAD && !is_loaded) {
			bias = base + ph[i].p_offset - ph[i].p_vaddr;
			is_loaded = true;
		} else if (ph[i].p_type == PT_DYNAMIC) {
			dyn = (const void *)(base + ph[i].p_offset);
		}
	}
	if (!dyn || !is_loaded)
		return NULL;

	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;
	const uint32_t *hash = NULL;

	for (; dyn->d_tag != DT_NULL; dyn++) {
		const void *p = (const void *)(bias + dyn->d_un.d_ptr);

		if (dyn->d_tag == DT_SYMTAB)
			symbols = p;
		else if (dyn->d_tag == DT_STRTAB)
			strings = p;
		else if (dyn->d_tag == DT_HASH)
			hash = p;
	}
	if (!symbols || !strings || !hash)
		return NULL;
	for (uint32_t i = 0; i < hash[1]; i++) {
		if (symbols[i].st_shndx != SHN_UNDEF && !strcmp(strings + symbols[i].st_name, name))
			return (void *)(bias + symbols[i].st_value);
	}
	return NULL;
}

void syt_clock_init(void)
{
#if defined(__x86_64__)
	vdso_clock_gettime =
		(int (*)(clockid_t, struct timespec *))vdso_symbol("__vdso_clock_gettime");
	if (kernel_trusts_tsc())
		syt_clock_source = SYT_CLOCK_TSC;
	syt_clock_has_tsc = syt_clock_source == SYT_CLOCK_TSC;
#else
	vdso_clock_gettime =
		(int (*)(clockid_t, struct timespec *))vdso_symbol("__kernel_clock_gettime");
#endif
}

static uint64_t read_ns(clockid_t clock)
{
	struct timespec ts = {0, 0};

	SYT_SYS_2(SYS_clock_gettime, clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void syt_clock_stop(void)
{
	uint64_t running = 0, now = syt_clock_release() + STOP_MARGIN_TICKS;

	__atomic_compare_exchange_n(&stopped, &running, now, false, __ATOMIC_SEQ_CST,
	                            __ATOMIC_RELAXED);
	__atomic_store_n(&syt_clock_has_tsc, 0, __ATOMIC_SEQ_CST);
}

void syt_clock_resume(void)
{
	uint64_t last = __atomic_exchange_n(&stopped, 0, __ATOMIC_SEQ_CST);

	syt_clock_has_tsc = syt_clock_source == SYT_CLOCK_TSC;
	while (syt_clock_release() < last) /* this loop waits at most STOP_MARGIN_TICKS */
		;
}

bool syt_clock_is_stopped(void)
{
	return __atomic_load_n(&stopped, __ATOMIC_RELAXED) != 0;
}

/* Returns CLOCK in ns, without a system call if the kernel supports that. */
static uint64_t read_wall_ns(clockid_t clock)
{
	struct timespec ts;

	if (vdso_clock_gettime && vdso_clock_gettime(clock, &ts) == 0)
		return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
	return read_ns(clock);
}

uint64_t syt_clock_slow(void)
{
	if (__builtin_expect(syt_clock_is_stopped(), 0))
		return __atomic_add_fetch(&stopped, 1, __ATOMIC_RELAXED);
	return read_wall_ns(CLOCK_MONOTONIC);
}

uint64_t syt_clock_thread_cpu(void)
{
	return read_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Reads the event clock and the kernel's clocks three times and returns the fastest reading: a preemption
 * between two reads would skew the pair. */
struct syt_clock_pair syt_clock_pair(void)
{
	struct syt_clock_pair best = {0, 0, 0};
	uint64_t best_width = UINT64_MAX;

	if (syt_clock_is_stopped() || syt_sys_is_denied(SYS_clock_gettime))
		return best;
	for (int i = 0; i < 3; i++) {
		uint64_t before = syt_clock_acquire();
		uint64_t mono_ns = read_wall_ns(CLOCK_MONOTONIC);
		uint64_t after = syt_clock_acquire();

		if (after - before < best_width) {
			best_width = after - before;
			best.ticks = before + (after - before) / 2;
			best.mono_ns = mono_ns;
		}
	}
	if (syt_clock_source == SYT_CLOCK_MONOTONIC)
		best.ticks = best.mono_ns;
	best.real_ns = read_wall_ns(CLOCK_REALTIME);
	return best;
}

uint64_t syt_clock_boot_ns(void)
{
	if (syt_clock_is_stopped() || syt_sys_is_denied(SYS_clock_gettime))
		return 0;
	return read_wall_ns(CLOCK_BOOTTIME);
}

uint64_t syt_clock_hz(void)
{
	return syt_clock_source == SYT_CLOCK_MONOTONIC ? 1000000000u : 0;
}
