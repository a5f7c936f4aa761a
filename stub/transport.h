/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where clients come from: a TCP or unix socket that listens, or standard input and output. Bytes
 * only; packets are not known here.
 */
#ifndef CSREPLAY_STUB_TRANSPORT_H
#define CSREPLAY_STUB_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text.h"

struct transport {
	int listener;          /* -1 for standard input and output */
	bool is_loopback;      /* only this machine can connect */
	struct text name;      /* "HOST:PORT" with the port picked, "unix:PATH" or "stdio" */
	struct text unix_path; /* to be removed; empty if none */
};

/* One client. */
struct connection {
	int in;
	int out;
	bool is_socket;   /* both are one socket, to be closed */
	struct text peer; /* who it is: "HOST:PORT", "process PID" or "stdio" */
};

/*
 * A unix socket is the user's own, and replaces one that nobody listens on any more.
 *
 * Listens on `address`: HOST:PORT, [IPV6]:PORT, :PORT (loopback), unix:PATH or stdio; port 0 picks
 * a free one. USAGE if it is none of these, IO if it cannot be had; one error in `diags`.
 */
MUST_USE enum status transport_open(struct str address, struct diag_list *diags,
                                    struct transport *transport);
void transport_close(struct transport *transport);

/* Takes the client that waits; STATUS_IO if there is none after all. */
MUST_USE enum status transport_accept(const struct transport *transport,
                                      struct connection *connection);
void connection_close(struct connection *connection);

/* Up to `size` bytes that are there; END when the client is gone. Waits only if there are none. */
MUST_USE enum status connection_read(const struct connection *connection, void *data, size_t size,
                                     size_t *got);

/*
 * Writes all of it. IO if the client is gone, INTERRUPTED if `wake_fd` (-1: none) becomes readable
 * while the client takes nothing.
 */
MUST_USE enum status connection_write(const struct connection *connection, struct str data,
                                      int wake_fd);

#endif
