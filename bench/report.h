/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a benchmark program prints: lines of a name and a number, for the scripts beside it. In:
 * figures. Out: stdout; a failure ends the program with a message.
 */
#ifndef CSREPLAY_BENCH_REPORT_H
#define CSREPLAY_BENCH_REPORT_H

#include <stdint.h>

#include "base/status.h"

/* Ends the program with 1 unless the status is OK; `what` was tried. */
void must(enum status status, const char *what);
void say(const char *name, uint64_t value);
/* For qsort() of uint64_t. */
int compare_times(const void *left, const void *right);

#endif
