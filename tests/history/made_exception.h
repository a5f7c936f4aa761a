/* SPDX-License-Identifier: Apache-2.0 */
/* What a decoder says of an exception, for elements that are made by hand. */
#ifndef CSREPLAY_TESTS_HISTORY_MADE_EXCEPTION_H
#define CSREPLAY_TESTS_HISTORY_MADE_EXCEPTION_H

#include "decoder/element/element.h"
#include "snapshot/snapshot.h"

static inline enum exception_numbering numbering_of(enum protocol protocol, enum core_arch arch)
{
	bool is_m = arch == CORE_M;

	if (protocol == PROTOCOL_ETM4 || protocol == PROTOCOL_ETE)
		return is_m ? EXCEPTIONS_ETM4_M : EXCEPTIONS_ETM4;
	if (protocol == PROTOCOL_ETM3)
		return is_m ? EXCEPTIONS_ETM3_M : EXCEPTIONS_ETM3;
	return protocol == PROTOCOL_PTM && !is_m ? EXCEPTIONS_ETM3 : EXCEPTIONS_NONE;
}

/* Of an exception, from its number; other elements stay as they are. */
static inline void tell_exception(struct element *e, enum protocol protocol, enum core_arch arch)
{
	if (e->type != ELEMENT_EXCEPTION || e->exception.is_data_marker)
		return;
	e->exception.info = exception_find(numbering_of(protocol, arch), e->exception.number);
	e->exception.is_tail_chained =
	        arch == CORE_M && protocol == PROTOCOL_ETM4 && !e->exception.has_return_address;
}

#endif
