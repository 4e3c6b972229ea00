/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Fuzzes the whole decoder. The input is a recipe (tests/fuzz/recipe.h), which becomes the files of
 * a trace directory. The target reads the files as syntrace-decode does. Every verb prints its
 * output, in each of its formats, and with the options that reach other code. A verb that can work
 * with a sparse trace must print the same from the sparse and the whole trace.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "decoder/host/join.h"
#include "decoder/export/exporter.h"
#include "decoder/command/command.h"
#include "decoder/command/options.h"
#include "base/store.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/recipe.h"

#define MEMORY_BYTES (UINT64_C(128) << 20) /* --memory */
#define COMMANDS_MAX 128u
#define WORDS_MAX 8u

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t nr_a, const uint8_t *b, size_t nr_b,
                                 uint8_t *out, size_t room, unsigned seed);

/* Command lines that are run besides each verb in each of its formats. Most traces contain the ids in
 * these options. */
static const char *const more[] = {
	"edges --program --inferred",
	"edges --verify",
	"edges --verify --format=jsonl",
	"edges --from=0.0.1 --to=0.1.2",
	"edges --from=0.0.0 --to=0.1.4 --run-after --format=jsonl",
	"edges --from=0.0.1 --reach --run-after --inferred",
	"edges --to=0.1.3 --reach --format=jsonl",
	"edges --class=inferred --format=jsonl",
	"edges --from=+0 --to=+0.01",
	"check --fail-on-loss",
	"contention --stacks --least=0",
	"waits --stacks --least=0",
	"waits --thread=0.1",
	"lock-order --all",
	"critical-path --limit=3 --stacks",
	"critical-path --from=0.0.1 --to=0.1.2",
	"critical-path --requests --all",
	"critical-path --requests --all --format=jsonl",
	"critical-path --request=1",
	"why --request=slowest",
	"why 0.1.1",
	"why 0.0.3 --format=jsonl",
	"sampling --replay=p:0.1,bump,bucket",
	"what-if --remove-lock=*",
	"what-if --speed-up=main=50 --remove-lock=mutex:*",
	"baseline --per=main",
	"model --least=1 --depth=9 --instances",
	"model --least=1 --format=jsonl --instances",
	"model --least=1 --expand",
	"model --least=2 --format=svg",
};

static struct syt_options commands[COMMANDS_MAX];
static unsigned nr_commands;
static struct syt_out out;
static struct syt_out compared[2]; /* output from the whole trace and from the sparse trace */
static char directory[64];
/* path of an exported file outside of the trace directory */
static char exported[80];
static char names[SYT_RECIPE_FILES_MAX][32]; /* names of the files that the recipe made */

/* Adds a command line, once for all inputs, because verbs only read their options. */
static void add_command(const struct syt_report *verb, const char *text)
{
	/* texts of the command lines, into which the parsed options point */
	static char lines[COMMANDS_MAX][128];
	char *line = lines[nr_commands];
	char name[] = "fuzz";
	char *words[WORDS_MAX] = {name};
	int nr = 1;

	snprintf(line, sizeof(lines[0]), "%s", text);
	for (char *word = strtok(line, " "); word && nr < (int)WORDS_MAX - 3;
	     word = strtok(NULL, " "))
		words[nr++] = word;
	words[nr++] = directory;
	if (verb->compares)
		words[nr++] = directory;
	commands[nr_commands].command.report = verb;
	syt_options_parse(&commands[nr_commands++], nr, words);
}

/* Adds the command lines of export, which has its own formats and needs an output path. */
static void add_exports(void)
{
	const struct syt_exporter *e;
	char text[128];

	snprintf(exported, sizeof(exported), "%s.exported", directory);
	for (size_t n = 0; (e = syt_exporter_at(n)); n++) {
		if (e->is_directory) /* an exported directory is not replaced */
			continue;
		snprintf(text, sizeof(text), "--to=%s -o %s", e->name,
		         e->is_file ? exported : "/dev/null");
		add_command(&syt_report_export, text);
	}
	add_command(&syt_report_export, "--to=perfetto -o /dev/null --inferred --no-stacks");
	add_command(&syt_report_export, "--to=pprof -o /dev/null --what=contention");
}

static void remove_files(void)
{
	char path[512];

	for (unsigned n = 0; n < SYT_RECIPE_FILES_MAX; n++) {
		if (!names[n][0])
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, names[n]);
		unlink(path);
		names[n][0] = 0;
	}
}

static void remove_directory(void)
{
	remove_files();
	unlink(exported);
	rmdir(directory);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static const char *const formats[] = {"text",     "jsonl", "dot", "json",
	                                      "markdown", "junit", "svg"};
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)argc;
	(void)argv;
	/* uses a directory in memory if there is one */
	strcpy(directory, "/dev/shm/syntrace-fuzz.XXXXXX");
	if (!mkdtemp(directory)) {
		strcpy(directory, "/tmp/syntrace-fuzz.XXXXXX");
		if (!mkdtemp(directory))
			abort();
	}
	if (fd < 0)
		abort();
	atexit(remove_directory);
	syt_out_open(&out, fd, false);
	for (unsigned n = 0; n < 2; n++) {
		fd = memfd_create("compared", MFD_CLOEXEC);
		if (fd < 0)
			abort();
		syt_out_open(&compared[n], fd, false);
	}
	syt_store_limit(MEMORY_BYTES);
	for (size_t v = 0; v < SYT_NR_REPORTS; v++) {
		char text[64];

		/* top and watch run as long as a process with the recorded pid exists; tests/tool/top.sh and
		 * tests/tool/trigger.sh test them with damaged dumps */
		if (syt_reports[v]->is_live)
			continue;
		if (syt_reports[v] == &syt_report_export) {
			add_exports();
			continue;
		}
		if (syt_reports[v] == &syt_report_report) {
			add_command(syt_reports[v], "-o /dev/null");
			add_command(syt_reports[v], "-o /dev/null --format=jsonl");
			continue;
		}
		for (unsigned f = 0; f < sizeof(formats) / sizeof(formats[0]); f++) {
			snprintf(text, sizeof(text), "--format=%s", formats[f]);
			if (syt_reports[v]->formats >> f & 1)
				add_command(syt_reports[v], text);
		}
		for (size_t n = 0; n < sizeof(more) / sizeof(more[0]); n++) {
			size_t bytes = strlen(syt_reports[v]->name);

			if (!strncmp(more[n], syt_reports[v]->name, bytes) && more[n][bytes] == ' ')
				add_command(syt_reports[v], more[n] + bytes);
		}
	}
	return 0;
}

static void write_files(const struct syt_recipe_file *files, unsigned nr)
{
	char path[512];

	remove_files();
	for (unsigned n = 0; n < nr; n++) {
		const struct syt_recipe_file *f = &files[n];
		int fd;

		snprintf(path, sizeof(path), "%s/%s", directory, f->name);
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (fd < 0 || write(fd, f->data, f->nr) != (ssize_t)f->nr ||
		    ftruncate(fd, (off_t)f->length) < 0)
			abort();
		close(fd);
		memcpy(names[n], f->name, sizeof(names[n]));
	}
}

/* The command lines for the decoder. All command lines for each input would be too slow for a fuzzer. The input
 * names its command lines, or the hash of the input selects some. */
static uint32_t chosen;
static bool is_sparse_read; /* true once the trace may be sparse (not all events in memory) */

static void choose(const uint8_t *data, size_t size)
{
	uint32_t hash = XXH32(data, size, 0);

	if (chosen == UINT32_MAX && !getenv("FUZZ_ALL"))
		chosen = hash & hash >> 16 & 0xffff ? (hash & hash >> 16) * 0x10001 : UINT32_MAX;
}

static bool may_be_sparse(const struct syt_options *o)
{
	return o->command.report->is_sparse && o->command.report->is_sparse(o->command.options);
}

static bool is_chosen(unsigned n)
{
	return (chosen >> n % 32 & 1) && (!is_sparse_read || may_be_sparse(&commands[n]));
}

static struct syt_command command_of(const struct syt_options *o)
{
	struct syt_command c = o->command;

	c.out = may_be_sparse(o) ? &compared[is_sparse_read] : &out;
	return c;
}

static void begin(void *context, const struct syt_image *first)
{
	(void)context;
	for (unsigned n = 0; n < nr_commands; n++) {
		struct syt_command c = command_of(&commands[n]);

		if (is_chosen(n) && c.report->begin)
			c.report->begin(&c, first);
	}
}

/* Reads the directory and runs the chosen command lines. */
static void decode(void)
{
	const struct syt_host_settings hosts = {.join = SYT_HOSTS_JOIN, .wander_ppm = -1};
	const struct syt_read_options options = {.nr_workers = 1,
	                                         .join = &hosts.join,
	                                         .problems_shown = 10,
	                                         .on_index = begin,
	                                         .is_as_sampled = true,
	                                         .is_sparse = is_sparse_read};
	const struct syt_read_options own_options = {.nr_workers = 1, .problems_shown = 10};
	const char *inputs[] = {directory, directory};
	struct syt_read_report report;
	struct syt_trace_data *trace = syt_read(inputs, 1, &options, &report);

	for (unsigned n = 0; n < nr_commands && trace->nr_images; n++) {
		struct syt_command c = command_of(&commands[n]);

		if (!is_chosen(n))
			continue;
		c.trace = trace;
		c.symbols = syt_symbols_create(false);
		/* the input for a verb that reads files itself: the same trace twice */
		c.inputs = inputs;
		c.nr_inputs = c.report == &syt_report_diff ? 2 : 1;
		c.read_options = &own_options;
		c.report->run(&c);
		syt_symbols_destroy(c.symbols);
		syt_out_flush(&out);
	}
	syt_trace_destroy(trace);
}

static off_t rewind_compared(unsigned which)
{
	syt_out_flush(&compared[which]);
	off_t bytes = lseek(compared[which].fd, 0, SEEK_CUR);

	lseek(compared[which].fd, 0, SEEK_SET);
	return bytes;
}

static char *compared_text(unsigned which)
{
	off_t bytes = rewind_compared(which);
	char *text = calloc(1, (size_t)bytes + 1);

	if (!text || pread(compared[which].fd, text, (size_t)bytes, 0) != bytes)
		abort();
	return text;
}

/* The kept part of a sparse trace affects time and memory, but not the output. */
static void must_be_same(void)
{
	char *whole = compared_text(0), *sparse = compared_text(1);

	if (strcmp(whole, sparse) != 0) {
		char *x = strtok_r(whole, "\n", &whole), *y = strtok_r(sparse, "\n", &sparse);

		while (x && y && strcmp(x, y) == 0) {
			x = strtok_r(NULL, "\n", &whole);
			y = strtok_r(NULL, "\n", &sparse);
		}
		fprintf(stderr, "of the whole trace: %s\nof a sparse one:    %s\n",
		        x ? x : "(nothing)", y ? y : "(nothing)");
		abort();
	}
	free(whole);
	free(sparse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct syt_recipe_file files[SYT_RECIPE_FILES_MAX];
	bool is_compared = false;

	unsigned nr_files = syt_recipe_lay_out(data, size, files, &chosen);

	write_files(files, nr_files);
	choose(data, size);
	rewind_compared(0);
	is_sparse_read = false;
	decode();
	for (unsigned n = 0; n < nr_commands; n++)
		is_compared |= is_chosen(n) && may_be_sparse(&commands[n]);
	/* reading a hole may fill it, and stat tells how much of the file is there */
	for (unsigned n = 0; n < nr_files; n++)
		is_compared &= files[n].length == files[n].nr;
	if (is_compared) {
		is_sparse_read = true;
		decode();
		must_be_same();
	}
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	return syt_mutate_recipe(data, size, room, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t nr_a, const uint8_t *b, size_t nr_b,
                                 uint8_t *to, size_t room, unsigned seed)
{
	return syt_mutate_cross(a, nr_a, b, nr_b, to, room, seed);
}
