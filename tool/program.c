/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#define _GNU_SOURCE
#include "tool/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/err.h"
#include "tool/directory.h"
#include "tool/elf.h"
#include "tool/child.h"

/* ThreadSanitizer implements these functions without libc. */
#define TSAN_HIDES "; pthread_once is not recorded, and vfork is recorded as fork"

/* maximum number of scripts in a chain of interpreters; the kernel allows four */
#define SCRIPT_DEPTH 5u

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OWN_MACHINE EM_AARCH64
#endif

void syt_finding_add(struct syt_program *p, const char *name, enum syt_blindness blindness,
                     const char *format, ...)
{
	va_list args;

	if (p->nr_findings == SYT_NR_FINDINGS)
		return;
	va_start(args, format);
	p->findings[p->nr_findings++] =
		(struct syt_program_finding){name, blindness, syt_vasprintf(format, args)};
	va_end(args);
}

enum syt_blindness syt_program_blindness(const struct syt_program *p)
{
	enum syt_blindness worst = SYT_BLINDNESS_NOTE;

	for (unsigned i = 0; i < p->nr_findings; i++) {
		if (p->findings[i].blindness > worst)
			worst = p->findings[i].blindness;
	}
	return worst;
}

/* Returns the path that execvp(NAME) would run, or sets errno and returns NULL. */
static char *look_up(const char *name)
{
	const char *path = getenv("PATH");
	int err = ENOENT;

	if (strchr(name, '/'))
		return access(name, F_OK) ? NULL : syt_asprintf("%s", name);
	for (const char *p = path ? path : "/bin:/usr/bin"; *name;) {
		size_t n = strcspn(p, ":");
		char *candidate =
			n ? syt_asprintf("%.*s/%s", (int)n, p, name) : syt_asprintf("./%s", name);
		struct stat st;

		if (!stat(candidate, &st) && S_ISREG(st.st_mode)) {
			if (!access(candidate, X_OK))
				return candidate;
			err = EACCES;
		}
		free(candidate);
		if (!p[n])
			break;
		p += n + 1;
	}
	errno = err;
	return NULL;
}

static void fail(struct syt_program *p, const char *path, int err)
{
	p->is_missing = err == ENOENT || err == ENOTDIR;
	if (err == ENOEXEC)
		p->error = syt_asprintf("%s is neither an ELF file nor a script", path);
	else
		p->error = syt_asprintf("%s: %s", path, strerror(err));
}

/* Returns the errno of execve(PATH) that the file type and the mode of PATH cause, or 0. */
static int refusal_of(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) ? errno : 0;
}

/* Returns the interpreter of the script PATH, or NULL if PATH is not a script. */
static char *interpreter_of(const char *path)
{
	char line[256], *save = NULL;

	syt_file_text(path, line, sizeof(line));
	if (strncmp(line, "#!", 2))
		return NULL;
	line[strcspn(line, "\n")] = 0;

	char *word = strtok_r(line + 2, " \t", &save);
	char *base = word ? strrchr(word, '/') : NULL;

	/* env(1) runs its first argument that is not an option or an assignment. */
	if (base && !strcmp(base, "/env")) {
		do
			word = strtok_r(NULL, " \t", &save);
		while (word && (word[0] == '-' || strchr(word, '=')));
	}
	return word ? syt_asprintf("%s", word) : NULL;
}

static void check_secure(struct syt_program *p, const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return;
	bool is_setuid = st.st_mode & S_ISUID && st.st_uid != geteuid();
	bool is_setgid =
		(st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st.st_gid != getegid();
	const char *why = "the loader ignores LD_PRELOAD in this program and in all programs that "
			  "it starts";

	if (is_setuid || is_setgid) {
		const char *name = is_setuid ? "setuid" : "setgid";

		syt_finding_add(p, name, SYT_BLINDNESS_ALL, "%s is %s: %s", path, name, why);
	} else if (st.st_mode & (S_ISUID | S_ISGID)) {
		const char *name = st.st_mode & S_ISUID ? "setuid" : "setgid";

		syt_finding_add(p, name, SYT_BLINDNESS_PART,
		                "%s is %s: the program is recorded only if its own user or group "
		                "runs it",
		                path, name);
	}
	if (getxattr(path, "security.capability", NULL, 0) > 0)
		syt_finding_add(p, "capabilities",
		                geteuid() ? SYT_BLINDNESS_ALL : SYT_BLINDNESS_PART,
		                "%s has file capabilities: %s%s", path, why,
		                geteuid() ? "" : " (not when root runs it)");
}

static void check_definitions(struct syt_program *p, const struct syt_elf *e)
{
	unsigned nr = 0;
	size_t bytes;
	char *names;
	FILE *f = syt_memstream(&names, &bytes);

	for (unsigned i = 0; i < SYT_NR_CALLS; i++)
		if (e->defines[i] && nr++ < 3)
			fprintf(f, "%s%s", nr > 1 ? ", " : "", syt_call_name(i));
	fclose(f);
	if (nr)
		syt_finding_add(
			p, "own-definitions", SYT_BLINDNESS_PART,
			"the program itself defines %u function%s that syntrace intercepts, "
			"so their calls are not recorded: %s%s",
			nr, nr == 1 ? "" : "s", names, nr > 3 ? ", ..." : "");
	free(names);
}

/* Adds the findings about an executable or a library, which the messages call WHERE. */
static void check_contents(struct syt_program *p, const struct syt_elf *e, const char *where)
{
	if (e->has_io_uring)
		syt_finding_add(p, "io_uring", SYT_BLINDNESS_PART,
		                "%s uses io_uring: operations through its rings are not recorded",
		                where);
	if (e->has_kmpc)
		syt_finding_add(p, "openmp", SYT_BLINDNESS_PART,
		                "%s uses LLVM's OpenMP, which calls futex directly: OpenMP "
		                "barriers and locks are not recorded",
		                where);
	else if (e->has_gomp)
		syt_finding_add(p, "openmp", SYT_BLINDNESS_NOTE,
		                "%s uses GNU OpenMP: parallel regions, barriers, tasks and locks "
		                "are recorded where the code calls libgomp",
		                where);
	if (e->sanitizer)
		syt_finding_add(p, "sanitizer",
		                e->has_tsan ? SYT_BLINDNESS_PART : SYT_BLINDNESS_NOTE,
		                "%s contains %s, which wraps the same functions as syntrace: "
		                "recorded times include its work%s",
		                where, e->sanitizer, e->has_tsan ? TSAN_HIDES : "");
}

static bool is_sanitizer(const char *soname)
{
	static const char *const prefixes[] = {
		"libasan.so",       "libtsan.so",       "liblsan.so",       "libubsan.so",
		"libclang_rt.asan", "libclang_rt.tsan", "libclang_rt.ubsan"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (!strncmp(soname, prefixes[i], strlen(prefixes[i])))
			return true;
	}
	return false;
}

static void check_needed(struct syt_program *p, const struct syt_elf *e)
{
	for (unsigned i = 0; i < e->nr_needed; i++) {
		const char *name = e->needed[i];

		if (!is_sanitizer(name))
			continue;
		char *preload = syt_asprintf("%s%s:", p->preload ? p->preload : "", name);

		free(p->preload);
		p->preload = preload;
		bool is_tsan = strstr(name, "tsan") != NULL;

		syt_finding_add(p, "sanitizer", is_tsan ? SYT_BLINDNESS_PART : SYT_BLINDNESS_NOTE,
		                "the program needs %s, which must be the first library: syntrace "
		                "record puts it first; if you set LD_PRELOAD yourself, put it "
		                "first%s",
		                name, is_tsan ? TSAN_HIDES : "");
	}
}

static bool is_glibc_loader(const char *interpreter)
{
	const char *base = strrchr(interpreter, '/');

	base = base ? base + 1 : interpreter;
	return !strncmp(base, "ld-linux", 8) || !strcmp(base, "ld64.so.1") ||
	       !strcmp(base, "ld64.so.2");
}

/* Returns whether the loader belongs to a libc with the symbol versions that libsyntrace.so needs. Keep this test
 * equal to preload/target-elf.c. */
static bool has_version(const char *interpreter)
{
	static const char version[] = "GLIBC_2.35";
	char text[16384];
	size_t n = syt_file_text(interpreter, text, sizeof(text));

	return !n || memmem(text, n, version, sizeof(version) - 1);
}

/* Adds findings about the machine and the loader. Returns false if the loader cannot load libsyntrace.so. */
static bool check_loading(struct syt_program *p, const struct syt_elf *e)
{
	const char *loader = e->interpreter;
	bool is_own_machine = e->elf_class == ELFCLASS64 && e->machine == OWN_MACHINE;

	if (is_own_machine && e->is_go)
		syt_finding_add(p, "go", loader ? SYT_BLINDNESS_PART : SYT_BLINDNESS_ALL,
		                "the program is written in Go, whose runtime makes system calls "
		                "itself: goroutines, channels and sockets are not recorded");
	if (e->elf_class == ELFCLASS32) {
		syt_finding_add(
			p, "32-bit", SYT_BLINDNESS_ALL,
			"this is a 32-bit program (ELF machine %u): it cannot load libsyntrace.so",
			e->machine);
	} else if (!is_own_machine) {
		syt_finding_add(p, "class", SYT_BLINDNESS_ALL,
		                "the program is built for another machine (ELF machine %u)",
		                e->machine);
	} else if (!loader) {
		syt_finding_add(
			p, e->has_dynamic ? "static-pie" : "static", SYT_BLINDNESS_ALL,
			"the program is linked statically: there is no loader that can load "
			"libsyntrace.so");
	} else if (!is_glibc_loader(loader)) {
		syt_finding_add(p, strstr(loader, "musl") ? "musl" : "interpreter",
		                SYT_BLINDNESS_ALL,
		                "the loader of the program is %s, not glibc's: it cannot load "
		                "libsyntrace.so",
		                loader);
	} else if (!has_version(loader)) {
		syt_finding_add(p, "old-libc", SYT_BLINDNESS_ALL,
		                "the loader of the program, %s, belongs to a libc older than 2.35: "
		                "the program would not start with libsyntrace.so",
		                loader);
	} else {
		if (strncmp(loader, "/lib", 4) && strncmp(loader, "/usr/lib", 8))
			syt_finding_add(p, "own-libc", SYT_BLINDNESS_PART,
			                "the program has its own loader, %s: it is recorded only "
			                "if its libraries belong to the same libc",
			                loader);
		return true;
	}
	return false;
}

struct scan {
	struct syt_program *program;
	bool imports[SYT_NR_CALLS];
};

static void scan_library(void *context, const char *soname, const char *path)
{
	struct scan *scan = context;
	struct syt_program *p = scan->program;
	struct syt_elf e;

	if (!path) {
		syt_finding_add(p, "missing-library", SYT_BLINDNESS_ALL,
		                "the program needs %s, which cannot be found: it will not start",
		                soname);
		return;
	}
	/* The libraries of glibc call each other's functions without a lookup by name, so libsyntrace.so
	 * cannot intercept these calls. */
	if (!strncmp(soname, "libc.so.", 8) || !strncmp(soname, "ld-linux", 8) ||
	    is_sanitizer(soname))
		return;
	if (syt_elf_read(&e, path)) {
		syt_elf_clear(&e);
		return;
	}
	p->nr_libraries++;
	for (unsigned i = 0; i < SYT_NR_CALLS; i++)
		scan->imports[i] |= e.imports[i];
	/* These libraries implement io_uring and OpenMP; findings are reported only for the code that uses
	 * them. */
	if (!strncmp(soname, "liburing.so", 11) || !strncmp(soname, "libgomp.so", 10) ||
	    !strncmp(soname, "libomp.so", 9))
		e.has_io_uring = e.has_gomp = e.has_kmpc = false;
	check_contents(p, &e, soname);
	syt_elf_clear(&e);
}

static void check_libraries(struct syt_program *p)
{
	struct scan scan = {.program = p};

	syt_library_each(p->path, scan_library, &scan);
	for (unsigned i = 0; i < SYT_NR_CALLS; i++)
		p->nr_library_imports += scan.imports[i];
}

static void check_executable(struct syt_program *p)
{
	struct syt_elf e;
	int rv = syt_elf_read(&e, p->path);

	if (rv) {
		fail(p, p->path, -rv);
		goto end;
	}
	check_secure(p, p->path);
	if (!check_loading(p, &e))
		goto end;
	for (unsigned i = 0; i < SYT_NR_CALLS; i++)
		p->nr_imports += e.imports[i];
	check_needed(p, &e);
	check_contents(p, &e, "it");
	if (!e.sanitizer) /* the wrappers of a sanitizer call the wrappers of syntrace */
		check_definitions(p, &e);
	if (e.is_rust)
		syt_finding_add(p, "rust", SYT_BLINDNESS_PART,
		                "the program is written in Rust: mutexes, condition variables and "
		                "channels of std are recorded as futexes, and only when a thread "
		                "waits");
	if (!e.has_symbols)
		syt_finding_add(p, "no-sections", SYT_BLINDNESS_NOTE,
		                "the program has no symbol table, so the functions that it imports "
		                "are unknown");
	check_libraries(p);
	if (e.has_symbols && !p->nr_imports && !p->nr_library_imports)
		syt_finding_add(p, "no-imports", SYT_BLINDNESS_NOTE,
		                "neither the program nor its libraries import a function that "
		                "syntrace records");
	if (e.imports_dlopen)
		syt_finding_add(
			p, "dlopen", SYT_BLINDNESS_NOTE,
			"the program imports dlopen(): libraries that it loads later are not "
			"checked here; with RTLD_DEEPBIND or dlmopen(), their calls are not "
			"recorded");
	if (e.imports_syscall)
		syt_finding_add(p, "syscall", SYT_BLINDNESS_NOTE,
		                "the program imports syscall(): some system calls made in this way "
		                "are not recorded");
end:
	syt_elf_clear(&e);
}

struct syt_program *syt_program_create(const char *name)
{
	struct syt_program *p = syt_calloc(1, sizeof(*p));

	p->path = look_up(name);
	if (!p->path) {
		p->refusal = errno;
		fail(p, name, errno);
		return p;
	}
	p->refusal = refusal_of(p->path);
	for (unsigned depth = 0; depth < SCRIPT_DEPTH; depth++) {
		char *interpreter = interpreter_of(p->path);

		if (!interpreter)
			break;
		char *path = look_up(interpreter);

		syt_finding_add(p, "script", SYT_BLINDNESS_NOTE,
		                "%s is a script; the following lines are about its interpreter, %s",
		                p->path, interpreter);
		if (!path) {
			fail(p, interpreter, errno);
			free(interpreter);
			return p;
		}
		free(interpreter);
		free(p->path);
		p->path = path;
	}
	check_executable(p);
	return p;
}

void syt_program_destroy(struct syt_program *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < p->nr_findings; i++)
		free(p->findings[i].text);
	free(p->preload);
	free(p->error);
	free(p->path);
	free(p);
}
