/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether files that are mapped, not copied, are still what they were when they were opened. In:
 * paths and what stat() said. Out: the first that is another now, which it stays. Of the process,
 * not of an object: a byte that is read from a mapping does not say which one it came from.
 *
 * Who gives an answer makes it, then asks file_watch_changed(), then sends it: a change that had
 * part in the answer came before it was asked, and is seen. What is not seen: bytes that another
 * process writes through a shared mapping that it had before, and what a file system tells late.
 */
#ifndef CSREPLAY_BASE_FILE_WATCH_H
#define CSREPLAY_BASE_FILE_WATCH_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/text.h"

struct file_watch;

/* Watches the file at `path`, which was so when it was mapped. NULL without memory. */
struct file_watch *file_watch_add(const char *path, const struct stat *info);

/* After `chain` come those of `more`: mappings that became one. Either may be NULL. */
struct file_watch *file_watch_join(struct file_watch *chain, struct file_watch *more);

/* Looks at each of the chain for the last time and forgets it. NULL is fine. */
void file_watch_remove(struct file_watch *chain);

/*
 * True if a watched file is, or was, not what it was: other size, times or inode, gone, or a page
 * of it could not be read. Appends to `what`, unless NULL, a sentence that names it.
 */
bool file_watch_changed(struct text *what);

/*
 * From now on a page of a mapping that its file has not any more, or that cannot be read, is zeros
 * and a change, and no end of the process (SIGBUS). For the beginning of a program.
 */
void file_watch_catch_faults(void);

#endif
