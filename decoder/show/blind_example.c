/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/show/blind_example.h"

#include <stdio.h>
#include <string.h>

#include "decoder/read/call.h"
#include "decoder/show/print.h"

/* Returns the last image of the process of image I, after its calls of exec. */
static const struct syt_image *last_image(const struct syt_trace_data *t, uint32_t i)
{
	uint32_t last = i;

	while (++i < t->nr_images && (t->images[last].file.state & 0xff) == SYT_STATE_EXECED)
		if (t->images[i].file.pid == t->images[last].file.pid &&
		    !memcmp(t->images[i].file.boot_id, t->images[last].file.boot_id,
		            sizeof(t->images[i].file.boot_id)))
			last = i;
	return &t->images[last];
}

/* Returns the process that held the writing end of a pipe last and never read it, or the process that holds the other end of
 * a socket. Returns NULL if no process is known. */
static const struct syt_image *writer(const struct syt_order *o, uint32_t object)
{
	uint32_t peer = o->objects.all[object].peer;
	struct syt_history h = syt_history_of(&o->histories, peer == SYT_NONE ? object : peer);
	uint32_t reader = SYT_NONE, found = SYT_NONE;

	if (peer != SYT_NONE && h.nr)
		return last_image(o->places.trace,
		                  syt_place_image_idx(&o->places, h.touches[h.nr - 1].place));
	for (uint64_t i = 0; i < h.nr && reader == SYT_NONE; i++)
		if (syt_place_call(&o->places, h.touches[i].place)->shape == SYT_SHAPE_RECV)
			reader = syt_place_image_idx(&o->places, h.touches[i].place);
	for (uint64_t i = 0; i < h.nr; i++) {
		const struct syt_extra *x = syt_place_extra(&o->places, h.touches[i].place);
		uint32_t image = syt_place_image_idx(&o->places, h.touches[i].place);

		if (x->flags & SYT_EVENT_WRITER && image != reader)
			found = image;
	}
	return found == SYT_NONE ? NULL : last_image(o->places.trace, found);
}

void syt_blind_example(const struct syt_order *o, uint32_t object, bool is_unseen, char *text,
                       size_t bytes)
{
	const struct syt_object_info *info = o->objects.all[object].info;
	const struct syt_endpoint_info *e = info->endpoint;
	const struct syt_image *image = is_unseen ? writer(o, object) : NULL;
	char name[SYT_OBJECT_TEXT], address[SYT_ADDRESS_TEXT] = "";

	syt_object_text(info, name, sizeof(name));
	if (e && e->remote_bytes > 2)
		syt_address_text(e->remote, e->remote_bytes, address, sizeof(address));
	else if (e && e->local_bytes > 2)
		syt_address_text(e->local, e->local_bytes, address, sizeof(address));
	if (image && image->exe)
		snprintf(text, bytes, "%s %s", name, image->exe);
	else
		snprintf(text, bytes, "%s%s%s", name, *address ? " " : "", address);
}
