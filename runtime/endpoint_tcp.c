/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* What TCP itself has counted, so that a connection that is met late has true offsets. */
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/ioctl.h>

#include "runtime/endpoint_probe.h"
#include "runtime/sys.h"

#define TCP_ESTABLISHED_ 1 /* netinet/tcp.h has it, but an older struct tcp_info */
#define NR_READINGS 4

static bool read_tcp_info(int fd, struct tcp_info *info)
{
	uint32_t bytes = sizeof(*info);

	return !SYT_SYS_5(SYS_getsockopt, fd, IPPROTO_TCP, TCP_INFO, info, &bytes) &&
	       bytes >= offsetof(struct tcp_info, tcpi_bytes_retrans) +
	                        sizeof(info->tcpi_bytes_retrans) &&
	       info->tcpi_state == TCP_ESTABLISHED_;
}

static bool is_same(const struct tcp_info *a, const struct tcp_info *b)
{
	return a->tcpi_bytes_acked == b->tcpi_bytes_acked &&
	       a->tcpi_bytes_received == b->tcpi_bytes_received &&
	       a->tcpi_bytes_sent == b->tcpi_bytes_sent &&
	       a->tcpi_bytes_retrans == b->tcpi_bytes_retrans &&
	       a->tcpi_notsent_bytes == b->tcpi_notsent_bytes;
}

bool syt_probe_totals(int fd, const struct syt_probe *p, uint64_t *tx, uint64_t *rx)
{
	struct tcp_info info, again;
	int out = 0, in = 0;

	if (!p->is_inet || p->meta.protocol != IPPROTO_TCP || !read_tcp_info(fd, &info))
		return false;
	/* the numbers come from several calls: only when nothing has moved between them */
	for (int i = 0; i < NR_READINGS; i++) {
		uint64_t acked;

		if (SYT_SYS_3(SYS_ioctl, fd, SIOCOUTQ, &out) || out < 0 ||
		    SYT_SYS_3(SYS_ioctl, fd, FIONREAD, &in) || in < 0 || !read_tcp_info(fd, &again))
			return false;
		*tx = info.tcpi_bytes_sent - info.tcpi_bytes_retrans + info.tcpi_notsent_bytes;
		*rx = info.tcpi_bytes_received - (uint64_t)in;
		acked = *tx - (uint64_t)out;
		/* who opened the connection has had its SYN acknowledged, too */
		if (is_same(&info, &again) && *tx <= SYT_ENDPOINT_COUNT &&
		    *rx <= SYT_ENDPOINT_COUNT &&
		    (acked == info.tcpi_bytes_acked || acked + 1 == info.tcpi_bytes_acked))
			return true;
		info = again;
	}
	return false;
}
