/* SPDX-License-Identifier: Apache-2.0 */
/* The server's loop; see server.h. */
#include "stub/server.h"

#include <poll.h>
#include <stdlib.h>

#include "console/threads.h"
#include "stub/gdb.h"
#include "stub/rsp_frame.h"

enum {
	INPUT_SIZE = 1 << 16,
	RESENDS_MOST = 16, /* how often one frame is sent again */
};

struct server {
	const struct transport *transport;
	const struct server_options *options;
	struct session *session;
	size_t stopped; /* core of the last stop */
};

/* One client's bytes. */
struct client_link {
	struct server *server;
	struct connection connection;
	struct rsp_decoder decoder;
	struct gdb gdb;
	struct text sent; /* last reply, for a client that refuses it */
	unsigned int resends;
	bool gone;
	size_t begin; /* bytes read and not yet decoded: input[begin..end) */
	size_t end;
	uint8_t input[INPUT_SIZE];
};

enum status server_check(const struct session *session, struct diag_list *diags)
{
	size_t core;
	const char *why = "it has no core";

	if (threads_first(session, &core) == STATUS_OK)
		return STATUS_OK;
	if (session_core_count(session) > 0)
		why = threads_why_not(session, 0);
	return diag_error(diags, STATUS_UNSUPPORTED, place_none(),
	                  "no core of the snapshot can be served: %s%s",
	                  session_core_count(session) > 0 ? "of the first, " : "", why);
}

static bool is_readable(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return fd >= 0 && poll(&poll_fd, 1, 0) > 0 && poll_fd.revents != 0;
}

static void read_input(struct client_link *link)
{
	size_t got = 0;

	if (link->begin == link->end)
		link->begin = link->end = 0;
	if (link->end == INPUT_SIZE)
		return;
	if (connection_read(&link->connection, link->input + link->end, INPUT_SIZE - link->end,
	                    &got) != STATUS_OK)
		link->gone = true;
	link->end += got;
}

/* Asked during a run: did the user press Ctrl-C, or is he gone, or is the server to end? */
static bool is_interrupted(void *context)
{
	struct client_link *link = context;

	if (is_readable(link->server->options->wake_fd))
		return true;
	if (is_readable(link->connection.in))
		read_input(link);
	while (link->begin < link->end && link->input[link->begin] == '+')
		link->begin++;
	if (link->begin < link->end && link->input[link->begin] == RSP_INTERRUPT_BYTE) {
		link->begin++;
		return true;
	}
	return link->gone;
}

static void send_text(struct client_link *link, const struct text *text)
{
	if (text_status(text) != STATUS_OK ||
	    connection_write(&link->connection, text_str(text), link->server->options->wake_fd) !=
	            STATUS_OK)
		link->gone = true;
}

static void send_acknowledgement(struct client_link *link, char c)
{
	struct str one = {&c, 1};

	if (!link->gdb.no_ack &&
	    connection_write(&link->connection, one, link->server->options->wake_fd) != STATUS_OK)
		link->gone = true;
}

static void answer(struct client_link *link)
{
	struct gdb *gdb = &link->gdb;
	struct text sent = link->sent;

	send_acknowledgement(link, '+');
	text_clear(&gdb->out);
	gdb_request(gdb, text_str(&link->decoder.payload));
	send_text(link, &gdb->out);
	link->sent = gdb->out; /* swapped: the next reply takes the old one's memory */
	gdb->out = sent;
	if (gdb->leaving)
		link->gone = true;
}

static void refuse_long_packet(struct client_link *link)
{
	send_acknowledgement(link, '+');
	text_clear(&link->sent);
	rsp_frame_append(&link->sent, STR("E01"));
	send_text(link, &link->sent);
}

static void handle(struct client_link *link, enum rsp_event event)
{
	switch (event) {
	case RSP_PACKET:
		link->resends = 0;
		answer(link);
		break;
	case RSP_BAD_CHECKSUM:
		send_acknowledgement(link, '-');
		break;
	case RSP_TOO_LONG:
		refuse_long_packet(link);
		break;
	case RSP_NACK:
		if (!link->gdb.no_ack && link->resends < RESENDS_MOST) {
			link->resends++;
			send_text(link, &link->sent);
		}
		break;
	case RSP_NONE:
	case RSP_ACK:
	case RSP_INTERRUPT: /* nothing runs that could be stopped */
		break;
	}
}

static void turn_away(const struct server *server)
{
	struct connection other;

	if (transport_accept(server->transport, &other) == STATUS_OK)
		connection_close(&other);
}

/* Waits for the client; false when the server is to end. Another that comes is turned away only
 * when this one has nothing to say: its last bytes may be its farewell, and what it sent before the
 * other came is seen by asking after the other is seen. */
static bool wait_for_client(struct client_link *link)
{
	const struct server *server = link->server;
	struct pollfd fds[] = {{.fd = link->connection.in, .events = POLLIN},
	                       {.fd = server->options->wake_fd, .events = POLLIN},
	                       {.fd = server->transport->listener, .events = POLLIN}};

	if (poll(fds, 3, -1) < 0)
		return true;
	if (fds[1].revents)
		return false;
	if (fds[0].revents)
		read_input(link);
	else if (fds[2].revents && !is_readable(link->connection.in))
		turn_away(server);
	return true;
}

/* Until the client leaves; false when the server is to end. */
static bool serve(struct client_link *link)
{
	while (!link->gone) {
		if (link->begin == link->end && !wait_for_client(link))
			return false;
		while (link->begin < link->end && !link->gone)
			handle(link, rsp_decoder_feed(&link->decoder, link->input[link->begin++]));
	}
	return true;
}

/* Waits for a client to come; STATUS_END when the server is to end. */
static enum status next_client(struct server *server, struct connection *connection)
{
	struct pollfd fds[] = {{.fd = server->transport->listener, .events = POLLIN},
	                       {.fd = server->options->wake_fd, .events = POLLIN}};

	for (;;) {
		if (server->transport->listener >= 0 && poll(fds, 2, -1) < 0)
			continue; /* a signal */
		if (fds[1].revents)
			return STATUS_END;
		if (fds[0].revents & (POLLERR | POLLNVAL))
			return STATUS_IO;
		if (transport_accept(server->transport, connection) == STATUS_OK)
			return STATUS_OK;
	}
}

enum status server_run(struct session *session, const struct transport *transport,
                       const struct server_options *options)
{
	struct server server = {.transport = transport, .options = options, .session = session};
	bool go_on = true;

	if (threads_first(session, &server.stopped) != STATUS_OK)
		return STATUS_UNSUPPORTED;
	while (go_on) {
		struct client_link *link = calloc(1, sizeof(*link));
		enum status status = link ? next_client(&server, &link->connection) : STATUS_NO_MEM;

		if (status != STATUS_OK) {
			free(link);
			return status == STATUS_END ? STATUS_OK : status;
		}
		link->server = &server;
		link->gdb = (struct gdb){.session = session,
		                         .stopped = &server.stopped,
		                         .interrupted = is_interrupted,
		                         .context = link};
		gdb_init(&link->gdb);
		go_on = serve(link) && !options->once && transport->listener >= 0;
		gdb_fini(&link->gdb);
		rsp_decoder_fini(&link->decoder);
		text_fini(&link->sent);
		connection_close(&link->connection);
		free(link);
	}
	return STATUS_OK;
}
