/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Joins two network namespaces by a line with known delays.
 *
 *	wire [--delay=US[,US]] [--jitter=US[,US]] [--loss=PERCENT[,PERCENT]] [--down=MS,MS] [--seed=N] PID DEVICE PID DEVICE
 *
 * wire makes one tun device in the network namespace of each process PID, and relays the IP packets between them. A value
 * holds for both directions, or the first one for packets from the first device and the second one for the others.
 *
 *	delay   least time that a packet spends in the wire
 *	jitter  greatest addition to the delay; the addition is random and uniform
 *	loss    probability that the wire drops a packet
 *	down    interval since the first packet in which the wire drops all packets
 *
 * Packets keep their order, as on a line. The loss and the jitter of the n-th packet of a direction follow from the seed
 * alone. A packet is never early; it is late if wire gets no processor. wire ends on SIGTERM or with its parent, prints the
 * packets and the true delays of both directions in us, and the devices vanish with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/random.h"

#define PACKETS 4096u /* in one direction at a time */
#define PACKET_BYTES 2048u
#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)
#define PPM_PER_PERCENT 10000u
#define MILLION UINT64_C(1000000)

struct packet {
	uint64_t came_ns, due_ns;
	size_t bytes;
	unsigned char data[PACKET_BYTES];
};

/* One direction. */
struct way {
	int from, to;
	uint64_t delay_ns, jitter_ns, loss_ppm;
	struct syt_random random;
	struct packet packets[PACKETS]; /* a ring */
	uint64_t nr_in, nr_out;
	uint64_t nr_lost;
	uint64_t last_due_ns;
	uint64_t least_ns, greatest_ns, sum_ns;
};

static struct way ways[2];
static uint64_t first_ns; /* when the first packet came */
static uint64_t down_ns, up_ns;
static volatile sig_atomic_t is_over;

static void fail(const char *what)
{
	fprintf(stderr, "wire: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void on_end(int number)
{
	(void)number;
	is_over = 1;
}

/* Moves this process into the network namespace of the process PID and returns a new tun device NAME there. */
static int open_device(const char *pid, const char *name)
{
	struct ifreq request = {.ifr_flags = IFF_TUN | IFF_NO_PI};
	char path[64];
	int net, tun;

	snprintf(path, sizeof(path), "/proc/%s/ns/net", pid);
	net = open(path, O_RDONLY | O_CLOEXEC);
	if (net < 0 || setns(net, CLONE_NEWNET))
		fail(path);
	close(net);
	tun = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (tun < 0)
		fail("/dev/net/tun");
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
	if (ioctl(tun, TUNSETIFF, &request))
		fail(name);
	return tun;
}

/* Decides the fate of a packet that came at NOW. Draws the same numbers for each packet, so that the fate of the n-th packet
 * does not depend on the time. */
static bool admit(struct way *w, struct packet *p, uint64_t now)
{
	bool is_lost = syt_random_below(&w->random, MILLION) < w->loss_ppm;
	uint64_t jitter_ns = syt_random_below(&w->random, w->jitter_ns + 1);

	if (!first_ns)
		first_ns = now;
	is_lost |= now - first_ns >= down_ns && now - first_ns < up_ns;
	p->came_ns = now;
	p->due_ns = now + w->delay_ns + jitter_ns;
	if (p->due_ns < w->last_due_ns)
		p->due_ns = w->last_due_ns;
	if (!is_lost)
		w->last_due_ns = p->due_ns;
	return !is_lost;
}

static void take_in(struct way *w)
{
	while (w->nr_in - w->nr_out < PACKETS) {
		struct packet *p = &w->packets[w->nr_in % PACKETS];
		ssize_t bytes = read(w->from, p->data, sizeof(p->data));

		if (bytes <= 0)
			return;
		p->bytes = (size_t)bytes;
		if (admit(w, p, now_ns()))
			w->nr_in++;
		else
			w->nr_lost++;
	}
}

/* Hands over the packets that are due. Returns the time when the next one is due, or UINT64_MAX. */
static uint64_t hand_over(struct way *w)
{
	for (; w->nr_out < w->nr_in; w->nr_out++) {
		const struct packet *p = &w->packets[w->nr_out % PACKETS];
		uint64_t now = now_ns(), took_ns = now - p->came_ns;

		if (p->due_ns > now)
			return p->due_ns;
		if (write(w->to, p->data, p->bytes) < 0)
			w->nr_lost++;
		if (!w->nr_out || took_ns < w->least_ns)
			w->least_ns = took_ns;
		if (took_ns > w->greatest_ns)
			w->greatest_ns = took_ns;
		w->sum_ns += took_ns;
	}
	return UINT64_MAX;
}

static void relay(const sigset_t *waiting)
{
	while (!is_over) {
		struct pollfd polls[2];
		struct timespec left, *limit = NULL;
		uint64_t due_ns = UINT64_MAX, now;

		for (unsigned n = 0; n < 2; n++) {
			struct way *w = &ways[n];
			uint64_t next_ns = hand_over(w);

			if (next_ns < due_ns)
				due_ns = next_ns;
			/* a full ring leaves the packets in the device */
			polls[n] =
				(struct pollfd){.fd = w->nr_in - w->nr_out < PACKETS ? w->from : -1,
			                        .events = POLLIN};
		}
		now = now_ns();
		if (due_ns != UINT64_MAX) {
			uint64_t ns = due_ns > now ? due_ns - now : 0;

			left = (struct timespec){(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};
			limit = &left;
		}
		if (ppoll(polls, 2, limit, waiting) < 0 && errno != EINTR)
			fail("ppoll");
		for (unsigned n = 0; n < 2; n++)
			take_in(&ways[n]);
	}
}

/* Reads "A" or "A,B" in units of UNIT. */
static void read_two(const char *text, double unit, uint64_t *first, uint64_t *second)
{
	char *end;
	double value = strtod(text, &end);

	*first = *second = (uint64_t)(value * unit);
	if (*end == ',')
		*second = (uint64_t)(strtod(end + 1, &end) * unit);
	if (*end || end == text) {
		fprintf(stderr, "wire: '%s' is no number or pair of numbers\n", text);
		exit(2);
	}
}

static void read_options(int argc, char **argv)
{
	static const struct option options[] = {
		{"delay", required_argument, NULL, 'd'}, {"jitter", required_argument, NULL, 'j'},
		{"loss", required_argument, NULL, 'l'},  {"down", required_argument, NULL, 'o'},
		{"seed", required_argument, NULL, 's'},  {0},
	};
	uint64_t seed = 1;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'd':
			read_two(optarg, NS_PER_US, &ways[0].delay_ns, &ways[1].delay_ns);
			break;
		case 'j':
			read_two(optarg, NS_PER_US, &ways[0].jitter_ns, &ways[1].jitter_ns);
			break;
		case 'l':
			read_two(optarg, PPM_PER_PERCENT, &ways[0].loss_ppm, &ways[1].loss_ppm);
			break;
		case 'o':
			read_two(optarg, NS_PER_MS, &down_ns, &up_ns);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 10);
			break;
		default:
			exit(2);
		}
	}
	if (argc - optind != 4) {
		fprintf(stderr, "usage: wire [OPTION...] PID DEVICE PID DEVICE\n");
		exit(2);
	}
	ways[0].random.state = seed;
	ways[1].random.state = ~seed;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_end};
	sigset_t waiting, ends;
	int fds[2];

	read_options(argc, argv);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, &waiting);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_TIMERSLACK, 1ul); /* else each packet is up to 50 us late */
	for (unsigned n = 0; n < 2; n++)
		fds[n] = open_device(argv[optind + 2 * (int)n], argv[optind + 2 * (int)n + 1]);
	for (unsigned n = 0; n < 2; n++) {
		ways[n].from = fds[n];
		ways[n].to = fds[1 - n];
	}
	relay(&waiting);
	for (unsigned n = 0; n < 2; n++) {
		const struct way *w = &ways[n];

		printf("wire %u: %" PRIu64 " packets, %" PRIu64
		       " lost, delays %.1f least, %.1f mean, %.1f greatest\n",
		       n, w->nr_out, w->nr_lost, (double)w->least_ns / NS_PER_US,
		       w->nr_out ? (double)w->sum_ns / (double)w->nr_out / NS_PER_US : 0.0,
		       (double)w->greatest_ns / NS_PER_US);
	}
	return 0;
}
