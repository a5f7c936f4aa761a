/* SPDX-License-Identifier: Apache-2.0 */
/* The server's loop; see server.h. */
#include "stub/server.h"

#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/file_watch.h"
#include "console/threads.h"
#include "stub/gdb.h"
#include "stub/rsp_frame.h"

enum {
	INPUT_SIZE = 1 << 16,
	RESENDS_MOST = 16, /* how often one frame is sent again */
	WAITING_MOST = 4,  /* clients while there is another */
	MILLISECONDS = 1000,
	QUIET = 20, /* ms without a request after which no other is taken to be on its way */
	GRACE = 50, /* ms for the end of a client to be seen before another is turned away */
};

/*
 * A client that came while there was another: it is turned away once it has said something, and is
 * the next one if the other leaves before.
 */
struct waiting {
	struct connection connection;
	bool is_there;
	bool is_refused;
};

struct server {
	const struct transport *transport;
	const struct server_options *options;
	struct session *session;
	size_t stopped; /* core of the last stop */
	struct waiting waiting[WAITING_MOST];
	size_t waiting_next;
	char since[16]; /* when the client came: a time of the day */
};

/* One client's bytes. */
struct client_link {
	struct server *server;
	struct connection connection;
	struct rsp_decoder decoder;
	struct gdb gdb;
	struct text sent; /* last reply, for a client that refuses it */
	unsigned int resends;
	bool told_change; /* that a file is not what it was */
	bool gone;
	size_t begin; /* bytes read and not yet decoded: input[begin..end) */
	size_t end;
	uint8_t input[INPUT_SIZE];
};

enum status server_check(const struct session *session, struct diag_list *diags)
{
	size_t core;
	const char *why = "it has no core";
	const struct snapshot *snapshot = session_snapshot(session);

	/* gdb takes the byte order of registers from the program that it has, and reads them
	 * reversed. */
	for (size_t i = 0; i < snapshot->image_count; i++) {
		if (snapshot->images[i]->is_big_endian)
			return diag_error(diags, STATUS_UNSUPPORTED, place_none(),
			                  "image \"%.*s\" is big endian, expected little endian: a "
			                  "debugger would take "
			                  "registers for big endian, too",
			                  STR_ARG(snapshot->images[i]->path));
	}
	if (threads_first(session, &core) == STATUS_OK)
		return STATUS_OK;
	if (session_core_count(session) > 0)
		why = threads_why_not(session, 0);
	return diag_error(diags, STATUS_UNSUPPORTED, place_none(),
	                  "no core of the snapshot can be served: %s%s",
	                  session_core_count(session) > 0 ? "of the first, " : "", why);
}

static void tell(const struct server *server, const char *format, ...) PRINTF_LIKE(2, 3);

static void tell(const struct server *server, const char *format, ...)
{
	struct text line = {0};
	va_list args;

	if (!server->options->tell)
		return;
	va_start(args, format);
	text_vprintf(&line, format, args);
	va_end(args);
	if (text_status(&line) == STATUS_OK)
		server->options->tell(server->options->context, line.data);
	text_fini(&line);
}

static bool is_readable_within(int fd, int milliseconds)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return fd >= 0 && poll(&poll_fd, 1, milliseconds) > 0 && poll_fd.revents != 0;
}

static bool is_readable(int fd)
{
	return is_readable_within(fd, 0);
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

static void forget_waiting(struct waiting *waiting)
{
	if (waiting->is_there)
		connection_close(&waiting->connection);
	*waiting = (struct waiting){.is_there = false};
}

static void let_wait(struct server *server)
{
	struct waiting *waiting = &server->waiting[server->waiting_next];

	forget_waiting(waiting);
	if (transport_accept(server->transport, &waiting->connection) != STATUS_OK)
		return;
	waiting->is_there = true;
	server->waiting_next = (server->waiting_next + 1) % WAITING_MOST;
}

/* In place of an answer to its first packet: before that a debugger throws away what comes. */
static void refuse(const struct client_link *link, struct waiting *waiting)
{
	struct text payload = {0};
	struct text frame = {0};

	text_printf(&payload, "E.busy: %s since %s", link->connection.peer.data,
	            link->server->since);
	text_char(&frame, '+');
	rsp_frame_append(&frame, text_str(&payload));
	waiting->is_refused = true;
	tell(link->server, "%s is turned away", waiting->connection.peer.data);
	/* Nothing has been sent to it yet, so that this does not wait. */
	if (text_status(&frame) != STATUS_OK ||
	    connection_write(&waiting->connection, text_str(&frame),
	                     link->server->options->wake_fd) != STATUS_OK)
		forget_waiting(waiting);
	else
		(void)shutdown(waiting->connection.out, SHUT_WR);
	text_fini(&payload);
	text_fini(&frame);
}

static void serve_waiting(struct client_link *link)
{
	for (size_t i = 0; i < WAITING_MOST; i++) {
		struct waiting *waiting = &link->server->waiting[i];
		uint8_t bytes[256];
		size_t got;

		if (!waiting->is_there || !is_readable(waiting->connection.in))
			continue;
		/* What this client sends may be its farewell, and is heard first. */
		if (!waiting->is_refused && is_readable_within(link->connection.in, GRACE))
			return;
		if (connection_read(&waiting->connection, bytes, sizeof(bytes), &got) != STATUS_OK)
			forget_waiting(waiting);
		else if (!waiting->is_refused)
			refuse(link, waiting);
	}
}

/* The one that has waited, if there is one, is the client now. */
static bool take_waiting(struct server *server, struct connection *connection)
{
	for (size_t i = 0; i < WAITING_MOST; i++) {
		struct waiting *waiting = &server->waiting[i];

		if (!waiting->is_there || waiting->is_refused)
			continue;
		*connection = waiting->connection;
		*waiting = (struct waiting){.is_there = false};
		return true;
	}
	return false;
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

/* Received ones are payloads, sent ones frames as they are. */
static void log_packets(const struct server *server, bool is_sent, struct str bytes)
{
	if (server->options->log)
		server->options->log(server->options->context, is_sent, bytes);
}

/* Once a client: a debugger does not show the reason of every refusal. */
static void tell_of_change(struct client_link *link)
{
	struct text what = {0};

	if (link->gdb.is_changed && !link->told_change && file_watch_changed(&what)) {
		tell(link->server, "%s", text_status(&what) == STATUS_OK ? what.data : "");
		link->told_change = true;
	}
	text_fini(&what);
}

static void answer(struct client_link *link)
{
	struct gdb *gdb = &link->gdb;
	struct text sent = link->sent;

	send_acknowledgement(link, '+');
	text_clear(&gdb->out);
	log_packets(link->server, false, text_str(&link->decoder.payload));
	gdb_request(gdb, text_str(&link->decoder.payload));
	tell_of_change(link);
	log_packets(link->server, true, text_str(&gdb->out));
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

/* Waits for the client; false when the server is to end. Another that comes has to wait. */
static bool wait_for_client(struct client_link *link)
{
	enum { IN, WAKE, LISTENER, FIXED };
	struct server *server = link->server;
	unsigned int seconds = server->options->idle_seconds;
	struct pollfd fds[FIXED + WAITING_MOST] = {
	        [IN] = {.fd = link->connection.in, .events = POLLIN},
	        [WAKE] = {.fd = server->options->wake_fd, .events = POLLIN},
	        [LISTENER] = {.fd = server->transport->listener, .events = POLLIN},
	};
	int ready;

	for (size_t i = 0; i < WAITING_MOST; i++)
		fds[FIXED + i] = (struct pollfd){
		        .fd = server->waiting[i].is_there ? server->waiting[i].connection.in : -1,
		        .events = POLLIN};
	ready = poll(fds, FIXED + WAITING_MOST, seconds > 0 ? (int)(seconds * MILLISECONDS) : -1);
	if (ready < 0)
		return true;
	if (fds[WAKE].revents)
		return false;
	if (ready == 0) {
		tell(server, "%s has said nothing for %u seconds", link->connection.peer.data,
		     seconds);
		link->gone = true;
	} else if (fds[IN].revents) {
		read_input(link);
	} else if (fds[LISTENER].revents) {
		let_wait(server);
	}
	serve_waiting(link);
	return true;
}

/* Asked while the client says nothing: is there something else to do? */
static bool is_wanted(void *context)
{
	const struct client_link *link = context;

	return is_readable(link->connection.in) || is_readable(link->server->options->wake_fd) ||
	       is_readable(link->server->transport->listener);
}

/* What stops are going to need is made while the client says nothing. */
static void prepare(struct client_link *link)
{
	struct session *session = link->server->session;
	bool goes_on = !is_readable_within(link->connection.in, QUIET);

	while (goes_on && !is_wanted(link)) {
		session_interrupt(session, is_wanted, link);
		goes_on = session_prepare(session);
	}
	session_interrupt(session, NULL, NULL);
}

/* Until the client leaves; false when the server is to end. */
static bool serve(struct client_link *link)
{
	while (!link->gone) {
		if (link->begin == link->end)
			prepare(link);
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

	if (take_waiting(server, connection))
		return STATUS_OK;
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

/* From its coming to its end; false when the server is to end. */
static bool serve_client(struct server *server, struct client_link *link)
{
	time_t now = time(NULL);
	struct tm day = {0};
	bool go_on;

	(void)localtime_r(&now, &day);
	(void)strftime(server->since, sizeof(server->since), "%H:%M:%S", &day);
	tell(server, "%s is connected", link->connection.peer.data);
	link->server = server;
	link->gdb = (struct gdb){.session = server->session,
	                         .stopped = &server->stopped,
	                         .interrupted = is_interrupted,
	                         .context = link};
	gdb_init(&link->gdb);
	go_on = serve(link);
	tell(server, "%s has left", link->connection.peer.data);
	gdb_fini(&link->gdb);
	rsp_decoder_fini(&link->decoder);
	text_fini(&link->sent);
	connection_close(&link->connection);
	for (size_t i = 0; i < WAITING_MOST; i++) {
		if (server->waiting[i].is_refused)
			forget_waiting(&server->waiting[i]);
	}
	return go_on;
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
		go_on = serve_client(&server, link) && !options->once && transport->listener >= 0;
		free(link);
	}
	for (size_t i = 0; i < WAITING_MOST; i++)
		forget_waiting(&server.waiting[i]);
	return STATUS_OK;
}
