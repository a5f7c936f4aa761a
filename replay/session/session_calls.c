/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a core, made once and kept; see session.h. */
#include "replay/session/session_store.h"

enum status session_calls(struct session *session, size_t core, const struct calls **calls)
{
	const struct snapshot *snapshot = session->snapshot;

	if (!session->symbols)
		TRY(symbols_open(snapshot->images, snapshot->image_count, &session->symbols));
	if (!session->calls[core])
		TRY(calls_build(session->histories[core], session->symbols, &session->interrupt,
		                &session->calls[core]));
	*calls = session->calls[core];
	return STATUS_OK;
}
