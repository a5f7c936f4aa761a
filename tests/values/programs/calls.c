/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls: those that write memory through pointers, through pointers in what they are given,
 * or that map it; signals, whose frames the kernel writes; jumps out of their handlers.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

static char buffer[512];
static volatile uint32_t caught;
static sigjmp_buf back;
static uint32_t cells[64];

NOINLINE static uint32_t sum_of(const void *p, size_t n)
{
	const uint8_t *b = p;
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum = sum * 31 + b[i];
	return sum;
}

NOINLINE static uint32_t files(uint32_t seed)
{
	struct stat st;
	struct iovec parts[2] = {{buffer, 7}, {buffer + 100, 9}};
	int f = open("/proc/self/cmdline", O_RDONLY);
	uint32_t sum = seed;

	memset(buffer, (int)seed, sizeof(buffer));
	sum += (uint32_t)read(f, buffer + seed % 5, 11);
	sum += sum_of(buffer, 20);
	(void)lseek(f, 0, SEEK_SET);
	sum += (uint32_t)readv(f, parts, 2);
	sum += sum_of(buffer, 120);
	sum += (uint32_t)pread(f, buffer + 3, 4, 1);
	(void)fstat(f, &st);
	sum += sum_of(&st, sizeof(st));
	close(f);
	(void)stat("/", &st);
	sum += sum_of(&st, sizeof(st)) + sum_of(buffer, 40);
	if (getcwd(buffer, sizeof(buffer)))
		sum += sum_of(buffer, 30);
	sum += (uint32_t)readlink("/proc/mounts", buffer, 9);
	return sum + sum_of(buffer, 30);
}

NOINLINE static uint32_t pipes(uint32_t seed)
{
	int ends[2];
	int sockets[2];
	char control[64];
	struct iovec part = {buffer, 16};
	struct msghdr message = {
	        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = 64};
	struct pollfd waited = {.events = POLLIN};
	struct epoll_event event = {.events = EPOLLIN, .data = {.u32 = seed}};
	fd_set set;
	struct timeval none = {0, 0};
	uint32_t sum = 0;
	int n = 0;
	int e;

	if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets) != 0)
		return 0;
	sum += (uint32_t)write(ends[1], &seed, 4);
	waited.fd = ends[0];
	sum += (uint32_t)poll(&waited, 1, 0) + (uint32_t)waited.revents;
	(void)ioctl(ends[0], FIONREAD, &n);
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	sum += (uint32_t)select(ends[0] + 1, &set, NULL, NULL, &none) + (uint32_t)n;
	e = epoll_create1(0);
	(void)epoll_ctl(e, EPOLL_CTL_ADD, ends[0], &event);
	event.data.u32 = 7;
	sum += (uint32_t)epoll_wait(e, &event, 1, 0) + event.data.u32;
	sum += (uint32_t)read(ends[0], &n, 4) + (uint32_t)n;
	sum += (uint32_t)send(sockets[0], &seed, 4, 0) + (uint32_t)send(sockets[0], cells, 12, 0);
	sum += (uint32_t)recvmsg(sockets[1], &message, 0) + sum_of(&message, sizeof(message));
	sum += (uint32_t)recv(sockets[1], buffer + 20, 64, 0) + sum_of(buffer, 60);
	close(e);
	for (int i = 0; i < 2; i++) {
		close(ends[i]);
		close(sockets[i]);
	}
	return sum;
}

NOINLINE static uint32_t facts(uint32_t seed)
{
	struct timespec t[2];
	struct utsname name;
	struct rlimit limit;
	struct sysinfo info;
	struct tms used;
	struct timeval now;
	sigset_t mask;
	stack_t stack;
	uint32_t sum = 0;

	memset(t, (int)seed, sizeof(t));
	(void)clock_gettime(CLOCK_MONOTONIC, &t[seed % 2]);
	sum += sum_of(t, sizeof(t));
	(void)gettimeofday(&now, NULL);
	(void)uname(&name);
	sum += sum_of(&name, sizeof(name)) + sum_of(&now, sizeof(now));
	(void)getrlimit(RLIMIT_STACK, &limit);
	(void)sysinfo(&info);
	(void)times(&used);
	(void)sigaltstack(NULL, &stack);
	(void)sigprocmask(SIG_BLOCK, NULL, &mask);
	sum += sum_of(&limit, sizeof(limit)) + sum_of(&info, sizeof(info)) +
	       sum_of(&used, sizeof(used));
	sum += sum_of(&mask, sizeof(mask)) + (uint32_t)getpid() + (uint32_t)stack.ss_flags;
	sum += (uint32_t)getrandom(buffer + 9, 5, 0) + sum_of(buffer, 32);
	return sum;
}

NOINLINE static uint32_t maps(uint32_t seed)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *q;
	uint32_t sum = 0;

	p[seed % 4096] = (char)seed;
	p[4096] = 5;
	sum += sum_of(p, 64);
	q = mremap(p, 8192, 16384, MREMAP_MAYMOVE);
	q[8192] = 9;
	sum += sum_of(q + 4090, 16);
	(void)munmap(q + 4096, 4096);
	q = mmap(q, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	sum += sum_of(q, 64) + (uint32_t)q[seed % 4096];
	(void)mprotect(q, 4096, PROT_READ);
	sum += (uint32_t)madvise(q, 4096, MADV_DONTNEED);
	sum += sum_of(q, 64);
	(void)munmap(q, 4096);
	p = sbrk(4096);
	p[seed % 4096] = 3;
	(void)sbrk(-4096);
	p = sbrk(4096);
	sum += (uint32_t)p[seed % 4096];
	(void)sbrk(-4096);
	return sum;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	caught = caught * 3 + (uint32_t)number + (uint32_t)(info->si_code < 0);
	cells[caught % 64]++;
	if (number == SIGSEGV || number == SIGILL)
		siglongjmp(back, number);
}

NOINLINE static uint32_t deep(uint32_t depth, uint32_t seed)
{
	volatile uint32_t local[8] = {seed, depth};

	if (depth == 0) {
		(void)raise(SIGUSR1);
		if (seed % 2 != 0)
			*(volatile uint32_t *)(uintptr_t)(seed % 64 * 4) = seed;
		else
			siglongjmp(back, 5);
	}
	return deep(depth - 1, seed * 3 + 1) + local[1];
}

NOINLINE static uint32_t signals(uint32_t seed)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_NODEFER};
	struct sigaction old;
	volatile uint32_t kept = seed;
	uint32_t sum = seed * 5;

	(void)sigaction(SIGUSR1, &action, &old);
	(void)sigaction(SIGSEGV, &action, NULL);
	(void)raise(SIGUSR1);
	sum += caught;
	(void)kill(getpid(), SIGUSR1);
	switch (sigsetjmp(back, 1)) {
	case 0:
		kept += deep(seed % 4, seed);
		break;
	case 5:
		kept += 2;
		break;
	default:
		kept++;
	}
	return sum + kept + sum_of(&old, sizeof(old)) + sum_of(cells, sizeof(cells));
}

uint32_t program(uint32_t rounds)
{
	uint32_t random = 31415;
	uint32_t sum = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t seed = next_random(&random);

		sum = sum * 3 + files(seed);
		sum = sum * 3 + pipes(seed);
		sum = sum * 3 + facts(seed);
		sum = sum * 3 + maps(seed);
		sum = sum * 3 + signals(seed);
		/* Not the sum: its digits, and so the instructions, are not always as many. */
		(void)snprintf(buffer, sizeof(buffer), "%u %x", random, round);
		sum += sum_of(buffer, 20);
	}
	return sum;
}
