/* SPDX-License-Identifier: Apache-2.0 */
/* Elements that tests of the past put between the instructions of a made program. */
#ifndef CSREPLAY_TESTS_VALUES_MADE_ELEMENT_H
#define CSREPLAY_TESTS_VALUES_MADE_ELEMENT_H

#include "decoder/element/element.h"

static inline struct element exception(uint32_t number, uint64_t return_address)
{
	struct element e = {.type = ELEMENT_EXCEPTION};

	e.exception.number = number;
	e.exception.has_return_address = true;
	e.exception.return_address = return_address;
	return e;
}

#endif
