/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/report/top/screen.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define WIDTH_DEFAULT 80u
#define HEIGHT_DEFAULT 24u

/* another page of the terminal, without a cursor; and back */
#define ENTER "\033[?1049h\033[?25l\033[H\033[2J"
#define LEAVE "\033[?25h\033[?1049l"

static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP};

#define NR_HANDLED (sizeof(handled) / sizeof(*handled))

/* Only one screen exists at a time, because signal handlers belong to the process. */
static struct {
	volatile sig_atomic_t is_ended, is_resized, is_stopped;
	sigset_t
		before; /* signals that were blocked before; all handled signals are blocked except in a wait */
	struct sigaction actions[NR_HANDLED];
	struct termios state;
} terminal;

static void on_signal(int sig)
{
	if (sig == SIGWINCH)
		terminal.is_resized = 1;
	else if (sig == SIGTSTP)
		terminal.is_stopped = 1;
	else
		terminal.is_ended = 1;
}

static void write_all(const char *text)
{
	size_t bytes = strlen(text);
	ssize_t n;

	while (bytes && (n = write(STDOUT_FILENO, text, bytes)) > 0) {
		text += n;
		bytes -= (size_t)n;
	}
}

static void measure(struct syt_screen *s)
{
	struct winsize size;
	bool is_known = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);

	s->width = is_known && size.ws_col ? size.ws_col : WIDTH_DEFAULT;
	s->height = is_known && size.ws_row ? size.ws_row : HEIGHT_DEFAULT;
}

static void enter(struct syt_screen *s)
{
	struct termios raw = terminal.state;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	if (s->has_keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	write_all(ENTER);
	measure(s);
}

static void leave(const struct syt_screen *s)
{
	write_all(LEAVE);
	if (s->has_keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.state);
}

void syt_screen_open(struct syt_screen *s, bool may_draw)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t set;

	*s = (struct syt_screen){.is_terminal = may_draw && isatty(STDOUT_FILENO)};
	if (!s->is_terminal)
		return;
	s->has_keys = !tcgetattr(STDIN_FILENO, &terminal.state);
	sigemptyset(&set);
	for (size_t n = 0; n < NR_HANDLED; n++)
		sigaddset(&set, handled[n]);
	sigprocmask(SIG_BLOCK, &set, &terminal.before);
	for (size_t n = 0; n < NR_HANDLED; n++)
		sigaction(handled[n], &action, &terminal.actions[n]);
	enter(s);
}

void syt_screen_close(struct syt_screen *s)
{
	if (!s->is_terminal)
		return;
	leave(s);
	for (size_t n = 0; n < NR_HANDLED; n++)
		sigaction(handled[n], &terminal.actions[n], NULL);
	sigprocmask(SIG_SETMASK, &terminal.before, NULL);
	s->is_terminal = false;
}

/* Stops the process as the terminal asked (Ctrl-Z), with the terminal restored. Returns when it continues. */
static void stop(struct syt_screen *s)
{
	terminal.is_stopped = 0;
	leave(s);
	raise(SIGSTOP);
	enter(s);
}

static struct timespec left_until(uint64_t until_ns)
{
	struct timespec now;
	uint64_t now_ns, left;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	left = until_ns > now_ns ? until_ns - now_ns : 0;
	return (struct timespec){(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
}

/* Returns the effect of a signal as SYT_SCREEN_*, or 0. */
static int take_signal(struct syt_screen *s)
{
	if (terminal.is_ended)
		return SYT_SCREEN_END;
	if (!terminal.is_stopped && !terminal.is_resized)
		return 0;
	if (terminal.is_stopped)
		stop(s);
	terminal.is_resized = 0;
	measure(s);
	return SYT_SCREEN_RESIZED;
}

/* Reads a key. The keys of an escape sequence, such as an arrow, are no keys. */
static int read_key(struct syt_screen *s)
{
	char keys[16];
	ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));

	s->has_keys = n > 0;
	return n > 0 && keys[0] != '\033' ? (unsigned char)keys[0] : SYT_SCREEN_RESIZED;
}

int syt_screen_wait(struct syt_screen *s, uint64_t until_ns)
{
	sigset_t during = terminal.before;

	for (;;) {
		struct pollfd fds[] = {{.fd = STDOUT_FILENO},
		                       {.fd = s->has_keys ? STDIN_FILENO : -1, .events = POLLIN}};
		struct timespec left = left_until(until_ns);

		if (s->is_terminal)
			for (size_t n = 0; n < NR_HANDLED; n++)
				sigdelset(&during, handled[n]);

		int nr = ppoll(fds, 2, &left, s->is_terminal ? &during : NULL);
		int signal = s->is_terminal ? take_signal(s) : 0;

		if (signal)
			return signal;
		if (!nr)
			return SYT_SCREEN_TIMEOUT;
		if (nr > 0 && fds[0].revents & (POLLERR | POLLHUP))
			return SYT_SCREEN_END;
		if (nr > 0 && fds[1].revents)
			return read_key(s);
	}
}
