/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* The strongly connected components of a graph. */
#ifndef SYT_BASE_COMPONENT_H
#define SYT_BASE_COMPONENT_H

#include <stddef.h>
#include <stdint.h>

/* Computes COMPONENT[node]: two nodes have equal numbers if a path of arcs leads from each of them to the
 * other. The arcs of node I lead to TO[FIRST[I]] up to, but not including, TO[FIRST[I + 1]]. */
void syt_components_find(uint32_t nr, const size_t *first, const uint32_t *to, uint32_t *component);

#endif
