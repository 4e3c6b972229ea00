/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/*
 * Names System V semaphores and message queues. Also makes the queues endpoints, which have no
 * descriptor. A small cache maps an id to its record; after an eviction the kernel is asked again.
 * The kernel reuses an id only after about 65536 other ids in the same slot.
 */
#include "runtime/sysv.h"

#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/stat.h>

#include "runtime/endpoint.h"
#include "runtime/endpoint_probe.h"
#include "runtime/endpoint_record.h"
#include "runtime/object.h"
#include "runtime/sys.h"
#include "runtime/text.h"
#include "runtime/thread.h"

#define NR_CACHED 256u

static struct cached {
	uint64_t word; /* 0: free */
	uint32_t id;
	uint32_t version; /* odd while it is being written */
} cache[NR_CACHED];

static struct cached *place_of(int id)
{
	return &cache[((uint32_t)id * UINT32_C(0x9e3779b1)) >> 24];
}

static uint64_t recall(int id)
{
	struct cached *c = place_of(id);
	uint32_t version = __atomic_load_n(&c->version, __ATOMIC_ACQUIRE);
	uint64_t word = __atomic_load_n(&c->word, __ATOMIC_RELAXED);
	uint32_t of = __atomic_load_n(&c->id, __ATOMIC_RELAXED);

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (version & 1 || __atomic_load_n(&c->version, __ATOMIC_RELAXED) != version)
		return 0;
	return of == (uint32_t)id ? word : 0;
}

/* Caches the record of ID. If another thread is writing the entry, this one gives up: it may be a
 * signal handler that interrupted the writer. */
static void remember(int id, uint64_t word)
{
	struct cached *c = place_of(id);
	uint32_t version = __atomic_load_n(&c->version, __ATOMIC_RELAXED);

	if (version & 1 || !__atomic_compare_exchange_n(&c->version, &version, version + 1, false,
	                                                __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&c->word, word, __ATOMIC_RELAXED);
	__atomic_store_n(&c->id, (uint32_t)id, __ATOMIC_RELAXED);
	__atomic_store_n(&c->version, version + 2, __ATOMIC_RELEASE);
}

bool syt_endpoint_sysv_queue(int id, struct syt_endpoint *e)
{
	uint64_t word = recall(id);
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
	remember(id, word);
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

/* Reads the namespace once: a process that enters another namespace and uses semaphores there is
 * not supported. */
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
