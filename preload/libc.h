/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The syntrace authors */
/* Includes every header that declares an intercepted function, for the exact prototypes. Only this file in
 * preload/ includes stdio.h and stdlib.h, whose functions are never called directly (tests/lint/undefined.sh).
 * The end of the file declares functions that libc exports but no header declares. */
#ifndef SYT_PRELOAD_LIBC_H
#define SYT_PRELOAD_LIBC_H

#if defined(_FILE_OFFSET_BITS) && _FILE_OFFSET_BITS == 64
#error "with large-file renaming a wrapper would silently get another function's name"
#endif

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>
#include <wordexp.h>

/* preload/cleanup.h. The headers of glibc declare these functions no more. */
void _pthread_cleanup_push(struct _pthread_cleanup_buffer *buffer, void (*unwound)(void *arg),
                           void *arg);
void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *buffer, int is_run);

/* Before glibc 2.33, fstat was a macro that calls this function. */
int __fxstat(int version, int fd, struct stat *st);

/* With _FORTIFY_SOURCE, compilers call these functions when they know the size of the buffer. */
ssize_t __read_chk(int fd, void *buffer, size_t bytes, size_t room);
ssize_t __pread_chk(int fd, void *buffer, size_t bytes, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *buffer, size_t bytes, off64_t at, size_t room);
ssize_t __recv_chk(int fd, void *buffer, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buffer, size_t bytes, size_t room, int flags,
                       __SOCKADDR_ARG from, socklen_t *from_bytes);
int __poll_chk(struct pollfd *fds, nfds_t nr, int limit, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t nr, const struct timespec *limit, const sigset_t *set,
                size_t room);
int __open_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
mqd_t __mq_open_2(const char *name, int flags);
/* sys/pidfd.h declares this function, too, but conflicts with the kernel's headers. */
int pidfd_send_signal(int fd, int number, siginfo_t *info, unsigned flags);

#endif
