/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * A shop in three processes. Each request of a client crosses all of them, and comes back:
 *
 *	client  <->  front  <->  shop  <->  store
 *
 *  - The front is an event loop. It forwards a request over an idle connection to the shop, and returns the answer.
 *  - The shop has an event loop that puts requests into a queue (mutex and condition variable), and four workers that
 *    take them. Each worker has its own connection to the store. The worker that took a request answers it.
 *  - The store is an event loop. It collects the answers of a turn, and sends them before the next wait.
 *
 * A request is a line `GET /KIND?id=N`. There are five kinds:
 *
 *	home      1 query
 *	look_up   2 queries
 *	search    5 queries and a computation
 *	basket    2 queries, and a line in the file shop.log
 *	order     3 queries, and a line in the file shop.log
 *
 * A trace of all tiers and of the client; a trace of the tiers only:
 *
 *	SYNTRACE_DIR=shop.data LD_PRELOAD=libsyntrace.so ./shop
 *	SYNTRACE_DIR=shop.data LD_PRELOAD=libsyntrace.so ./shop --port=5000 serve &
 *	./shop --port=5000 client
 *
 * The client has four connections, and sends the next request on a connection after the answer to the previous one. The
 * seed alone determines the kinds of the requests. The shop ends after the client has closed all its connections. The
 * options are --requests=N (900), --seed=N (1), --directory=DIR (of the logs), --port=PORT, --fault and --rate=N: the
 * client begins at most N requests a second (0: no limit).
 *
 * A fault changes the work of one request, for example `./shop --fault=sleep:120 --fault=read:200`:
 *
 *	read    reload_prices() reads from a file
 *	sleep   back_off() sleeps for 30 ms
 *	query   check_stock() makes one more query
 *	spin    recompute() computes for 25 ms
 *	hang    wait_for_supplier() sleeps for --hang=SECONDS (5)
 *
 * Two logs contain the true work of each request, in the directory of the option --directory:
 *
 *	client.log  ID KIND PORT SENT RECEIVED   a request: the client's port, bytes of the request and of its answer
 *	store.log   ID COMMAND RECEIVED SENT     a query: bytes of the query and of its answer
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NR_CONNECTIONS 4 /* from each tier to the next one */
#define NR_WORKERS NR_CONNECTIONS
#define NR_QUEUED 16u /* more requests than connections */
#define NR_ITEMS 64u
#define LINE 512
#define MOST_REQUESTS 1000000u
#define SLEEP_NS 30000000 /* duration of the fault `sleep` */
#define SPIN_NS 25000000  /* CPU time of the fault `spin` */
#define LOG_BUFFER (64u << 20)
#define NOINLINE __attribute__((noinline))

static struct {
	unsigned requests, seed, port, rate, hang;
	int listener;
	const char *directory;
} settings = {.requests = 900, .seed = 1, .hang = 5, .listener = -1, .directory = "."};

static void die(const char *what)
{
	fprintf(stderr, "shop: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* ---- connections ---- */

/* A connection that carries lines. At most one line is under way in each direction. */
struct peer {
	int fd;
	size_t nr;         /* bytes in `line` */
	bool is_accepted;  /* the other end made the connection */
	struct peer *with; /* front: the other connection of the request */
	char line[LINE];
};

enum received { CLOSED, PART, WHOLE };

/* Receives once. After WHOLE, p->line is a line with its newline and a null byte, and p->nr is its length. */
NOINLINE static enum received receive(struct peer *p)
{
	ssize_t nr = recv(p->fd, p->line + p->nr, sizeof(p->line) - 1 - p->nr, 0);

	if (nr <= 0)
		return CLOSED;
	p->nr += (size_t)nr;
	p->line[p->nr] = 0;
	return p->line[p->nr - 1] == '\n' ? WHOLE : PART;
}

static void send_all(const struct peer *p, const char *line, size_t bytes)
{
	if (send(p->fd, line, bytes, MSG_NOSIGNAL) != (ssize_t)bytes)
		die("send");
}

static struct sockaddr_in loopback(unsigned port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
	                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	                            .sin_port = htons((uint16_t)port)};
}

static unsigned port_of(int fd)
{
	struct sockaddr_in own;
	socklen_t size = sizeof(own);

	if (getsockname(fd, (struct sockaddr *)&own, &size))
		die("getsockname");
	return ntohs(own.sin_port);
}

/* Returns a listening socket. PORT 0 takes any port. */
static int listen_on(unsigned port)
{
	struct sockaddr_in own = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, (struct sockaddr *)&own, sizeof(own)) || listen(fd, SOMAXCONN))
		die("listen");
	return fd;
}

static int dial(unsigned port)
{
	struct sockaddr_in other = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&other, sizeof(other)))
		die("connect");
	return fd;
}

/* ---- event loop of a tier ---- */

static struct loop {
	int poll;
	unsigned nr_accepted, nr_open, nr_peers;
	struct peer peers[2 * NR_CONNECTIONS];
} loop;

static struct peer *watch(int fd, bool is_accepted)
{
	struct peer *p = &loop.peers[loop.nr_peers++];
	struct epoll_event e = {.events = EPOLLIN, .data.ptr = p};

	*p = (struct peer){.fd = fd, .is_accepted = is_accepted};
	if (fd < 0 || epoll_ctl(loop.poll, EPOLL_CTL_ADD, fd, &e))
		die("epoll_ctl");
	return p;
}

NOINLINE static void accept_peer(void)
{
	watch(accept(settings.listener, NULL, NULL), true);
	loop.nr_accepted++;
	loop.nr_open++;
}

NOINLINE static void read_peer(struct peer *p, void answer(struct peer *p))
{
	enum received r = receive(p);

	if (r == WHOLE)
		answer(p);
	if (r != CLOSED)
		return;
	if (!p->is_accepted)
		die("a tier ended early");
	loop.nr_open--;
	close(p->fd);
	p->fd = -1;
}

static void open_loop(void)
{
	struct epoll_event e = {.events = EPOLLIN};

	if ((loop.poll = epoll_create1(EPOLL_CLOEXEC)) < 0 ||
	    epoll_ctl(loop.poll, EPOLL_CTL_ADD, settings.listener, &e))
		die("epoll_create1");
}

/* Serves until all of NR_CONNECTIONS connections are closed. ANSWER gets peers with a whole line. BEFORE_WAIT may be NULL. */
static void run_loop(void answer(struct peer *p), void before_wait(void))
{
	struct epoll_event events[8];

	while (loop.nr_accepted < NR_CONNECTIONS || loop.nr_open) {
		int nr;

		if (before_wait)
			before_wait();
		if ((nr = epoll_wait(loop.poll, events, 8, -1)) < 0 && errno != EINTR)
			die("epoll_wait");
		for (int i = 0; i < nr; i++)
			if (events[i].data.ptr)
				read_peer(events[i].data.ptr, answer);
			else if (loop.nr_accepted < NR_CONNECTIONS)
				accept_peer();
			else
				die("too many connections");
	}
}

/* ---- front ---- */

static struct peer *idle[NR_CONNECTIONS]; /* connections to the shop */
static unsigned nr_idle;

NOINLINE static void forward(struct peer *client)
{
	struct peer *shop = idle[--nr_idle]; /* each client has at most one request */

	shop->with = client;
	send_all(shop, client->line, client->nr);
	client->nr = 0;
}

NOINLINE static void give_back(struct peer *shop)
{
	send_all(shop->with, shop->line, shop->nr);
	shop->nr = 0;
	idle[nr_idle++] = shop;
}

static void answer_front(struct peer *p)
{
	if (p->is_accepted)
		forward(p);
	else
		give_back(p);
}

static void be_front(void)
{
	open_loop();
	while (nr_idle < NR_CONNECTIONS)
		idle[nr_idle++] = watch(dial(settings.port), false);
	run_loop(answer_front, NULL);
	while (nr_idle)
		close(idle[--nr_idle]->fd);
}

/* ---- store ---- */

static unsigned values[NR_ITEMS];
static FILE *store_log;
static struct {
	const struct peer *to;
	size_t bytes;
	char line[LINE];
} answers[NR_WORKERS]; /* a worker waits for its answer */
static unsigned nr_answers;

static unsigned item_of(unsigned id)
{
	return id * 2654435761u >> 26; /* below NR_ITEMS */
}

/* `get ID ITEM` answers the item's description, `add ID ITEM` counts the item. The lengths depend on the item alone. */
NOINLINE static int execute(const char *query, char line[LINE])
{
	unsigned id, item;
	char command[8];
	int bytes;

	if (sscanf(query, "%7s %u %u", command, &id, &item) != 3 || item >= NR_ITEMS)
		die("query");
	if (!strcmp(command, "add"))
		bytes = snprintf(line, LINE, "%08u\n", ++values[item]);
	else
		bytes = snprintf(line, LINE, "item-%0*u\n", 1 + (int)(item % 37), item);
	fprintf(store_log, "%u %s %zu %d\n", id, command, strlen(query), bytes);
	return bytes;
}

static void answer_store(struct peer *p)
{
	answers[nr_answers].to = p;
	answers[nr_answers].bytes = (size_t)execute(p->line, answers[nr_answers].line);
	nr_answers++;
	p->nr = 0;
}

NOINLINE static void send_answers(void)
{
	for (unsigned i = 0; i < nr_answers; i++)
		send_all(answers[i].to, answers[i].line, answers[i].bytes);
	nr_answers = 0;
}

static FILE *create_log(const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", settings.directory, name);
	f = fopen(path, "we");
	/* The logs are written at the end: they are no work of the requests. */
	if (!f || setvbuf(f, NULL, _IOFBF, LOG_BUFFER))
		die(path);
	return f;
}

static void be_store(void)
{
	store_log = create_log("store.log");
	open_loop();
	run_loop(answer_store, send_answers);
	if (fclose(store_log))
		die("store.log");
}

/* ---- shop: the workers ---- */

struct worker {
	pthread_t thread;
	unsigned id;       /* of the request */
	struct peer store; /* its line is the answer to the last query */
	size_t nr;
	char page[LINE]; /* answer to the request */
};

static int shop_log;

static void print(struct worker *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print(struct worker *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	w->nr += (size_t)vsnprintf(w->page + w->nr, sizeof(w->page) - w->nr, format, args);
	va_end(args);
	if (w->nr >= sizeof(w->page))
		abort();
}

/* Makes a query, and adds the answer to the page. */
NOINLINE static void ask_store(struct worker *w, const char *command, unsigned item)
{
	char query[64];
	enum received r;

	send_all(&w->store, query,
	         (size_t)snprintf(query, sizeof(query), "%s %u %u\n", command, w->id,
	                          item % NR_ITEMS));
	w->store.nr = 0;
	while ((r = receive(&w->store)) == PART) {
	}
	if (r == CLOSED)
		die("the store ended early");
	print(w, " %.*s", (int)w->store.nr - 1, w->store.line);
}

NOINLINE static void write_log(const struct worker *w, const char *what)
{
	char line[64];
	int bytes = snprintf(line, sizeof(line), "%u %s\n", w->id, what);

	if (write(shop_log, line, (size_t)bytes) != bytes)
		die("shop.log");
}

/* Computes for about 0.1 ms. */
NOINLINE static unsigned rank(unsigned item)
{
	unsigned hash = item;

	for (unsigned i = 0; i < 50000; i++)
		hash = (hash ^ i) * 16777619u;
	return hash;
}

NOINLINE static void home(struct worker *w)
{
	ask_store(w, "get", 0);
}

NOINLINE static void look_up(struct worker *w)
{
	ask_store(w, "get", item_of(w->id));
	ask_store(w, "get", item_of(w->id) + 1);
}

NOINLINE static void search(struct worker *w)
{
	unsigned item;

	ask_store(w, "get", item_of(w->id));
	item = rank(item_of(w->id));
	for (unsigned i = 0; i < 4; i++)
		ask_store(w, "get", item + i);
}

NOINLINE static void add_to_basket(struct worker *w)
{
	ask_store(w, "get", item_of(w->id));
	ask_store(w, "add", item_of(w->id));
	write_log(w, "basket");
}

NOINLINE static void place_order(struct worker *w)
{
	ask_store(w, "get", item_of(w->id));
	ask_store(w, "add", item_of(w->id));
	ask_store(w, "add", 0);
	write_log(w, "order");
}

static const struct kind {
	const char *name;
	void (*serve)(struct worker *w);
	unsigned share; /* of the client's requests, in percent */
} kinds[] = {
	{"home", home, 35},        {"look_up", look_up, 30},
	{"search", search, 15},    {"basket", add_to_basket, 12},
	{"order", place_order, 8},
};
#define NR_KINDS (sizeof(kinds) / sizeof(*kinds))

/* ---- shop: the faults ---- */

NOINLINE static void reload_prices(struct worker *w)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char part[256];

	(void)w;
	if (fd < 0 || read(fd, part, sizeof(part)) != sizeof(part))
		die("read");
	close(fd);
}

NOINLINE static void back_off(struct worker *w)
{
	(void)w;
	nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
}

NOINLINE static void check_stock(struct worker *w)
{
	ask_store(w, "get", 7);
}

static int64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

NOINLINE static void recompute(struct worker *w)
{
	int64_t end = cpu_time() + SPIN_NS;

	while (cpu_time() < end)
		rank(w->id);
}

NOINLINE static void wait_for_supplier(struct worker *w)
{
	(void)w;
	nanosleep(&(struct timespec){.tv_sec = settings.hang}, NULL);
}

static struct fault {
	const char *option;
	void (*commit)(struct worker *w);
	unsigned id; /* of the request with this fault; 0: none */
} faults[] = {
	{"--fault=read:", reload_prices, 0},
	{"--fault=sleep:", back_off, 0},
	{"--fault=query:", check_stock, 0},
	{"--fault=spin:", recompute, 0},
	{"--fault=hang:", wait_for_supplier, 0},
};
#define NR_FAULTS (sizeof(faults) / sizeof(*faults))

/* ---- shop: the queue ---- */

struct job {
	const struct peer *from;
	const struct kind *kind; /* NULL: no such kind */
	unsigned id;
	bool is_end;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t arrived;
	unsigned first, nr;
	struct job jobs[NR_QUEUED];
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .arrived = PTHREAD_COND_INITIALIZER};

NOINLINE static void put(struct job job)
{
	pthread_mutex_lock(&queue.lock);
	if (queue.nr == NR_QUEUED)
		abort();
	queue.jobs[(queue.first + queue.nr++) % NR_QUEUED] = job;
	pthread_cond_signal(&queue.arrived);
	pthread_mutex_unlock(&queue.lock);
}

NOINLINE static struct job take(void)
{
	struct job job;

	pthread_mutex_lock(&queue.lock);
	while (!queue.nr)
		pthread_cond_wait(&queue.arrived, &queue.lock);
	job = queue.jobs[queue.first];
	queue.first = (queue.first + 1) % NR_QUEUED;
	queue.nr--;
	pthread_mutex_unlock(&queue.lock);
	return job;
}

NOINLINE static void reply(struct worker *w, const struct peer *to)
{
	print(w, "\n");
	send_all(to, w->page, w->nr);
}

NOINLINE static void work_on(struct worker *w, const struct job *job)
{
	w->nr = 0;
	w->id = job->id;
	print(w, "%u %s", job->id, job->kind ? job->kind->name : "error");
	if (job->kind)
		job->kind->serve(w);
	for (size_t i = 0; i < NR_FAULTS; i++)
		if (job->id && faults[i].id == job->id)
			faults[i].commit(w);
	reply(w, job->from);
}

static void *work(void *of)
{
	struct worker *w = of;
	struct job job;

	w->store.fd = dial(settings.port);
	for (job = take(); !job.is_end; job = take())
		work_on(w, &job);
	close(w->store.fd);
	return NULL;
}

static void answer_shop(struct peer *p)
{
	struct job job = {.from = p};
	char name[16];

	if (sscanf(p->line, "GET /%15[a-z_]?id=%u", name, &job.id) == 2)
		for (size_t i = 0; i < NR_KINDS; i++)
			if (!strcmp(kinds[i].name, name))
				job.kind = &kinds[i];
	p->nr = 0; /* from put() on, the next request may arrive */
	put(job);
}

/* settings.port is the port of the store. */
static void be_shop(void)
{
	static struct worker workers[NR_WORKERS];
	char path[4096];

	snprintf(path, sizeof(path), "%s/shop.log", settings.directory);
	if ((shop_log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666)) < 0)
		die(path);
	for (unsigned i = 0; i < NR_WORKERS; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			die("pthread_create");
	open_loop();
	run_loop(answer_shop, NULL);
	for (unsigned i = 0; i < NR_WORKERS; i++)
		put((struct job){.is_end = true});
	for (unsigned i = 0; i < NR_WORKERS; i++)
		pthread_join(workers[i].thread, NULL);
	close(shop_log);
}

/* ---- client ---- */

static struct sent {
	const struct kind *kind;
	unsigned port;
	size_t sent, received;
} * requests; /* [id - 1] */

static const struct kind *kind_of(unsigned id)
{
	/* the finalizer of splitmix64 */
	uint64_t x = ((uint64_t)settings.seed << 32) + id * UINT64_C(0x9e3779b97f4a7c15);
	unsigned percent, i = 0;

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	for (percent = (unsigned)((x ^ x >> 31) % 100); percent >= kinds[i].share; i++)
		percent -= kinds[i].share;
	return &kinds[i];
}

NOINLINE static void ask(struct peer *p, unsigned id)
{
	struct sent *r = &requests[id - 1];
	enum received received;

	r->kind = kind_of(id);
	p->nr = (size_t)snprintf(p->line, LINE, "GET /%s?id=%u\n", r->kind->name, id);
	r->sent = p->nr;
	send_all(p, p->line, p->nr);
	p->nr = 0;
	while ((received = receive(p)) == PART) {
	}
	if (received == CLOSED || strtoul(p->line, NULL, 10) != id)
		die("answer");
	r->received = p->nr;
}

/* Sleeps until the client may begin the request ID, if the client began its first request at BEGIN. */
static void keep_rate(struct timespec begin, unsigned id)
{
	begin.tv_sec += id / settings.rate;
	begin.tv_nsec += (long)(id % settings.rate * UINT64_C(1000000000) / settings.rate);
	if (begin.tv_nsec >= 1000000000) {
		begin.tv_sec++;
		begin.tv_nsec -= 1000000000;
	}
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &begin, NULL);
}

/* Sends each NR_CONNECTIONS-th request, from *FIRST on. */
static void *ask_all(void *first)
{
	struct peer p = {.fd = dial(settings.port)};
	struct timespec begin;

	clock_gettime(CLOCK_MONOTONIC, &begin);

	for (unsigned id = *(unsigned *)first; id <= settings.requests; id += NR_CONNECTIONS) {
		if (settings.rate)
			keep_rate(begin, id);
		ask(&p, id);
		requests[id - 1].port = port_of(p.fd);
	}
	close(p.fd);
	return NULL;
}

static void be_client(void)
{
	pthread_t threads[NR_CONNECTIONS];
	unsigned first[NR_CONNECTIONS];
	FILE *log = create_log("client.log");

	if (!(requests = calloc(settings.requests + 1, sizeof(*requests))))
		die("calloc");
	for (unsigned i = 0; i < NR_CONNECTIONS; i++) {
		first[i] = i + 1;
		if (pthread_create(&threads[i], NULL, ask_all, &first[i]))
			die("pthread_create");
	}
	for (unsigned i = 0; i < NR_CONNECTIONS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < settings.requests; i++)
		fprintf(log, "%u %s %u %zu %zu\n", i + 1, requests[i].kind->name, requests[i].port,
		        requests[i].sent, requests[i].received);
	if (fclose(log))
		die("client.log");
	free(requests);
}

/* ---- processes ---- */

/* Starts a tier in a process with its own name. Its option --listener is LISTENER, and its option --port is PORT. */
static void spawn(const char *tier, int listener, unsigned port)
{
	char numbers[5][32], directory[4096];
	pid_t child = fork();

	if (child < 0)
		die("fork");
	if (child)
		return;
	fcntl(listener, F_SETFD, 0); /* the listener survives the exec */
	snprintf(numbers[0], sizeof(numbers[0]), "--listener=%d", listener);
	snprintf(numbers[1], sizeof(numbers[1]), "--port=%u", port);
	snprintf(numbers[2], sizeof(numbers[2]), "--requests=%u", settings.requests);
	snprintf(numbers[3], sizeof(numbers[3]), "--seed=%u", settings.seed);
	snprintf(numbers[4], sizeof(numbers[4]), "--rate=%u", settings.rate);
	snprintf(directory, sizeof(directory), "--directory=%s", settings.directory);
	execl("/proc/self/exe", tier, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4],
	      directory, tier, NULL);
	die("exec");
}

/* Runs the tiers, of which this process is the shop. Returns false if a tier or the client failed. */
static bool run(bool has_client)
{
	int front = listen_on(settings.port), store = listen_on(0), status;
	bool is_well = true;

	settings.listener = listen_on(0);
	spawn("store", store, 0);
	spawn("front", front, port_of(settings.listener));
	if (has_client)
		spawn("client", -1, port_of(front));
	settings.port = port_of(store);
	close(front);
	close(store);
	be_shop();
	for (int nr = has_client ? 3 : 2; nr; nr--)
		is_well &= wait(&status) > 0 && !status;
	return is_well;
}

/* Returns the rest of TEXT after PREFIX, or NULL if TEXT does not begin with it. */
static const char *after(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) ? NULL : text + strlen(prefix);
}

static unsigned number(const char *text)
{
	return (unsigned)strtoul(text, NULL, 10);
}

static bool parse(const char *option)
{
	const char *value;

	if ((value = after(option, "--requests=")))
		return (settings.requests = number(value)) <= MOST_REQUESTS;
	for (size_t i = 0; i < NR_FAULTS; i++)
		if ((value = after(option, faults[i].option)))
			return (faults[i].id = number(value));
	if ((value = after(option, "--seed=")))
		settings.seed = number(value);
	else if ((value = after(option, "--rate=")))
		settings.rate = number(value);
	else if ((value = after(option, "--hang=")))
		settings.hang = number(value);
	else if ((value = after(option, "--port=")))
		settings.port = number(value);
	else if ((value = after(option, "--directory=")))
		settings.directory = value;
	else if ((value = after(option, "--listener=")))
		settings.listener = (int)number(value);
	return value;
}

int main(int argc, char **argv)
{
	const char *role = "run";

	for (int i = 1; i < argc; i++)
		if (strncmp(argv[i], "--", 2)) {
			role = argv[i];
		} else if (!parse(argv[i])) {
			fputs("shop: the comment in shop.c describes the options\n", stderr);
			return 2;
		}
	if (!strcmp(role, "front"))
		be_front();
	else if (!strcmp(role, "store"))
		be_store();
	else if (!strcmp(role, "client"))
		be_client();
	else
		return !run(!strcmp(role, "run"));
	return 0;
}
