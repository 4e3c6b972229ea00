/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/show/client.h"

#include "decoder/read/call.h"
#include "decoder/show/print.h"

char *syt_request_client(const struct syt_requests *rs, const struct syt_request_info *r,
                         char *text, size_t bytes)
{
	const struct syt_object_info *info = rs->order->objects.all[r->object].info;

	if (info->endpoint && info->endpoint->remote_bytes > sizeof(uint16_t))
		return syt_address_text(info->endpoint->remote, info->endpoint->remote_bytes, text,
		                        bytes);
	syt_object_text(info, text, bytes);
	return text;
}
