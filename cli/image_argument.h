/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The argument of --image: ELF[@ADDRESS][,.SECTION=ADDRESS][,context=ID][,vmid=ID][,space=NAME]. A
 * comma that no key follows, and an '@' that no number follows, belong to the name.
 */
#ifndef CSREPLAY_CLI_IMAGE_ARGUMENT_H
#define CSREPLAY_CLI_IMAGE_ARGUMENT_H

#include "base/status.h"
#include "base/str.h"
#include "snapshot/snapshot.h"

/*
 * Fills *image, whose sections the caller frees after a failure, too. BAD_DATA with the word that
 * is *wrong; NO_MEM with the same.
 */
MUST_USE enum status image_argument_parse(struct str value, struct image_option *image,
                                          struct str *wrong);

#endif
