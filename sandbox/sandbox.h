/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process gives up when it has what it needs. In: folders that it will need files of. Out:
 * from then on the kernel refuses it all other files, programs, sockets and writable code: Landlock
 * (landlock(7)) for files, seccomp (seccomp(2)) for system calls, each where the kernel has it.
 * What is refused fails with EACCES or EPERM; nothing is killed.
 */
#ifndef CSREPLAY_SANDBOX_SANDBOX_H
#define CSREPLAY_SANDBOX_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* What the kernel has. */
struct sandbox_support {
	bool is_built; /* false: this build leaves it out, as those with sanitizers must */
	int landlock;  /* version of its interface; 0: none */
	bool seccomp;
};

struct sandbox_support sandbox_support(void);

/* What may be done below a folder; a set. */
enum sandbox_right {
	SANDBOX_READ = 1,
	SANDBOX_WRITE = 2,  /* make, write, rename and remove files, too */
	SANDBOX_REMOVE = 4, /* remove files and folders */
};

struct sandbox_rule {
	char *path;          /* a folder, or a file alone; the caller's */
	unsigned int rights; /* enum sandbox_right */
};

/*
 * For this thread and all that it makes; others of the process must have ended. A path that is not
 * there has no rights. IO if the kernel has something that could not be put in force, the rest
 * being so nevertheless; NO_MEM.
 */
MUST_USE enum status sandbox_enter(const struct sandbox_rule *rules, size_t count);

#endif
