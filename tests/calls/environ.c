/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests that the program sees its own environment. The environment contains no variable of the
 * recorder, even if the program changes the environment, and while libc starts shells. Programs that
 * this program starts are traced all the same. The output of each step must be the same untraced. */
#include <elf.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <wordexp.h>

#include "tests/calls/expect.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char self[4096], command[4200];
static int image = 1; /* number P of the next process image */
static int from_shell[2], to_shell[2];

/* Checks that the environment has no entry of the recorder, and returns the number of entries. */
static int clean(void)
{
	int nr = 0;

	for (char **e = environ; e && *e; e++, nr++)
		CHECK(strncmp(*e, "LD_PRELOAD", 10) && strncmp(*e, "SYNTRACE_SESSION", 16) &&
		      strncmp(*e, "SYNTRACE_DIR", 12) && strncmp(*e, "syt-gone", 8));
	CHECK(!getenv("LD_PRELOAD"));
	return nr;
}

/* The new process image: "child" WHAT P. */
static int child(char **argv)
{
	int nr = clean();

	if (!strcmp(argv[2], "empty")) /* a shell adds entries of its own */
		CHECK(!getenv("INHERITED") && nr <= 4);
	else
		CHECK(!strcmp(getenv("INHERITED"), argv[2]));
	pthread_mutex_lock(&m);
	expect("%s.0 pthread_mutex_lock mutex:* 0", argv[3]);
	return 0;
}

/* Returns a command for a shell (one process image) that execs the child (the next process image). */
static const char *shell_command(const char *what)
{
	snprintf(command, sizeof(command), "exec %s child %s %d", self, what, image + 1);
	image += 2;
	return command;
}

static void by_shell(const char *what)
{
	char **before = environ;
	int nr = clean();

	CHECK(system(shell_command(what)) == 0);
	CHECK(environ == before && clean() == nr);
	FILE *f = popen(shell_command(what), "w");

	CHECK(f && environ == before && clean() == nr);
	CHECK(pclose(f) == 0);
}

static void by_exec(const char *what)
{
	char number[16];
	pid_t pid;

	image++; /* the forked one */
	snprintf(number, sizeof(number), "%d", image++);
	pid = fork();
	if (pid == 0) {
		execl(self, self, "child", what, number, NULL);
		_Exit(1);
	}
	int status;

	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

/* The auxiliary vector follows the environment in memory, and some programs find it there. */
static void auxiliary(void)
{
	char **e = environ;
	unsigned long page = 0;

	while (*e)
		e++;
	for (Elf64_auxv_t *a = (Elf64_auxv_t *)(e + 1); a->a_type != AT_NULL; a++)
		if (a->a_type == AT_PAGESZ)
			page = a->a_un.a_val;
	CHECK(!getenv("EVEN") || page == getauxval(AT_PAGESZ));
}

static void words(void)
{
	wordexp_t w;

	char text[sizeof(command) + 40];

	/* the program prints the second word of "P.0 pthread_mutex_lock mutex:* 0" */
	snprintf(text, sizeof(text), "a $(%s) $INHERITED", shell_command("yes"));
	CHECK(wordexp(text, &w, 0) == 0);
	CHECK(w.we_wordc == 6 && !strcmp(w.we_wordv[2], "pthread_mutex_lock"));
	CHECK(!strcmp(w.we_wordv[5], "yes"));
	expect("%s %s %s %s", w.we_wordv[1], w.we_wordv[2], w.we_wordv[3], w.we_wordv[4]);
	wordfree(&w);
	clean();
}

static void *run_shell(void *arg)
{
	char text[100];
	int *rv = arg;

	/* says that it runs, and waits */
	snprintf(text, sizeof(text), "echo >&%d; read x <&%d", from_shell[1], to_shell[0]);
	*rv = -2;
	*rv = system(text);
	return NULL;
}

static pthread_t begin_shell(int *rv)
{
	pthread_t t;
	char c;

	CHECK(pthread_create(&t, NULL, run_shell, rv) == 0);
	image++;
	CHECK(read(from_shell[0], &c, 1) == 1);
	return t;
}

/* Writes a line for each shell; any shell may read any line. */
static void go_on(int nr_shells)
{
	CHECK(write(to_shell[1], "\n\n", (size_t)nr_shells) == nr_shells);
}

static void end_shell(pthread_t t)
{
	go_on(1);
	CHECK(pthread_join(t, NULL) == 0);
}

/* Runs in other threads while a shell runs. */
static void meanwhile(void)
{
	static char given[] = "GIVEN=1";
	pthread_t t, t2;
	int rv, rv2, status;
	pid_t pid;

	t = begin_shell(&rv); /* sets a new variable, for which libc makes a new array */
	setenv("NEW", "1", 1);
	by_exec("yes");
	end_shell(t);
	CHECK(rv == 0 && !strcmp(getenv("NEW"), "1"));
	int nr = clean();

	t = begin_shell(&rv); /* removes one variable and replaces one, in the existing array */
	CHECK(unsetenv("NEW") == 0);
	CHECK(putenv((char *)"INHERITED=again") == 0);
	end_shell(t);
	CHECK(rv == 0 && !getenv("NEW") && !strcmp(getenv("INHERITED"), "again"));
	CHECK(clean() == nr - 1);
	by_exec("again");

	t = begin_shell(&rv); /* two at once */
	t2 = begin_shell(&rv2);
	CHECK(putenv(given) == 0);
	go_on(2);
	CHECK(pthread_join(t, NULL) == 0 && pthread_join(t2, NULL) == 0);
	CHECK(rv == 0 && rv2 == 0 && getenv("GIVEN") == given + 6);
	CHECK(clean() == nr);

	t = begin_shell(&rv); /* a child that forks meanwhile has no shell */
	image++;
	pid = fork();
	if (pid == 0)
		_Exit(clean() != nr);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	end_shell(t);

	t = begin_shell(&rv); /* the thread is cancelled, and libc kills the shell */
	CHECK(pthread_cancel(t) == 0);
	CHECK(pthread_join(t, NULL) == 0);
	CHECK(rv == -2 && clean() == nr);
}

int main(int argc, char **argv)
{
	static char *own[] = {(char *)"INHERITED=own", NULL};
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	CHECK(n > 0);
	if (argc > 3)
		return child(argv);
	if (argc == 1) { /* runs again as a process image whose environment the recorder made */
		setenv("EVEN", "1", 1);
		execl(self, self, "again", NULL);
		_Exit(1);
	}
	image = 2;
	expect("only pthread_mutex_lock");
	auxiliary();
	clean();
	CHECK(pipe(from_shell) == 0 && pipe(to_shell) == 0);
	CHECK(putenv((char *)"INHERITED=yes") == 0);
	by_shell("yes");
	by_exec("yes");
	words();
	meanwhile();
	environ = own;
	by_shell("own");
	by_exec("own");
	CHECK(environ == own);
	environ = NULL;
	by_shell("empty");
	by_exec("empty");
	CHECK(!environ);
	clearenv();
	by_exec("empty");
	setenv("INHERITED", "yes", 1);
	unsetenv("LD_PRELOAD");
	by_shell("yes");
	return 0;
}
