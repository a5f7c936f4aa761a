/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a core, made once and kept; see session.h. */
#include "replay/session/session_store.h"

enum status session_calls(struct session *session, size_t core, const struct calls **calls)
{
	const struct symbols *symbols;

	TRY(session_symbols(session, &symbols));
	if (!session->calls[core])
		TRY(calls_build(session->histories[core], symbols, &session->interrupt,
		                &session->calls[core]));
	*calls = session->calls[core];
	return STATUS_OK;
}
