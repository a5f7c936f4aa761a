/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library to preload: one allocation that the program itself asks for fails, not those of the C
 * library or of other libraries. In: FAIL_AT, its number from 1. Out: that one returns NULL; as the
 * program ends, a file FAIL_COUNT names has the number of allocations in decimal.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static atomic_ulong asked;
static unsigned long fail_at;
static uintptr_t program_begin;
static uintptr_t program_end;

/* The first object is the program. */
static int find_program(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	(void)context;
	program_begin = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t end =
		        info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type == PT_LOAD && end > program_end)
			program_end = end;
	}
	return 1;
}

__attribute__((constructor)) static void begin(void)
{
	const char *at = getenv("FAIL_AT");

	fail_at = at ? strtoul(at, NULL, 10) : 0;
	(void)dl_iterate_phdr(find_program, NULL);
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

static bool fails(const void *caller)
{
	uintptr_t from = (uintptr_t)caller;

	if (from < program_begin || from >= program_end ||
	    atomic_fetch_add(&asked, 1) + 1 != fail_at)
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

void *reallocarray(void *old, size_t count, size_t size)
{
	size_t bytes;

	if (fails(__builtin_return_address(0)) || __builtin_mul_overflow(count, size, &bytes))
		return NULL;
	return __libc_realloc(old, bytes);
}
