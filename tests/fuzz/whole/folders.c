/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All command lines on each of many damaged snapshots: a process forked for each snapshot, limits
 * on its time and memory. A snapshot is a line of standard input, its path and then, after a tab,
 * what is changed of the server's conversation (whole_packets.h) in hexadecimal; the answer is a
 * line of standard output, "STATUS SECONDS COMMAND MIB": 0 or what waitpid() said, the longest
 * command line's number and processor time, and the most memory of the process. What a sanitizer
 * says comes on standard error, before the answer.
 *
 *	folders SCRATCH      a folder of its own
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "whole_commands.h"

enum {
	SECONDS_MOST = 10,  /* of processor time, for a command line */
	CLOCK_MOST = 60,    /* and by the clock: for what waits */
	MEMORY_MOST = 2048, /* MiB */
	LINE_MOST = 4096,
	CHANGES_MOST = 64,
	ANSWERS = 100, /* a descriptor: standard output is for the commands */
};

/* Of the child, which may end at any time. */
struct progress {
	size_t longest;
	double seconds;
};

static struct progress *progress; /* shared with the child */

static double seconds_used(void)
{
	struct timespec now = {0};

	FUZZ_CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A process that has no handler for SIGPROF and SIGALRM ends. */
static void limit_time(void)
{
	const struct itimerval limit = {.it_value.tv_sec = SECONDS_MOST};

	FUZZ_CHECK(setitimer(ITIMER_PROF, &limit, NULL) == 0);
	(void)alarm(CLOCK_MOST);
}

/* In the child. The command line that it ended in is the longest one. */
_Noreturn static void run_all(const char *snapshot, struct bytes changes)
{
	struct progress longest = {0};

	for (size_t i = 0; i < whole_commands(); i++) {
		double begin = seconds_used();

		*progress = (struct progress){i, SECONDS_MOST};
		limit_time();
		(void)whole_run(i, snapshot, changes);
		if (seconds_used() - begin > longest.seconds)
			longest = (struct progress){i, seconds_used() - begin};
	}
	*progress = longest;
	exit(EXIT_SUCCESS); /* looks for leaks */
}

/* What the process has of memory now, in MiB. */
static long resident(pid_t child)
{
	char path[64];
	long pages = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/statm", (long)child);
	file = fopen(path, "r");
	if (file) {
		if (fscanf(file, "%*d %ld", &pages) != 1)
			pages = 0;
		(void)fclose(file);
	}
	return pages * (sysconf(_SC_PAGESIZE) >> 10) >> 10;
}

/* Waits for the child, which has no more memory than it may in between. */
static int wait_for(pid_t child, struct rusage *used)
{
	const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
	sigset_t ended;
	int status;

	(void)sigemptyset(&ended);
	(void)sigaddset(&ended, SIGCHLD);
	while (wait4(child, &status, WNOHANG, used) == 0) {
		if (resident(child) > MEMORY_MOST)
			(void)kill(child, SIGKILL);
		(void)sigtimedwait(&ended, NULL, &pause);
	}
	return status;
}

static void run_snapshot(const char *snapshot, struct bytes changes)
{
	struct rusage used;
	int status;
	pid_t child;

	*progress = (struct progress){0};
	(void)fflush(NULL);
	child = fork();
	FUZZ_CHECK(child >= 0);
	if (child == 0)
		run_all(snapshot, changes);
	status = wait_for(child, &used);
	(void)dprintf(ANSWERS, "%d %.3f %zu %ld\n", status, progress->seconds, progress->longest,
	              used.ru_maxrss >> 10);
}

/* Bytes of the digits, at most `room`. */
static struct bytes bytes_of_digits(const char *digits, uint8_t *out, size_t room)
{
	size_t size = 0;

	for (unsigned int byte; size < room && sscanf(digits, "%2x", &byte) == 1; digits += 2)
		out[size++] = (uint8_t)byte;
	return bytes_of(out, size);
}

int main(int argc, char **argv)
{
	FILE *in = fdopen(dup(STDIN_FILENO), "r");
	char line[LINE_MOST];
	sigset_t ended;

	/* A child that ends would put back what this process has read ahead. */
	FUZZ_CHECK(in && setvbuf(in, NULL, _IONBF, 0) == 0);
	FUZZ_CHECK(argc == 2 && dup2(STDOUT_FILENO, ANSWERS) == ANSWERS);
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
	                -1, 0);
	FUZZ_CHECK(progress != MAP_FAILED);
	(void)sigemptyset(&ended);
	(void)sigaddset(&ended, SIGCHLD);
	FUZZ_CHECK(sigprocmask(SIG_BLOCK, &ended, NULL) == 0);
	whole_prepare(argv[1]);
	while (fgets(line, sizeof(line), in)) {
		uint8_t changes[CHANGES_MOST];
		char *digits = line + strcspn(line, "\t\n");

		if (*digits == '\t')
			*digits++ = 0;
		line[strcspn(line, "\n")] = 0;
		run_snapshot(line, bytes_of_digits(digits, changes, sizeof(changes)));
	}
	whole_clean();
	return fclose(in) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
