# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The syntrace authors
"""
glibc's own tests (threads, signals, processes, files, sockets, loading), built against the installed libc.

glibc builds its tests in its own build tree, against the libc of that tree.  What is to be traced is the installed one, so
each test is compiled alone: with the test framework of support/, and with stand-ins for the few internal headers that
tests look at (HEADERS).  A test that still wants internals does not compile and is left out; the suite is what builds.
The makefiles tell which modules a test loads and which flags, arguments and environment it wants.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess

import suite
from suite import Case

PACKAGES = ["gcc", "libc6-dev", "dpkg-dev"]
JOBS = 4
FOLDERS = ["nptl", "sysdeps/pthread", "signal", "setjmp", "posix", "io", "socket", "misc", "rt", "time", "dlfcn", "elf",
           "debug", "stdlib", "malloc", "sysdeps/unix/sysv/linux", "sysdeps/unix/sysv/linux/x86_64", "sysdeps/x86_64"]
# Only the tests of these folders that concern threads, processes, loading or unwinding.
ONLY = {
    "elf": r"tst-(tls(?!-allocation)|dlopen|dlmopen|unique|thr|execstack|stack|global|next|null|unwind|gnu2|auxv|leaks|latepthread|"
           r"initorder|initfinilazyfail|array|deep|addr|pathopt|ifunc|dl_|_dl|dlsym|main|noload|order|nodelete|single|debug|recursive)",
    "debug": r"tst-(backtrace|longjmp|sprintf|chk1)",
    "stdlib": r"tst-(at|quick|on_exit|cxa|tls|thread|system|getenv|environ|secure|setcontext|makecontext|swap|bsearch|random|rand|"
              r"qsort|abort|putenv|arc4random)|test-(at|cxa|on_exit|dlclose)",
    "malloc": r"tst-(malloc-(thread|fork|backtrace|tcache)|mallocfork|interpose|mallocstate|dynarray-fail|trim|mtrace|leaks|obstack|"
              r"compathooks|scratch|thread|realloc|calloc|valloc|pvalloc|memalign|aligned|posix_memalign|mallopt|mxfast|tcfree|safe)",
    "sysdeps/x86_64": r"tst-(stack-align|quad|platform|audit|split|x86)",
}
# Not to be run: they change the machine's clock, fill the disk, or take minutes (the last line:
# tens of thousands of processes, each with a dump; or tens of millions of events).
NOT = r"settime|adjtime|adjtimex|ntp_|stime|-static|tst-y2039|tst-mktime|tst-cpuclock|bug-|tst-getcwd-|tst-gdb|gdb-attach|" \
      r"tst-mallocfork3|tst-memstream|tst-ftell|tst-obprintf|tst-malloc-too-large|" \
      r"tst-arc4random-fork|tst-mallocfork2|tst-robust-fork|tst-rwlock-tryrdlock-stall|tst-rwlock-trywrlock-stall|tst-mutex10|" \
      r"tst-pthread-timedlock-lockloop|test-cxa_atexit-race2|tst-cputimer|tst-cond1[678]|tst-malloc-thread-fail"
HEADERS = {
    "config.h": "",
    "libc-config.h": "",
    "sysdep.h": "#include <sys/syscall.h>\n",
    "allocate_once.h": """
static inline void *allocate_once(void **place, void *(*allocate)(void *), void (*deallocate)(void *, void *), void *closure)
{
  void *made, *none = 0;
  if (*place) return *place;
  made = allocate(closure);
  if (made && !__atomic_compare_exchange_n(place, &none, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    if (deallocate) deallocate(closure, made); else __builtin_free(made);
    return none;
  }
  return made;
}
""",
    # Names of versions, as the linker knows them on x86-64, where everything before 2.2.5 is 2.2.5.
    "shlib-compat.h": """
#define TEST_COMPAT(library, introduced, obsoleted) 1
#define SHLIB_COMPAT(library, introduced, obsoleted) 1
#define VERSIONED_GLIBC_2_0 "GLIBC_2.2.5"
#define VERSIONED_GLIBC_2_1 "GLIBC_2.2.5"
#define VERSIONED_GLIBC_2_1_1 "GLIBC_2.2.5"
#define VERSIONED_GLIBC_2_2 "GLIBC_2.2.5"
#define VERSIONED_GLIBC_2_3_2 "GLIBC_2.3.2"
#define VERSIONED_GLIBC_2_3_3 "GLIBC_2.3.3"
#define VERSIONED_GLIBC_2_3_4 "GLIBC_2.3.4"
#define VERSIONED_GLIBC_2_11 "GLIBC_2.11"
#define VERSIONED_GLIBC_2_15 "GLIBC_2.15"
#define VERSIONED_GLIBC_2_34 "GLIBC_2.34"
#define compat_symbol_reference(library, local, symbol, version) \\
  compat_symbol_reference_1(local, symbol, VERSIONED_##version)
#define compat_symbol_reference_1(local, symbol, version) compat_symbol_reference_2(local, symbol, version)
#define compat_symbol_reference_2(local, symbol, version) __asm__(".symver " #local ", " #symbol "@" version)
""",
    "standalone.h": """
#include <limits.h>
#define attribute_hidden
#define attribute_compat_text_section
#define inhibit_loop_to_libcall
#define inhibit_stack_protector
#define test_cc_inhibit_stack_protector
#define libc_hidden_proto(...)
#define libc_hidden_def(...)
#define rtld_hidden_proto(...)
#define LIBC_PROBE(...)
#define IS_IN(x) 0
#define HAVE_TUNABLES 1
#define __set_errno(e) (errno = (e))
#define __timespec64 timespec
#define __utimensat64_helper(d, f, t, l) utimensat(d, f, t, l)
""",
}
LINKED = ["include/libc-diag.h", "include/array_length.h", "include/intprops.h", "include/verify.h", "include/libc-pointer-arith.h", "include/scratch_buffer.h",
          "sysdeps/x86_64/stackinfo.h", "sysdeps/x86_64/tst-stack-align.h", "sysdeps/generic/tst-stack-align.h", "test-skeleton.c",
          "support"]


class Build:
    """The directory WORK: source, shim/ (headers), obj/ (everything built)."""

    def __init__(self, work):
        self.work = pathlib.Path(work)
        self.tree = self.work / "glibc-source"
        self.obj = self.work / "obj"
        self.shim = self.work / "shim"

    def headers(self):
        self.obj.mkdir(exist_ok=True)
        self.obj.chmod(0o1777)  # tests that run as another user write there
        self.shim.mkdir(exist_ok=True)
        for name, text in HEADERS.items():
            (self.shim / name).write_text(text)
        for name in LINKED:
            link = self.shim / pathlib.Path(name).name
            if (self.tree / name).exists() and not link.is_symlink():
                link.symlink_to(self.tree / name)

    def compiler(self):
        after = [f"-idirafter{self.tree / d}" for d in ["sysdeps/pthread", "nptl", "sysdeps/unix/sysv/linux", ""]]
        return ["gcc", "-std=gnu11", "-O2", "-w", "-D_GNU_SOURCE", "-DTIMEOUTFACTOR=1", "-U_FORTIFY_SOURCE", "-fgnu89-inline", "-include",
                "standalone.h", f"-I{self.shim}", f"-I{self.tree}/support", *after, f'-DOBJPFX="{self.obj}/"']

    def run(self, output, command):
        """Makes OUTPUT with COMMAND, unless it was made, or failed, by the same command."""
        stamp = self.obj / (output + ".made")
        key = hashlib.sha256(repr(command).encode()).hexdigest()
        if stamp.exists() and stamp.read_text().split()[0] == key:
            return stamp.read_text().split()[1] == "0"
        done = subprocess.run([str(c) for c in command] + ["-o", self.obj / output], capture_output=True, check=False)
        (self.obj / (output + ".log")).write_bytes(done.stderr)
        stamp.write_text(f"{key} {done.returncode}")
        return done.returncode == 0

    def support(self, tests=None):
        """Makes libsupport.a, for the sources TESTS alone if they are given."""
        routines = re.search(r"^libsupport-routines = (.*?)\n\n", (self.tree / "support/Makefile").read_text(), re.S | re.M)
        paths = [f'-D{name}_PATH="{self.obj}"' for name in
                 "SRCDIR OBJDIR OBJDIR_ELF_LDSO INSTDIR LIBDIR SLIBDIR BINDIR SBINDIR ROOTSBINDIR COMPLOCALEDIR SYSCONFDIR".split()]
        names = ["support/" + name for name in routines[1].replace("\\", "").split()]
        names += ["malloc/scratch_buffer_" + name for name in ("grow", "grow_preserve", "set_array_size")]
        if tests is not None:
            names = used(self.tree, names, tests)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            outputs = [f"support-{pathlib.Path(name).name}.o" for name in names]
            made = list(pool.map(lambda name, output: self.run(output, self.compiler() + paths + ["-c", self.tree / f"{name}.c"]),
                                 names, outputs))
        archive = self.obj / "libsupport.a"
        archive.unlink(missing_ok=True)
        subprocess.run(["ar", "rcs", archive, *(self.obj / output for output, is_made in zip(outputs, made) if is_made)], check=True)


def used(tree, names, tests):
    """Those of the support sources NAMES that define a word of the sources TESTS, of the headers' macros, or of each other."""
    def code(path):
        return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\n])*"', " ", path.read_text(errors="replace"), flags=re.S)

    def words(text):
        return set(re.findall(r"\w+", text))

    def defined(name, text):
        return {pathlib.Path(name).name, *re.findall(r"^(\w+) \(", text, re.M)} | set(re.findall(r"^[A-Za-z_][^\n(]*?(\w+)(?:\[[^\n]*\])*(?:;| =)", text, re.M))

    wanted, files = set(), list(tests)
    for path in files:
        wanted |= words(code(path))
        for name in re.findall(r'^ *# *include [<"]([^>"]*\.c)[>"]', path.read_text(errors="replace"), re.M):
            files += [p for p in (tree / folder / name for folder in ["", *FOLDERS]) if p.exists() and p not in files]
    for path in (tree / "support").glob("*.h"):
        wanted |= words(" ".join(re.findall(r"^ *# *define (?:.*\\\n)*.*", code(path), re.M)))
    texts, found = {name: code(tree / f"{name}.c") for name in names}, set()
    while more := {name for name in names if name not in found and defined(name, texts[name]) & wanted}:
        found |= more
        wanted = wanted.union(*(words(texts[name]) for name in more))
    return [name for name in names if name in found]


class Makefiles:
    """What the makefiles of FOLDERS say about each test."""

    def __init__(self, tree, obj):
        self.obj = obj
        self.deps = {}
        self.variables = {}
        for folder in FOLDERS:
            path = tree / folder / "Makefile"
            if path.exists():
                self._read(path.read_text().replace("\\\n", " "))

    def _read(self, text):
        for line in text.splitlines():
            if rule := re.match(r"\$\(objpfx\)([\w.+-]+?)(\.out)?\s*:\s*(.*)$", line):
                self.deps.setdefault(rule[1], []).append((bool(rule[2]), rule[3]))
            elif variable := re.match(r"((?:CFLAGS|LDFLAGS|LDLIBS)-\S+|\S+-(?:ENV|ARGS))\s*[:+]?=\s*(.*)$", line):
                self.variables[variable[1]] = self.variables.get(variable[1], "") + " " + variable[2]

    def needs(self, name):
        """What NAME is linked with, and what it loads: names of .so and .o files."""
        link, load = [], []
        for at_run, text in self.deps.get(name, []):
            found = re.findall(r"\$\(objpfx\)([\w.+-]+\.s?o)\b", text)
            (load if at_run else link).extend(found)
        return link, load

    def words(self, variable, test=""):
        """The words of a variable; None when it refers to what only glibc's build has."""
        text = self.variables.get(variable, "")
        for name, value in {"$(objpfx)": f"{self.obj}/", "$(host-test-program-cmd)": f"{self.obj}/{test}",
                            "$(config-cflags-wno-ignored-attributes)": "", "$(no-stack-protector)": "-fno-stack-protector",
                            "$(exceptions)": "-fexceptions", "$(test-xfail)": "", "$(stack-align-test-flags)": "-mstackrealign",
                            "$(libio-mtsafe)": "", "$(exceptions-cflags)": "-fexceptions"}.items():
            text = text.replace(name, value)
        if "$" in text:
            return None
        return re.findall(r'(?:[^\s"\']|"[^"]*"|\'[^\']*\')+', text)


def module(build, makefiles, folder, name, seen=()):
    """Builds the module NAME.so or NAME.o that a test of FOLDER wants."""
    stem = name.rsplit(".", 1)[0]
    source = next((p for p in (build.tree / f / f"{stem}.c" for f in [folder, *FOLDERS]) if p.exists()), None)
    flags, links = makefiles.words(f"CFLAGS-{stem}.c"), makefiles.words(f"LDFLAGS-{name}")
    if source is None or flags is None or links is None or name in seen:
        return False
    if name.endswith(".o"):
        return build.run(name, [*build.compiler(), *flags, "-c", source])
    needed = [n for n in makefiles.needs(name)[0] if n not in ("ld.so", "libc.so")]
    return all(module(build, makefiles, folder, n, (*seen, name)) for n in needed) and build.run(
        name, [*build.compiler(), *flags, "-fPIC", "-DPIC", "-DSHARED", "-DMODULE_NAME=testsuite", "-shared", source,
               *(build.obj / n for n in needed), *links, f"-Wl,-rpath,{build.obj}", f"-Wl,-soname,{name}",
               build.obj / "libsupport.a"])


def test(build, makefiles, folder, name):
    """Builds the test NAME; the case's description, or None."""
    flags, links = makefiles.words(f"CFLAGS-{name}.c"), makefiles.words(f"LDFLAGS-{name}")
    arguments, environment = makefiles.words(f"{name}-ARGS", name), makefiles.words(f"{name}-ENV")
    if None in (flags, links, arguments, environment) or any("LD_PRELOAD" in e for e in environment):
        return None
    link, load = makefiles.needs(name)
    if not all(module(build, makefiles, folder, n) for n in link + load):
        return None
    made = build.run(name, [*build.compiler(), *flags, "-DMODULE_NAME=testsuite", build.tree / folder / f"{name}.c",
                            *(build.obj / n for n in link), *links, f"-Wl,-rpath,{build.obj}",
                            build.obj / "libsupport.a", "-lm"])
    unquoted = [re.sub(r"[\"']", "", a) for a in arguments]
    return {"arguments": unquoted, "env": dict(e.split("=", 1) for e in environment if "=" in e)} if made else None


def core():
    return (pathlib.Path(__file__).with_suffix(".core")).read_text().split("\n")


def candidates(tree):
    for folder in FOLDERS:
        for path in sorted([*(tree / folder).glob("tst-*.c"), *(tree / folder).glob("test-*.c")]):
            name = path.stem
            if re.search(NOT, name) or not re.match(ONLY.get(folder, ""), name):
                continue
            # Parts of other tests have no main.
            if not re.search(rb"test-driver\.c|test-skeleton\.c|\bmain\b|#\s*include [<\"][^>\"]*(tst|test)-[^>\"]*\.c", path.read_bytes()):
                continue
            yield folder, name


def prepare(work):
    suite.need("gcc", "ar")
    version = subprocess.run(["dpkg-query", "-W", "-f", "${source:Version}", "libc6"], capture_output=True, text=True, check=False)
    build = Build(work)
    # The source of exactly the libc that runs, or else of the same release.
    try:
        build.tree = suite.source("glibc", work, version.stdout.strip())
    except suite.Skip:
        build.tree = suite.source("glibc", work)
    build.headers()
    makefiles = Makefiles(build.tree, build.obj)
    wanted = dict((name, folder) for folder, name in reversed(list(candidates(build.tree))))
    if suite.core_only:
        wanted = {name: folder for name, folder in wanted.items() if name in core()}
        stems = [(folder, part.rsplit(".", 1)[0]) for name, folder in wanted.items() for part in [name, *sum(makefiles.needs(name), [])]]
        build.support([build.tree / folder / f"{stem}.c" for folder, stem in stems if (build.tree / folder / f"{stem}.c").exists()])
    else:
        build.support()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        described = dict(zip(wanted, pool.map(lambda item: test(build, makefiles, item[1], item[0]), wanted.items())))
    if suite.core_only and not all(described.values()):  # perhaps one needs a function that used() does not see
        build.support()
        for name in [name for name, what in described.items() if not what]:
            (build.obj / f"{name}.made").unlink(missing_ok=True)
            described[name] = test(build, makefiles, wanted[name], name)
    found = {name: what for name, what in described.items() if what}
    (build.work / ("core.json" if suite.core_only else "tests.json")).write_text(json.dumps(found, indent=1, sort_keys=True))


def cases(work):
    build = Build(work)
    described = json.loads((build.work / ("core.json" if suite.core_only else "tests.json")).read_text())
    mine = core()
    for name, what in sorted(described.items()):
        yield Case(name, [build.obj / name, *what["arguments"]], timeout=400, env={"TIMEOUTFACTOR": "5"} | what["env"],
                   user="nobody", core=name in mine, unordered=True)
