/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Gives System V semaphores and message queues trace-wide identities. Also records message queues as endpoints
 * without a descriptor. A cache maps the id of a queue to its endpoint record; if the cache has forgotten a
 * queue, the kernel is asked again. The kernel reuses an id only after about 65536 other ids in the same
 * slot. */
#include "runtime/sysv.h"

#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/stat.h>

#include "runtime/cache.h"
#include "runtime/endpoint.h"
#include "runtime/endpoint_probe.h"
#include "runtime/endpoint_record.h"
#include "runtime/object.h"
#include "runtime/sys.h"
#include "runtime/text.h"
#include "runtime/thread.h"

static struct syt_cache words; /* words that identify the queues' endpoint records, by queue id */

bool syt_endpoint_sysv_queue(int id, struct syt_endpoint *e)
{
	uint64_t word = syt_cache_find(&words, (uint32_t)id);
	struct syt_probe p;

	*e = (struct syt_endpoint){.kind = SYT_KIND_OTHER};
	if (syt_thread_is_borrowed())
		return true;
	if (word && syt_endpoint_record_read(word, -1, e))
		return true;
	*e = (struct syt_endpoint){.kind = SYT_KIND_OTHER};
	if (syt_probe_sysv_queue(id, &p))
		return false;
	word = syt_endpoint_record_find(&p);
	if (!word)
		word = syt_endpoint_record_add(-1, &p, false, 0);
	syt_cache_learn(&words, (uint32_t)id, word);
	if (word && !syt_endpoint_record_read(word, -1, e))
		*e = (struct syt_endpoint){.kind = SYT_KIND_OTHER};
	return true;
}

void syt_endpoint_sysv_remove(const struct syt_endpoint *e)
{
	if (e->word)
		syt_endpoint_record_drop(e->word);
}

/* ---- semaphores ---- */

/* Returns the identity of the IPC namespace, which is read once; an IPC namespace that the process enters
 * later is unsupported. */
static uint64_t namespace(void)
{
	static uint64_t known;
	uint64_t ns = __atomic_load_n(&known, __ATOMIC_RELAXED);
	struct stat st;

	if (ns)
		return ns;
	ns = SYT_SYS_4(SYS_newfstatat, AT_FDCWD, "/proc/self/ns/ipc", &st, 0) ? 1 : st.st_ino;
	__atomic_store_n(&known, ns, __ATOMIC_RELAXED);
	return ns;
}

uint64_t syt_sysv_identity(int id, unsigned index)
{
	uint64_t h = namespace() * UINT64_C(0x9e3779b97f4a7c15) ^ (uint32_t)id;

	h = (h ^ h >> 32) * UINT64_C(0xc2b2ae3d27d4eb4f) ^ index;
	h = (h ^ h >> 29) * UINT64_C(0x9e3779b97f4a7c15);
	return h | UINT64_C(1) << 63;
}

/* ---- names for people ---- */

void syt_sysv_name(uint32_t object, key_t key, int index)
{
	char name[sizeof("key 0x00000000[00000]")];
	struct syt_text_buffer b = {name, sizeof(name), 0, false};

	if (key == IPC_PRIVATE)
		return;
	syt_text_add(&b, "key 0x");
	syt_text_add_hex(&b, (uint32_t)key, 8);
	if (index >= 0) {
		syt_text_add(&b, "[");
		syt_text_add_number(&b, (uint64_t)index, 2);
		syt_text_add(&b, "]");
	}
	syt_object_name(object, name);
}
