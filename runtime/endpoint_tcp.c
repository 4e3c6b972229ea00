/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Reads the kernel's byte counts of a TCP connection. These counts give true stream offsets for a connection
 * that the recorder first sees late, and reveal that an untraced process uses a connection. */
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/ioctl.h>

#include "runtime/endpoint_probe.h"
#include "runtime/sys.h"

/* netinet/tcp.h defines the TCP states, too, but with an older struct tcp_info */
#define ESTABLISHED 1
#define FIN_WAIT1 4
#define FIN_WAIT2 5
#define CLOSE_WAIT 8
#define NR_READINGS 4
#define NAME_BYTES 16 /* bytes for the name of the upper layer protocol (TCP_ULP) */

static bool read_tcp_info(int fd, struct tcp_info *info)
{
	uint32_t bytes = sizeof(*info);

	return !SYT_SYS_5(SYS_getsockopt, fd, IPPROTO_TCP, TCP_INFO, info, &bytes) &&
	       bytes >= offsetof(struct tcp_info, tcpi_bytes_retrans) +
	                        sizeof(info->tcpi_bytes_retrans);
}

static uint64_t written(const struct tcp_info *info)
{
	return info->tcpi_bytes_sent - info->tcpi_bytes_retrans + info->tcpi_notsent_bytes;
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

	if (!p->is_inet || p->meta.protocol != IPPROTO_TCP || !read_tcp_info(fd, &info) ||
	    info.tcpi_state != ESTABLISHED)
		return false;
	/* several system calls return the numbers, which are valid only if no byte was moved between these
	 * calls */
	for (int i = 0; i < NR_READINGS; i++) {
		uint64_t acked;

		if (SYT_SYS_3(SYS_ioctl, fd, SIOCOUTQ, &out) || out < 0 ||
		    SYT_SYS_3(SYS_ioctl, fd, FIONREAD, &in) || in < 0 ||
		    !read_tcp_info(fd, &again) || again.tcpi_state != ESTABLISHED)
			return false;
		*tx = written(&info);
		*rx = info.tcpi_bytes_received - (uint64_t)in;
		acked = *tx - (uint64_t)out;
		/* tcpi_bytes_acked also counts the acknowledged SYN on the side that opened the connection */
		if (is_same(&info, &again) && *tx <= SYT_ENDPOINT_COUNT &&
		    *rx <= SYT_ENDPOINT_COUNT &&
		    (acked == info.tcpi_bytes_acked || acked + 1 == info.tcpi_bytes_acked))
			return true;
		info = again;
	}
	return false;
}

static uint64_t excess(uint64_t nr, uint64_t counted)
{
	/* the kernel counts a FIN like a byte */
	return nr > counted + 1 ? nr - counted : 0;
}

/* Returns true if the program's bytes differ in number from the bytes that TCP counts: multipath TCP, or
 * TLS in the kernel. */
static bool has_other_bytes(int fd)
{
	uint32_t protocol = 0, bytes = sizeof(protocol);
	char name[NAME_BYTES];

	if (SYT_SYS_5(SYS_getsockopt, fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &bytes) ||
	    protocol != IPPROTO_TCP)
		return true;
	bytes = sizeof(name);
	return SYT_SYS_5(SYS_getsockopt, fd, IPPROTO_TCP, TCP_ULP, name, &bytes) || bytes;
}

static uint64_t counted(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_ACQUIRE) & SYT_ENDPOINT_COUNT;
}

bool syt_probe_unrecorded(int fd, const struct syt_endpoint_slot *slot, unsigned looks,
                          uint64_t *tx, uint64_t *rx)
{
	struct tcp_info info;
	int in = 0;

	/* the kernel may have counted a call in progress that the wrapper has not counted yet */
	for (unsigned i = 0; i < looks; i++) {
		if (!read_tcp_info(fd, &info) ||
		    (info.tcpi_state != ESTABLISHED && info.tcpi_state != CLOSE_WAIT &&
		     info.tcpi_state != FIN_WAIT1 && info.tcpi_state != FIN_WAIT2))
			return false;
		*tx = excess(written(&info), counted(&slot->tx));
		*rx = excess(info.tcpi_bytes_received, counted(&slot->rx));
		if (*rx && (SYT_SYS_3(SYS_ioctl, fd, FIONREAD, &in) || in < 0))
			return false;
		if (*rx)
			*rx = excess(info.tcpi_bytes_received, counted(&slot->rx) + (uint64_t)in);
		if (!*tx && !*rx)
			return false;
	}
	return !has_other_bytes(fd);
}
