/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Runs a fuzz target without the fuzzer on the named files and on the files in the named directories,
 * and prints their number. Any compiler can build this program.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t nr, size_t room);

/* This stub satisfies the linker for the targets' mutators, which are not called here. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t nr, size_t room)
{
	(void)data;
	(void)room;
	return nr;
}

static unsigned nr_run;

static void run_file(const char *path)
{
	FILE *f = fopen(path, "r");
	struct stat st;

	if (!f || fstat(fileno(f), &st) < 0) {
		perror(path);
		exit(99);
	}
	uint8_t *data = malloc((size_t)st.st_size + 1);

	if (!data || fread(data, 1, (size_t)st.st_size, f) != (size_t)st.st_size) {
		perror(path);
		exit(99);
	}
	fclose(f);
	fprintf(stderr, "%s\n", path); /* after a crash, the last line names the input */
	LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
	free(data);
	nr_run++;
}

static void run(const char *path)
{
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort);

	if (n < 0) {
		run_file(path);
		return;
	}
	for (int i = 0; i < n; i++) {
		char file[4096];

		snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			run_file(file);
		free(entries[i]);
	}
	free(entries);
}

int main(int argc, char **argv)
{
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++)
		run(argv[i]);
	printf("%u inputs\n", nr_run);
	return nr_run ? 0 : 1;
}
