/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory in huge pages, where the system has them (Linux: transparent ones, on request): one page
 * fault where there would be 512. In: sizes. Out: memory of malloc(), and requests, which nothing
 * but time depends on. For what is written whole and takes megabytes.
 */
#ifndef CSREPLAY_BASE_HUGE_PAGES_H
#define CSREPLAY_BASE_HUGE_PAGES_H

#include <stddef.h>

enum { HUGE_PAGE = 2 << 20 };

/* Asks for huge pages where the memory is, which may be of any size; less than one is left alone.
 */
void huge_pages_advise(void *memory, size_t size);

/*
 * As malloc() and calloc(), for free(). From half a huge page on it is whole ones, their begin
 * aligned. `size` > 0.
 */
void *huge_pages_malloc(size_t size);
void *huge_pages_calloc(size_t count, size_t size);

#endif
