/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
#include "decoder/export/gzip.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include "base/err.h"

#define WITH_GZIP_HEADER (16 + MAX_WBITS)
#define CHUNK_BYTES 65536u

static void write_all(struct syt_gzip *g, const unsigned char *p, size_t nr)
{
	while (nr && !g->error) {
		ssize_t n = write(g->to, p, nr);

		if (n >= 0) {
			p += n;
			nr -= (size_t)n;
			g->bytes += (uint64_t)n;
		} else if (errno != EINTR) {
			g->error = errno;
		}
	}
}

static void deflate_all(struct syt_gzip *g, z_stream *z, int flush)
{
	unsigned char buffer[CHUNK_BYTES];

	do {
		z->next_out = buffer;
		z->avail_out = sizeof(buffer);
		deflate(z, flush);
		write_all(g, buffer, sizeof(buffer) - z->avail_out);
	} while (!z->avail_out && !g->error);
}

static void *work(void *g_)
{
	struct syt_gzip *g = g_;
	unsigned char buffer[CHUNK_BYTES];
	z_stream z = {0};
	ssize_t n = 0;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WITH_GZIP_HEADER, 8,
	                 Z_DEFAULT_STRATEGY) != Z_OK)
		g->error = ENOMEM;
	while (!g->error && (n = read(g->from, buffer, sizeof(buffer))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			g->error = errno;
			break;
		}
		z.next_in = buffer;
		z.avail_in = (uInt)n;
		deflate_all(g, &z, Z_NO_FLUSH);
	}
	if (!g->error)
		deflate_all(g, &z, Z_FINISH);
	deflateEnd(&z);
	close(g->from); /* a writer that is still active now gets EPIPE and stops */
	return NULL;
}

int syt_gzip_begin(struct syt_gzip *g, struct syt_out *out)
{
	int fds[2], error;

	*g = (struct syt_gzip){.out = out, .to = out->fd};
	if (pipe2(fds, O_CLOEXEC) < 0) {
		syt_warn("gzip: %s", strerror(errno));
		return -1;
	}
	g->from = fds[0];
	error = pthread_create(&g->thread, NULL, work, g);
	if (error) {
		syt_warn("gzip: %s", strerror(error));
		close(fds[0]);
		close(fds[1]);
		return -1;
	}
	out->fd = fds[1];
	return 0;
}

void syt_gzip_end(struct syt_gzip *g)
{
	syt_out_flush(g->out);
	close(g->out->fd);
	pthread_join(g->thread, NULL);
	g->out->fd = g->to;
	g->out->written = g->bytes;
	/* a reader that closed the pipe is no error, as in syt_out_flush() */
	if (g->error != EPIPE)
		g->out->error = g->error;
	g->out->is_closed = g->error != 0;
}
