/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server: clients of a transport, one at a time, to requests of a session. A second client is
 * turned away while there is a first, and told who that is and since when. The session's positions
 * outlive a connection.
 */
#ifndef CSREPLAY_STUB_SERVER_H
#define CSREPLAY_STUB_SERVER_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/str.h"
#include "replay/session/session.h"
#include "stub/transport.h"

struct server_options {
	bool once;                 /* end when the first client leaves */
	int wake_fd;               /* readable when the server is to end; -1 for never */
	unsigned int idle_seconds; /* without a word of the client until it is left; 0 for ever */
	/*
	 * Both may be NULL. `tell`: a line for the user, without its end, when a client comes or
	 * leaves. `log`: what came, a payload, and what is sent for it, frames.
	 */
	void (*tell)(void *context, const char *line);
	void (*log)(void *context, bool is_sent, struct str bytes);
	void *context;
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
