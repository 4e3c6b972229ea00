/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/show/place_json.h"

#include "decoder/read/call.h"
#include "decoder/show/print.h"

void syt_json_place(struct syt_json *j, const char *key, const struct syt_places *p,
                    struct syt_place at)
{
	if (at.thread == SYT_NONE)
		syt_json_null(j, key);
	else
		syt_json_id(j, key, syt_place_thread(p, at), at.row);
}

void syt_json_place_stack(struct syt_json *j, const char *key, struct syt_symbols *s,
                          const struct syt_places *p, struct syt_place at)
{
	if (at.thread != SYT_NONE)
		syt_json_stack(j, key, s, syt_place_image(p, at), syt_place_row(p, at)->stack);
}

void syt_json_side(struct syt_json *j, const char *key, const struct syt_labels *l, uint32_t side)
{
	syt_json_string(j, key, side == SYT_NONE ? NULL : syt_label_side_text(l, side));
}

void syt_json_object_of(struct syt_json *j, const char *key, const struct syt_order *o,
                        uint32_t object)
{
	const struct syt_object *of = object == SYT_NONE ? NULL : &o->objects.all[object];

	syt_json_object(j, key, of ? &o->places.trace->images[of->image] : NULL,
	                of ? of->index : SYT_NONE);
}
