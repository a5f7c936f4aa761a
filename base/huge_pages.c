/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in huge pages by madvise(); see huge_pages.h. */
#include "base/huge_pages.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Of the pages that it has a part of, too: a mapping of which a part only has the advice cannot be
 * moved by realloc() any more.
 */
void huge_pages_advise(void *memory, size_t size)
{
#ifdef MADV_HUGEPAGE
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t head = (uintptr_t)memory % page;

	if (size >= HUGE_PAGE)
		(void)madvise((char *)memory - head, (head + size + page - 1) / page * page,
		              MADV_HUGEPAGE);
#else
	(void)memory;
	(void)size;
#endif
}

void *huge_pages_malloc(size_t size)
{
	size_t whole = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	void *memory;

	if (size < HUGE_PAGE / 2 || whole < size)
		return malloc(size);
	memory = aligned_alloc(HUGE_PAGE, whole);
	if (memory)
		huge_pages_advise(memory, whole);
	return memory;
}

void *huge_pages_calloc(size_t count, size_t size)
{
	void *memory;

	assert(size > 0);
	if (count > SIZE_MAX / size || count * size < HUGE_PAGE / 2)
		return calloc(count, size);
	memory = huge_pages_malloc(count * size);
	if (memory)
		memset(memory, 0, count * size);
	return memory;
}
