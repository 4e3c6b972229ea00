/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Tests System V message queues: ordinals and types of messages, several processes, removal, and
 * invalid arguments. */
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/calls/expect.h"

static struct message {
	long type;
	char text[32];
} m;

static int q;

static int put(long type, const char *text)
{
	struct message mine = {.type = type};

	strcpy(mine.text, text);
	return msgsnd(q, &mine, strlen(text), 0);
}

static long get(long type, int flags)
{
	memset(&m, 0, sizeof(m));
	return msgrcv(q, &m, sizeof(m.text), type, flags);
}

static void moving(void)
{
	errno = 0xbeef;
	EXPECT(put(5, "five"), 0, "0.0 msgsnd queue:$q 0 bytes=4 offset=0 arg=5 count=1");
	EXPECT(put(3, "three"), 0, "0.0 msgsnd queue:$q 0 bytes=5 offset=1 arg=3");
	EXPECT(put(9, "nine"), 0, "0.0 msgsnd queue:$q 0 bytes=4 offset=2 arg=9");
	EXPECT(put(5, "again"), 0, "0.0 msgsnd queue:$q 0 bytes=5 offset=3 arg=5");
	EXPECT(get(9, 0), 4, "0.0 msgrcv queue:$q 4 bytes=4 offset=0 arg=9 count=1");
	EXPECT(get(-6, 0), 5, "0.0 msgrcv queue:$q 5 bytes=5 offset=1 arg=3");
	EXPECT(get(0, 0), 4, "0.0 msgrcv queue:$q 4 bytes=4 offset=2 arg=5");
	CHECK(errno == 0xbeef && !strcmp(m.text, "five"));
	EXPECT(put(2, "two"), 0, "0.0 msgsnd queue:$q 0 bytes=3 offset=4 arg=2");
	EXPECT(get(5, MSG_EXCEPT), 3, "0.0 msgrcv queue:$q 3 bytes=3 offset=3 arg=2");
	EXPECT(msgrcv(q, &m, 2, 0, MSG_NOERROR), 2, "0.0 msgrcv queue:$q 2 bytes=2 offset=4 arg=5");
	EXPECT(get(0, IPC_NOWAIT), -1, "0.0 msgrcv queue:$q -1 errno=ENOMSG");
	EXPECT(put(0, "none"), -1, "0.0 msgsnd queue:$q -1 errno=EINVAL");
	EXPECT(msgsnd(q, (void *)16, 3, 0), -1, "0.0 msgsnd queue:$q -1 errno=EFAULT");
}

/* Tests MSG_COPY, which only some kernel configurations support. */
static void looking(void)
{
	long rv;

	EXPECT(put(4, "look"), 0, "0.0 msgsnd queue:$q 0 offset=5");
	rv = get(0, MSG_COPY | IPC_NOWAIT);
	if (rv < 0)
		expect("0.0 msgrcv queue:$q -1");
	else
		expect("0.0 msgrcv queue:$q 4 bytes=4 offset=5 arg=4 flags=peek");
	EXPECT(get(0, 0), 4, "0.0 msgrcv queue:$q 4 offset=5 arg=4 flags=");
}

static void shared(key_t key)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		CHECK(msgget(key, 0) == q);
		expect("1.0 msgget queue:$q %d", q);
		CHECK(put(1, "child") == 0);
		expect("1.0 msgsnd queue:$q 0 offset=6 arg=1");
		_exit(0);
	}
	EXPECT(get(0, 0), 5, "0.0 msgrcv queue:$q 5 offset=6 arg=1");
	CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(void)
{
	key_t key = (key_t)(0x53594e00 ^ getpid());
	struct msqid_ds info;

	expect("ignore fork waitpid _exit");
	q = msgget(key, IPC_CREAT | IPC_EXCL | 0600);
	if (q < 0) {
		fprintf(stderr, "no message queues here\n");
		return 77;
	}
	expect("0.0 msgget queue:$q %d count=1", q);
	EXPECT(msgget(key, IPC_CREAT | IPC_EXCL), -1, "0.0 msgget - -1 errno=EEXIST");
	moving();
	looking();
	shared(key);
	CHECK(msgctl(q, IPC_STAT, &info) == 0 && info.msg_qnum == 0); /* no event */
	EXPECT(msgctl(q, IPC_RMID, NULL), 0, "0.0 msgctl queue:$q 0 count=1");
	EXPECT(put(1, "late"), -1, "0.0 msgsnd - -1 errno=EINVAL");
	EXPECT(msgctl(q, IPC_RMID, NULL), -1, "0.0 msgctl - -1 errno=EINVAL");

	/* an untraced process */
	q = msgget(IPC_PRIVATE, 0600);
	expect("0.0 msgget queue:$second %d", q);
	m.type = 1;
	CHECK(syscall(SYS_msgsnd, q, &m, 3, 0) == 0);
	EXPECT(msgctl(q, IPC_RMID, NULL), 0, "0.0 msgctl queue:$second 0 count=2");
	return 0;
}
