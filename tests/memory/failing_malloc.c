/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library to preload: one allocation that the program itself asks for fails, not those of the C
 * library or of other libraries. In: FAIL_AT, its number from 1. Out: that one returns NULL; as the
 * program ends, a file FAIL_COUNT names has the number of allocations in decimal.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong asked;
static unsigned long fail_at;

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("FAIL_AT");

	fail_at = at ? strtoul(at, NULL, 10) : 0;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAIL_COUNT");
	FILE *file = path ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%lu\n", atomic_load(&asked));
	fclose(file);
}

/* The program and libraries that were built with it; what the system has is below /usr or /lib. */
static bool is_ours(const void *code)
{
	Dl_info info;

	return dladdr(code, &info) != 0 && strncmp(info.dli_fname, "/usr/", 5) != 0 &&
	       strncmp(info.dli_fname, "/lib", 4) != 0;
}

static bool fails(const void *caller)
{
	if (!is_ours(caller) || atomic_fetch_add(&asked, 1) + 1 != fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (fails(__builtin_return_address(0)) || __builtin_mul_overflow(count, size, &bytes))
		return NULL;
	return __libc_realloc(old, bytes);
}
