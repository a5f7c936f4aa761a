/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server: clients of a transport, one at a time, to requests of a session. A second client is
 * turned away while there is a first. The session's positions outlive a connection.
 */
#ifndef CSREPLAY_STUB_SERVER_H
#define CSREPLAY_STUB_SERVER_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/status.h"
#include "replay/session/session.h"
#include "stub/transport.h"

struct server_options {
	bool once;   /* end when the first client leaves */
	int wake_fd; /* readable when the server is to end; -1 for never */
};

/* UNSUPPORTED, with one error in `diags`, if no core of the session can be served. */
MUST_USE enum status server_check(const struct session *session, struct diag_list *diags);

/*
 * Serves until wake_fd, or with `once` (and on standard input) until the client leaves; OK then. A
 * lost client is no failure. NO_MEM; IO if the transport fails; UNSUPPORTED as above.
 */
MUST_USE enum status server_run(struct session *session, const struct transport *transport,
                                const struct server_options *options);

#endif
