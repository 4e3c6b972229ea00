/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The rules of a model: the tasks, parts and arcs by which the decoder finds the same tasks in a later trace (doc/models.md,
 * "The rules of a baseline"). Each rule is a text of words with tabs between them. There are three types of rules:
 *
 *	task	NAME STEP ROOT
 *	part	NAME PART
 *	arc	NAME start|inner|enter KIND FROM TO
 *
 * An arc of type `start` leads from the start of a part to the part. An arc of type `enter` leads to the first leaf of an
 * instance, from a leaf outside of the instance. Arcs of type `inner` are no rules.
 *
 * ROOT, PART, FROM and TO are a call path, or the name of a task after '@'. Rules are untrusted input.
 */
#ifndef SYT_DECODER_MODEL_RULES_H
#define SYT_DECODER_MODEL_RULES_H

#include "base/counts.h"
#include "decoder/model/model.h"

#define SYT_RULE_STEPS SYT_MODEL_ROUNDS /* a rule has a step from 1 to this number */
#define SYT_RULE_ALIKE 256u             /* maximum number of tasks of one step with the same arc */

enum syt_rule_type { SYT_RULE_TASK, SYT_RULE_PART, SYT_RULE_ARC };

/* A call path, or the name of a task after '@'. */
struct syt_rule_text {
	char *text;
	uint32_t task;  /* the task with this name, or SYT_NONE */
	uint32_t first_task; /* the first task that begins with this text, or SYT_NONE */
	uint32_t nr_in; /* number of tasks with this part */
};

struct syt_rule_task {
	uint32_t name, root; /* indices of texts */
	uint32_t step; /* the decoder finds the task in this step; its parts have lower steps */
	uint64_t line, column; /* of `root` */
};

struct syt_rule_arc {
	uint32_t task;
	uint32_t next; /* the next arc of a task with the same step, kind and ends, or SYT_NONE */
	uint32_t nr;   /* number of these arcs, if this arc is the first of them */
};

struct syt_rules {
	uint32_t nr_texts, nr_tasks, nr_arcs;
	size_t room_texts, room_tasks, room_arcs;
	struct syt_rule_text *texts;
	struct syt_rule_task *tasks;
	struct syt_rule_arc *arcs; /* start arcs only */
	struct syt_counts by_text; /* 128-bit hash of a text -> its index plus 1 */
	/* (task and kind, call paths of both ends) -> 1: instances start so; (task and kind, SYT_NONE and call path of the first
	 * leaf) -> 1: instances start somehow */
	struct syt_counts enters;
	struct syt_counts kinds;  /* (kind, call path) -> 1: leaves start by arcs of this kind */
	struct syt_counts parts;  /* (task, text) -> 1 */
	struct syt_counts
		by_part; /* (step and root, text) -> first task with this root and this part, plus 1 */
	struct syt_counts by_key; /* (step and kind, both ends) -> index of the first arc plus 1 */
	struct syt_counts
		of_arc; /* (index of the first arc, task) -> 1: an arc with the same key belongs to the task */
	uint64_t has_step;        /* bit STEP - 1: a task has this step */
};

/* Describes the first mistake in the rules. */
struct syt_rule_error {
	const char *message;
	uint64_t line;
	size_t column; /* from 1 */
};

/* Adds the rule TEXT, which is at COLUMN of LINE in its file, to R. All tasks come before all parts and arcs. An empty
 * struct syt_rules has only zero members. Returns false, and describes the mistake in *ERROR, if the rule contradicts the
 * rules so far. */
bool syt_rules_add(struct syt_rules *r, enum syt_rule_type type, const char *text, uint64_t line,
                   size_t column, struct syt_rule_error *error);
/* Checks the rules of R as a whole. */
bool syt_rules_check(struct syt_rules *r, struct syt_rule_error *error);
void syt_rules_close(struct syt_rules *r);

/* Calls PUT with each rule of the model M. PUT owns TEXT. Arcs with fewer than LEAST occurrences are omitted. */
typedef void syt_rules_put(void *context, enum syt_rule_type type, char *text, uint64_t nr,
                           uint64_t most);
void syt_rules_of_model(const struct syt_model *m, uint64_t least, syt_rules_put *put,
                        void *context);

/* Finds the instances of the tasks of R in the graph IN, in linear time for each step. A leaf that matches no rule becomes a
 * part of the instance from which it started, if IS_KNOWN (CONTEXT, its call path) is false, or if the leaf is a part of
 * another task. FOREST numbers tasks as R does. */
typedef bool syt_rules_known(const void *context, const char *path);
void syt_rules_apply(struct syt_model_forest *forest, const struct syt_rules *r,
                     const struct syt_model_input *in, syt_rules_known *is_known,
                     const void *context);

/* Returns true if a part of a task in R may be the call path PATH, perhaps without the callers of a function. */
bool syt_rules_have_part(const struct syt_rules *r, const char *path);

/* Calls PUT with each task, part and arc of FOREST, in the form of a rule, and with its numbers: NR in all instances, and
 * MOST in one instance. */
void syt_rules_count(const struct syt_model_forest *forest, const struct syt_rules *r,
                     const struct syt_model_input *in, syt_rules_put *put, void *context);

/* Returns the index of a text of R, or SYT_NONE if the rules do not contain it. */
uint32_t syt_rule_text_find(const struct syt_rules *r, const char *text, size_t bytes);
enum syt_rule_arc_type { SYT_RULE_START, SYT_RULE_INNER, SYT_RULE_ENTER };
/* Returns the rule of an arc. The caller frees the text. */
char *syt_rule_arc_text(const char *task, enum syt_rule_arc_type type, uint8_t kind,
                        const char *from, const char *to);

/* Returns the text of a call path as a rule contains it. The caller frees the text. */
char *syt_rules_path_text(const char *path);
/* Returns the call path of the part PART of a rule, or NULL if it is a task. */
const char *syt_rules_path(const char *part);

#endif
