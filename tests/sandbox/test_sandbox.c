/* SPDX-License-Identifier: Apache-2.0 */
/* What a process can do after sandbox_enter(), each in a child of its own. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "sandbox/sandbox.h"

static struct text folder; /* with "in/file" and "out/file" */

static char *path_of(const char *name)
{
	static char path[4096];

	(void)snprintf(path, sizeof(path), "%s/%s", folder.data, name);
	return path;
}

static void make_file(const char *name)
{
	FILE *file = fopen(path_of(name), "we");

	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
	(void)state;
	text_puts(&folder, "/tmp/csreplay-sandbox-XXXXXX");
	assert_non_null(mkdtemp(folder.data));
	assert_int_equal(mkdir(path_of("in"), 0700), 0);
	assert_int_equal(mkdir(path_of("out"), 0700), 0);
	make_file("in/file");
	make_file("out/file");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	(void)unlink(path_of("in/file"));
	(void)unlink(path_of("out/file"));
	(void)rmdir(path_of("in"));
	(void)rmdir(path_of("out"));
	(void)rmdir(folder.data);
	text_fini(&folder);
	return 0;
}

/* What `attempt` answers in a process that has the rights below "in", or none: 0, or an errno. */
static int after(unsigned int rights, int (*attempt)(void))
{
	int how = 0;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct sandbox_rule rule = {path_of("in"), rights};

		if (sandbox_enter(&rule, rights != 0 ? 1 : 0) != STATUS_OK)
			_exit(255);
		_exit(attempt());
	}
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_true(WIFEXITED(how));
	assert_int_not_equal(WEXITSTATUS(how), 255);
	return WEXITSTATUS(how);
}

static int try_open(const char *name, int flags)
{
	int fd = open(name[0] == '/' ? name : path_of(name), flags | O_CLOEXEC, 0600);

	return fd >= 0 ? close(fd) : errno;
}

static int read_inside(void)
{
	return try_open("in/file", O_RDONLY);
}

static int read_outside(void)
{
	return try_open("out/file", O_RDONLY);
}

static int read_users(void)
{
	return try_open("/etc/passwd", O_RDONLY);
}

static int write_inside(void)
{
	return try_open("in/file", O_WRONLY);
}

static int make_inside(void)
{
	int error = try_open("in/new", O_WRONLY | O_CREAT);

	return error != 0 ? error : unlink(path_of("in/new")) == 0 ? 0 : errno;
}

static int remove_outside(void)
{
	return unlink(path_of("out/file")) == 0 ? 0 : errno;
}

static int run_program(void)
{
	char name[] = "/bin/true";
	char *words[] = {name, NULL};

	(void)execv(name, words);
	return errno;
}

static int make_process(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	return child < 0 ? errno : 0;
}

static int make_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 0 : errno;
}

/* Landlock knows nothing of modes. */
static int change_mode(void)
{
	return chmod(path_of("out/file"), 0644) == 0 ? 0 : errno;
}

/* As if the user had typed it; of a file, which without a sandbox says ENOTTY. */
static int type_for_the_user(void)
{
	int fd = open(path_of("in/file"), O_RDONLY | O_CLOEXEC);

	return ioctl(fd, TIOCSTI, "x") == 0 ? 0 : errno;
}

static int ask_for_a_terminal(void)
{
	int fd = open(path_of("in/file"), O_RDONLY | O_CLOEXEC);

	return isatty(fd) == 1 ? 0 : errno;
}

static int make_code(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	                       MAP_FAILED
	               ? 0
	               : errno;
}

static void *note(void *done)
{
	*(int *)done = 1;
	return NULL;
}

/* Memory and a thread: what a server goes on with. */
static int work(void)
{
	void *memory = malloc(1 << 24);
	pthread_t thread;
	int done = 0;

	if (!memory || pthread_create(&thread, NULL, note, &done) != 0)
		return 1;
	memset(memory, 1, 1 << 24);
	free(memory);
	return pthread_join(thread, NULL) == 0 && done ? 0 : 2;
}

/* The errno where the kernel has what refuses it, or else 0. */
static int refused(bool has, int error)
{
	return has ? error : 0;
}

static void files_are_those_of_the_rules(void **state)
{
	bool has = sandbox_support().landlock > 0;

	(void)state;
	assert_int_equal(after(SANDBOX_READ, read_inside), 0);
	assert_int_equal(after(SANDBOX_READ, read_outside), refused(has, EACCES));
	assert_int_equal(after(SANDBOX_READ, read_users), refused(has, EACCES));
	assert_int_equal(after(0, read_inside), refused(has, EACCES));
	assert_int_equal(after(SANDBOX_READ, write_inside), refused(has, EACCES));
	assert_int_equal(after(SANDBOX_READ, make_inside), refused(has, EACCES));
	assert_int_equal(after(SANDBOX_READ | SANDBOX_WRITE, write_inside), 0);
	assert_int_equal(after(SANDBOX_READ | SANDBOX_WRITE, make_inside), 0);
	if (has)
		assert_int_equal(after(SANDBOX_WRITE, remove_outside), EACCES);
}

static void programs_processes_sockets_and_code_are_refused(void **state)
{
	struct sandbox_support support = sandbox_support();

	(void)state;
	assert_int_equal(after(SANDBOX_READ, make_process), refused(support.seccomp, EPERM));
	assert_int_equal(after(SANDBOX_READ, make_socket), refused(support.seccomp, EPERM));
	assert_int_equal(after(SANDBOX_READ, make_code), refused(support.seccomp, EPERM));
	if (support.seccomp)
		assert_int_equal(after(SANDBOX_READ, run_program), EPERM);
}

static void modes_and_the_terminal_are_refused(void **state)
{
	bool has = sandbox_support().seccomp;

	(void)state;
	assert_int_equal(after(SANDBOX_READ, change_mode), refused(has, EPERM));
	assert_int_equal(after(SANDBOX_READ, type_for_the_user), has ? EPERM : ENOTTY);
	assert_int_equal(after(SANDBOX_READ, ask_for_a_terminal), ENOTTY);
}

static void memory_and_threads_are_left(void **state)
{
	(void)state;
	assert_int_equal(after(SANDBOX_READ, work), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(files_are_those_of_the_rules),
	        cmocka_unit_test(programs_processes_sockets_and_code_are_refused),
	        cmocka_unit_test(modes_and_the_terminal_are_refused),
	        cmocka_unit_test(memory_and_threads_are_left),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
