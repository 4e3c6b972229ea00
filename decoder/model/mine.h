/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * The state of the miner: the nodes that are part of no other node yet (live nodes), their classes, and the keys that
 * connect the classes (doc/models.md, "From leaves to tasks").
 *
 * A live node has a position; the positions follow the numbers of the nodes' first leaves. The numbers of classes are
 * canonical: they depend only on the texts of the labels and on the graph. Each pass takes linear time in the number of
 * live nodes.
 */
#ifndef SYT_DECODER_MODEL_MINE_H
#define SYT_DECODER_MODEL_MINE_H

#include "decoder/model/forest.h"

/* The share of a class that a key needs to be mutual, in percent, and the smaller share of a branch. */
#define SYT_MINE_MUTUAL 90u
#define SYT_MINE_BRANCH 5u

/* A set of nodes that the miner treats alike. Classes with numbers below in->nr_labels are the labels of leaves. */
struct syt_mine_class {
	uint32_t root;   /* label of the first leaf of its nodes */
	uint32_t nr;     /* number of live nodes */
	bool is_loop;    /* its nodes are runs of equal nodes */
	bool is_in_key;  /* the present round contracts a key with this class */
	bool is_in_loop; /* the present round merges equal neighbours of this class */
};

/* A class, the kind of an arc, and the class of the nodes that the arc starts. */
struct syt_mine_key {
	uint32_t from, to;
	uint32_t nr_from;     /* number of nodes of `from` with such an arc */
	uint32_t nr_to;       /* number of nodes of `to` that start so */
	uint32_t nr_detours;  /* number of these that are detours */
	uint32_t last, first; /* position of the last source plus 1, and of its first target */
	uint8_t kind;
	bool is_taken; /* the present round contracts the key */
	bool is_around; /* the key is an end of an optional part, or leads around it */
};

struct syt_mine {
	const struct syt_model_input *in;
	uint32_t least;
	struct syt_model_forest *forest;
	uint32_t nr_live;
	/* [position of a live node] */
	uint32_t *node, *class_of;
	uint32_t *parent; /* position of the live node that contains its start, or SYT_NONE */
	uint32_t *weight; /* number of leaves */
	uint8_t *kind;    /* kind of the arc from its start */
	bool *is_detour;  /* copied from its first leaf, which is far away in memory */
	uint32_t *into;   /* position of the node with which it merges; its own position: none */
	uint32_t *key_of; /* index of its key, or SYT_NONE */
	/* the position of the first node that a node started, and of the next node that the same node started */
	uint32_t *child, *next;
	size_t nr_classes, room_classes;
	size_t nr_counted; /* number of classes at the begin of the round */
	struct syt_mine_class *classes;
	size_t nr_keys, room_keys;
	struct syt_mine_key *keys;
	struct syt_hash index; /* of the keys */
	/* [class]: the class that its nodes get as roots of merged nodes; the class itself: no change */
	size_t room_becomes;
	uint32_t *becomes;
	/* [class]: nodes that merge with no other change their class, too */
	size_t room_is_whole;
	bool *is_whole;
	uint32_t *thread_leaves; /* [thread]: number of its leaves */
};

/* Returns a key that the round counted, or NULL. */
struct syt_mine_key *syt_mine_find(const struct syt_mine *m, uint32_t from, uint8_t kind,
                                   uint32_t to);

/* Counts the nodes of each class and all keys. Marks with `into` the nodes that are equal to a neighbour. */
void syt_mine_count(struct syt_mine *m);

/* Marks the keys that the round contracts, and sets `becomes` and `is_whole`. Returns false if there are none. */
bool syt_mine_mutual(struct syt_mine *m, bool is_within);
bool syt_mine_branches(struct syt_mine *m, bool is_within);
/* Marks the keys around optional parts: a thread executes a, often L, then b. */
bool syt_mine_optional(struct syt_mine *m);

/* Marks the classes of loops: equal neighbours follow each other. Skips the classes of the marked keys.
 * Returns false if there are
 * none. */
bool syt_mine_loops(struct syt_mine *m);

/* Adds a class of nodes that begin with a leaf of the label ROOT, and returns its number. */
uint32_t syt_mine_add_class(struct syt_mine *m, uint32_t root);
/* Sets `becomes` to no change for all classes. */
void syt_mine_keep_classes(struct syt_mine *m);

/* Mines the forest of all instances. The task of an instance is its class minus in->nr_labels. */
void syt_mine(struct syt_model_forest *forest, const struct syt_model_input *in, uint32_t least);

#endif
