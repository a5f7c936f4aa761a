/* SPDX-License-Identifier: Apache-2.0 */
/* See sandbox.h. Landlock has no library: its three system calls are made as landlock(7) says. */
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of the kernel's interface, since older headers lack parts of it. */
enum {
	LANDLOCK_CREATE_RULESET = 444, /* numbers of system calls, the same everywhere */
	LANDLOCK_ADD_RULE = 445,
	LANDLOCK_RESTRICT_SELF = 446,
	LANDLOCK_VERSION = 1 << 0, /* flag of the first: ask for the version */
	LANDLOCK_PATH_BENEATH = 1, /* kind of rule */
	LANDLOCK_NET_VERSION = 4,  /* versions that have these */
	LANDLOCK_SCOPE_VERSION = 6,
	LANDLOCK_NET = 1 << 0 | 1 << 1, /* TCP: bind, connect */
	LANDLOCK_SCOPE = 1 << 0,        /* abstract unix sockets of others */
};

/* struct landlock_ruleset_attr; older versions take less of it. */
struct ruleset {
	uint64_t files;
	uint64_t net;
	uint64_t scope;
};

/* struct landlock_path_beneath_attr */
struct __attribute__((packed)) path_beneath {
	uint64_t allowed;
	int32_t folder;
};

/* Kinds of actions beside those of sandbox.h. */
enum {
	ON_FILE = 8, /* not on a folder alone */
	ANY = 16,
};

static const struct {
	unsigned int bit;
	int version;
	unsigned int kinds;
} file_rights[] = {
#define X(bit, version, kinds, what) {bit, version, (kinds) | ANY},
#include "sandbox/file_rights.def"
#undef X
};

static const int calls[] = {
#define X(name, why) SCMP_SYS(name),
#include "sandbox/syscalls.def"
#undef X
};

struct sandbox_support sandbox_support(void)
{
	struct sandbox_support support = {.is_built = CSREPLAY_SANDBOX};
	long version = syscall(LANDLOCK_CREATE_RULESET, NULL, 0, LANDLOCK_VERSION);

	if (!support.is_built)
		return support;
	support.landlock = version > 0 ? (int)version : 0;
	support.seccomp = prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
	return support;
}

/* What of this version is of one of these kinds. */
static uint64_t actions_of(int version, unsigned int kinds)
{
	uint64_t actions = 0;

	for (size_t i = 0; i < sizeof(file_rights) / sizeof(file_rights[0]); i++) {
		if (file_rights[i].version <= version && (file_rights[i].kinds & kinds) != 0)
			actions |= UINT64_C(1) << file_rights[i].bit;
	}
	return actions;
}

static enum status add_rule(int ruleset, int version, const struct sandbox_rule *rule)
{
	struct path_beneath beneath = {.allowed = actions_of(version, rule->rights)};
	struct stat what;
	enum status status = STATUS_OK;

	beneath.folder = open(rule->path, O_PATH | O_CLOEXEC);
	if (beneath.folder < 0)
		return STATUS_OK;
	if (fstat(beneath.folder, &what) == 0 && !S_ISDIR(what.st_mode))
		beneath.allowed &= actions_of(version, ON_FILE);
	if (syscall(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_PATH_BENEATH, &beneath, 0) != 0)
		status = STATUS_IO;
	(void)close(beneath.folder);
	return status;
}

static enum status restrict_files(const struct sandbox_rule *rules, size_t count, int version)
{
	struct ruleset taken = {.files = actions_of(version, ANY)};
	size_t size = version >= LANDLOCK_SCOPE_VERSION ? sizeof(taken)
	              : version >= LANDLOCK_NET_VERSION ? offsetof(struct ruleset, scope)
	                                                : offsetof(struct ruleset, net);
	enum status status = STATUS_OK;
	int ruleset;

	taken.net = version >= LANDLOCK_NET_VERSION ? LANDLOCK_NET : 0;
	taken.scope = version >= LANDLOCK_SCOPE_VERSION ? LANDLOCK_SCOPE : 0;
	ruleset = (int)syscall(LANDLOCK_CREATE_RULESET, &taken, size, 0);
	if (ruleset < 0)
		return STATUS_IO;
	for (size_t i = 0; i < count && status == STATUS_OK; i++)
		status = add_rule(ruleset, version, &rules[i]);
	if (status == STATUS_OK && syscall(LANDLOCK_RESTRICT_SELF, ruleset, 0) != 0)
		status = STATUS_IO;
	(void)close(ruleset);
	return status;
}

/* 0, or a negative errno of libseccomp. */
static int add_conditions(scmp_filter_ctx filter)
{
	const struct scmp_arg_cmp is_thread =
	        SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD);
	const struct scmp_arg_cmp is_no_code = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
	/* isatty(); others type into the user's terminal (TIOCSTI). */
	const struct scmp_arg_cmp asks_for_terminal = SCMP_A1(SCMP_CMP_EQ, TCGETS, 0);
	int wrong = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, is_thread);

	/* Its flags are in memory; the C library then takes clone. */
	if (wrong == 0)
		wrong = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	if (wrong == 0)
		wrong = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
		                         asks_for_terminal);
	if (wrong == 0)
		wrong = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, is_no_code);
	if (wrong == 0)
		wrong = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, is_no_code);
	return wrong;
}

static enum status restrict_calls(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int wrong;

	if (!filter)
		return STATUS_NO_MEM;
	wrong = add_conditions(filter);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]) && wrong == 0; i++)
		wrong = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
	if (wrong == 0)
		wrong = seccomp_load(filter);
	seccomp_release(filter);
	if (wrong == -ENOMEM)
		return STATUS_NO_MEM;
	return wrong == 0 ? STATUS_OK : STATUS_IO;
}

enum status sandbox_enter(const struct sandbox_rule *rules, size_t count)
{
	struct sandbox_support support = sandbox_support();
	enum status files = STATUS_OK;
	enum status calls_status = STATUS_OK;

	if (!support.is_built)
		return STATUS_OK;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return STATUS_IO;
	if (support.landlock > 0)
		files = restrict_files(rules, count, support.landlock);
	/* Where one fails the other holds nevertheless. */
	if (support.seccomp)
		calls_status = restrict_calls();
	return files != STATUS_OK ? files : calls_status;
}
