/* SPDX-License-Identifier: Apache-2.0 */
/* The server's loop: real sockets, a session made by hand. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_session.h"
#include "stub/rsp_frame.h"
#include "stub/server.h"

enum { SECONDS_MOST = 20 }; /* a server that hangs ends the test */

static struct {
	char folder[40];
	struct session *session;
	struct transport transport;
	struct server_options options;
	int wake; /* to be written to */
	struct text got;
} rig;

static int set_up(void **state)
{
	struct diag_list diags = {0};
	char address[64];
	int fds[2];

	(void)state;
	memset(&rig, 0, sizeof(rig));
	(void)alarm(SECONDS_MOST);
	rig.session = fake_session();
	strcpy(rig.folder, "/tmp/csreplay-test-XXXXXX");
	assert_non_null(mkdtemp(rig.folder));
	(void)snprintf(address, sizeof(address), "unix:%s/socket", rig.folder);
	assert_int_equal(transport_open(str_of(address), &diags, &rig.transport), STATUS_OK);
	diag_list_fini(&diags);
	assert_int_equal(pipe(fds), 0);
	rig.options = (struct server_options){.once = true, .wake_fd = fds[0]};
	rig.wake = fds[1];
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	transport_close(&rig.transport);
	(void)close(rig.options.wake_fd);
	(void)close(rig.wake);
	text_fini(&rig.got);
	(void)rmdir(rig.folder);
	(void)alarm(0);
	return 0;
}

static int connect_client(void)
{
	struct sockaddr_un where = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	(void)snprintf(where.sun_path, sizeof(where.sun_path), "%s/socket", rig.folder);
	assert_int_equal(connect(fd, (const struct sockaddr *)&where, sizeof(where)), 0);
	return fd;
}

static void say(int fd, struct str bytes)
{
	assert_int_equal(write(fd, bytes.p, bytes.n), (ssize_t)bytes.n);
}

static void say_packet(int fd, const char *payload)
{
	struct text frame = {0};

	rsp_frame_append(&frame, str_of(payload));
	say(fd, text_str(&frame));
	text_fini(&frame);
}

static enum status serve(void)
{
	return server_run(rig.session, &rig.transport, &rig.options);
}

/* What the server sent until it closed, which ends the client. */
static const char *rest(int fd)
{
	char part[4096];
	ssize_t count;

	text_clear(&rig.got);
	text_puts(&rig.got, "");
	while ((count = read(fd, part, sizeof(part))) > 0)
		text_add(&rig.got, (struct str){part, (size_t)count});
	(void)close(fd);
	return rig.got.data;
}

/* The server to one client that says all of this and then hangs up. */
static const char *answers_to(struct str bytes)
{
	int fd = connect_client();

	say(fd, bytes);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	assert_int_equal(serve(), STATUS_OK);
	return rest(fd);
}

/* How often a text is in what was sent last. */
static size_t count_of(const char *text)
{
	size_t count = 0;

	for (const char *at = rig.got.data; (at = strstr(at, text)) != NULL; at++)
		count++;
	return count;
}

/* gdb manual, "Overview": each packet is acknowledged, a damaged one is asked for again. */
static void packets_are_acknowledged_and_answered(void **state)
{
	(void)state;
	assert_string_equal(answers_to(STR("$qC#b4")), "+$QC1#c5");
	assert_string_equal(answers_to(STR("$qC#b5$qC#b4")), "-+$QC1#c5");
	assert_string_equal(answers_to(STR("+noise\x03$qAttached#8f")), "+$1#31");
	assert_string_equal(answers_to(STR("$none#b0")), "+$#00");
	assert_string_equal(answers_to(STR("")), "");
}

/* "QStartNoAckMode": from the packet after it on. */
static void acknowledgements_end_when_the_client_says_so(void **state)
{
	(void)state;
	assert_string_equal(answers_to(STR("$QStartNoAckMode#b0$qC#b4$qC#b5-$qC#b4")),
	                    "+$OK#9a$QC1#c5$QC1#c5");
	/* It is of this client. */
	assert_string_equal(answers_to(STR("$qC#b4")), "+$QC1#c5");
}

static void refused_reply_is_sent_again(void **state)
{
	(void)state;
	assert_string_equal(answers_to(STR("$qC#b4--$qAttached#8f-")),
	                    "+$QC1#c5$QC1#c5$QC1#c5+$1#31$1#31");
	assert_string_equal(answers_to(STR("--")), "");
}

/* A client that refuses everything is not answered without end; the next packet is. */
static void refusals_have_an_end(void **state)
{
	char refusals[100];
	struct text bytes = {0};

	(void)state;
	memset(refusals, '-', sizeof(refusals));
	for (unsigned int i = 0; i < 2; i++) {
		text_puts(&bytes, "$qC#b4");
		text_add(&bytes, (struct str){refusals, sizeof(refusals)});
	}
	(void)answers_to(text_str(&bytes));
	assert_int_equal(count_of("$QC1#c5"), 2 * (1 + 16));
	assert_int_equal(count_of("+"), 2);
	text_fini(&bytes);
}

static void *send_long_packet(void *context)
{
	int fd = *(int *)context;
	struct text bytes = {0};
	char some[1024];

	/* 'd' is 100, and 65536 of it are 0 in a sum of 8 bits. */
	memset(some, 'd', sizeof(some));
	text_puts(&bytes, "$qC#b4$");
	for (size_t i = 0; i <= RSP_PACKET_SIZE / sizeof(some); i++)
		text_add(&bytes, (struct str){some, sizeof(some)});
	text_puts(&bytes, "#00-$qC#b4");
	for (struct str left = text_str(&bytes); left.n > 0;) {
		ssize_t count = send(fd, left.p, left.n, MSG_NOSIGNAL);

		if (count <= 0)
			break;
		left = str_skip(left, (size_t)count);
	}
	(void)shutdown(fd, SHUT_WR);
	text_fini(&bytes);
	return NULL;
}

/* More than the server's buffer and a packet hold. */
static void packet_that_is_too_long_is_an_error(void **state)
{
	int fd = connect_client();
	pthread_t client;

	(void)state;
	assert_int_equal(pthread_create(&client, NULL, send_long_packet, &fd), 0);
	assert_int_equal(serve(), STATUS_OK);
	assert_int_equal(pthread_join(client, NULL), 0);
	assert_string_equal(rest(fd), "+$QC1#c5+$E01#a6$E01#a6+$QC1#c5");
}

/* "D" ends it though the client does not hang up, and what it says after is not heard. */
static void client_that_detaches_is_left(void **state)
{
	int fd = connect_client();

	(void)state;
	say(fd, STR("$D#44$qC#b4"));
	assert_int_equal(serve(), STATUS_OK);
	assert_string_equal(rest(fd), "+$OK#9a");
}

/* The server to one client that says all of this and then detaches. */
static const char *answers_before_leaving(struct str bytes)
{
	int fd = connect_client();

	say(fd, bytes);
	say_packet(fd, "D");
	assert_int_equal(serve(), STATUS_OK);
	assert_non_null(strstr(rest(fd), "+$OK#9a"));
	return rig.got.data;
}

/* Ctrl-C is a byte after the packet that runs; acknowledgements may be in between. */
static void interrupt_ends_a_run(void **state)
{
	(void)state;
	assert_non_null(
	        strstr(answers_before_leaving(STR("$bc#c5\x03")), "$T0200:2410000000000000;"));
	assert_int_equal(session_seek(rig.session, 0, FAKE_LENGTH), STATUS_OK);
	assert_non_null(strstr(answers_before_leaving(STR("$bc#c5+++\x03$bs#d5")),
	                       "$T0200:2410000000000000;"));
	assert_non_null(strstr(rig.got.data, "$T0500:2010000000000000;"));
	/* Any other packet has to wait; the run ends at the gap. */
	assert_int_equal(session_seek(rig.session, 0, FAKE_LENGTH), STATUS_OK);
	assert_non_null(strstr(answers_before_leaving(STR("$bc#c5$bs#d5\x03")),
	                       "$T0000:0c10000000000000;"));
	assert_non_null(strstr(rig.got.data, "$T0500:0810000000000000;"));
}

static void *run_server(void *context)
{
	*(enum status *)context = serve();
	return NULL;
}

/* Reads until the text was sent. */
static void await(int fd, const char *text)
{
	text_clear(&rig.got);
	text_puts(&rig.got, "");
	while (!strstr(rig.got.data, text)) {
		char byte;

		assert_int_equal(read(fd, &byte, 1), 1);
		text_char(&rig.got, byte);
	}
}

static int typist;
static unsigned int typed;

/* One packet more at every step of the run. */
static void type_more(void)
{
	if (typed++ < 3)
		say_packet(typist, "qAttached");
}

/* What comes during a run is kept, after what was there before. */
static void packets_during_a_run_are_answered_after_it(void **state)
{
	enum status status = STATUS_INTERNAL;
	pthread_t server;

	(void)state;
	typed = 0;
	typist = connect_client();
	fake_session_set_on_step(type_more);
	say(typist, STR("$bc#c5$qC#b4"));
	rig.options.once = false;
	assert_int_equal(pthread_create(&server, NULL, run_server, &status), 0);
	await(typist, "$T0000:0c10000000000000;thread:1;core:0;#");
	await(typist, "+$QC1#c5+$1#31+$1#31+$1#31");
	say(rig.wake, STR("x"));
	assert_int_equal(pthread_join(server, NULL), 0);
	assert_int_equal(status, STATUS_OK);
	(void)rest(typist);
}

/* Nobody is there for whom to run on. */
static void run_ends_when_the_client_is_gone(void **state)
{
	(void)state;
	(void)answers_to(STR("$bc#c5"));
	assert_int_equal(session_position(rig.session, 0), FAKE_LENGTH - 1);
}

static void wake_up(void)
{
	say(rig.wake, STR("x"));
}

static void wake_ends_the_server(void **state)
{
	int fd = connect_client();

	(void)state;
	rig.options.once = false;
	say_packet(fd, "qC");
	say(rig.wake, STR("x"));
	assert_int_equal(serve(), STATUS_OK);
	transport_close(&rig.transport); /* with the client that waited */
	assert_string_equal(rest(fd), "");
}

/* It is looked for at each step, and what was moved is told. */
static void wake_during_a_run_ends_both(void **state)
{
	int fd = connect_client();

	(void)state;
	rig.options.once = false;
	fake_session_set_on_step(wake_up);
	say(fd, STR("$bc#c5$bs#d5"));
	assert_int_equal(serve(), STATUS_OK);
	fake_session_set_on_step(NULL);
	(void)rest(fd);
	assert_ptr_equal(strstr(rig.got.data, "+$T0200:2410000000000000;"), rig.got.data);
}

/* To whom nothing can be said any more nothing is done: the second move is not made. */
static void client_that_does_not_listen_is_left(void **state)
{
	int fd = connect_client();

	(void)state;
	say(fd, STR("$bs#d5$bs#d5"));
	(void)close(fd);
	assert_int_equal(serve(), STATUS_OK);
	assert_int_equal(session_position(rig.session, 0), FAKE_LENGTH - 1);
}

/* A client that says more during a run than is kept has to wait, and is not taken for gone. */
static void run_goes_on_when_no_more_can_be_kept(void **state)
{
	enum { NOISE = 70000 };
	char *noise = malloc(NOISE);
	struct text bytes = {0};

	(void)state;
	assert_non_null(noise);
	memset(noise, 'x', NOISE);
	text_puts(&bytes, "$bc#c5");
	text_add(&bytes, (struct str){noise, NOISE});
	text_puts(&bytes, "$qC#b4");
	assert_string_equal(strstr(answers_to(text_str(&bytes)), "$T00"),
	                    "$T0000:0c10000000000000;thread:1;core:0;#29+$QC1#c5");
	text_fini(&bytes);
	free(noise);
}

static void listener_that_is_none_is_an_error(void **state)
{
	int listener = rig.transport.listener;
	int gone = dup(listener);

	(void)state;
	assert_true(gone >= 0);
	(void)close(gone);
	rig.transport.listener = gone;
	assert_int_equal(serve(), STATUS_IO);
	rig.transport.listener = listener;
}

/* Positions are the session's; breakpoints, threads and acknowledgements are the client's. */
static void clients_come_one_after_the_other(void **state)
{
	enum status status = STATUS_INTERNAL;
	pthread_t server;
	int fd = connect_client();

	(void)state;
	rig.options.once = false;
	assert_int_equal(pthread_create(&server, NULL, run_server, &status), 0);
	say(fd, STR("$QStartNoAckMode#b0"));
	await(fd, "$OK#9a");
	say_packet(fd, "bs"); /* of lldb, by its first packet */
	await(fd, "$T05reason:trace;00:2410000000000000;");
	say_packet(fd, "vCont;s:2"); /* the last to stop: the next client begins there */
	await(fd, "thread:2;");
	say_packet(fd, "D");
	assert_non_null(strstr(rest(fd), "$OK#9a"));
	fd = connect_client();
	say_packet(fd, "qC");
	await(fd, "+$QC2#");
	say_packet(fd, "p0");
	await(fd, "+$0090000000000000#");
	say_packet(fd, "Hg1");
	say_packet(fd, "p0");
	await(fd, "$2410000000000000#");
	say(rig.wake, STR("x"));
	assert_int_equal(pthread_join(server, NULL), 0);
	assert_int_equal(status, STATUS_OK);
	(void)rest(fd);
}

static void second_client_is_turned_away(void **state)
{
	enum status status = STATUS_INTERNAL;
	pthread_t server;
	int first = connect_client();
	int second;

	(void)state;
	assert_int_equal(pthread_create(&server, NULL, run_server, &status), 0);
	say_packet(first, "qC");
	await(first, "+$QC1#c5");
	second = connect_client();
	say_packet(second, "qSupported");
	assert_memory_equal(rest(second), "+$E.busy: ", 10);
	say_packet(first, "bs");
	await(first, "$T0500:2410000000000000;");
	say_packet(first, "D");
	assert_non_null(strstr(rest(first), "$OK#9a"));
	assert_int_equal(pthread_join(server, NULL), 0);
	assert_int_equal(status, STATUS_OK);
}

/* Of the first core that has none it is said why. */
static void assert_check_refuses(const char *why)
{
	struct diag_list diags = {0};
	struct text said = {0};

	assert_int_equal(server_check(rig.session, &diags), STATUS_UNSUPPORTED);
	assert_int_equal(diags.count, 1);
	diag_format(&diags.items[0], &said);
	assert_string_equal(said.data, why);
	assert_int_equal(serve(), STATUS_UNSUPPORTED);
	text_fini(&said);
	diag_list_fini(&diags);
}

static void session_without_thread_is_refused(void **state)
{
	struct diag_list diags = {0};

	(void)state;
	assert_int_equal(server_check(rig.session, &diags), STATUS_OK);
	assert_int_equal(diags.count, 0);
	fake_session_set_pc(false);
	assert_check_refuses("error: no core of the snapshot can be served: of the first, the "
	                     "snapshot has no PC for it");
	fake_session_set_cores(0);
	assert_check_refuses("error: no core of the snapshot can be served: it has no core");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	        T(packets_are_acknowledged_and_answered),
	        T(acknowledgements_end_when_the_client_says_so),
	        T(refused_reply_is_sent_again),
	        T(refusals_have_an_end),
	        T(packet_that_is_too_long_is_an_error),
	        T(client_that_detaches_is_left),
	        T(interrupt_ends_a_run),
	        T(packets_during_a_run_are_answered_after_it),
	        T(run_ends_when_the_client_is_gone),
	        T(wake_ends_the_server),
	        T(wake_during_a_run_ends_both),
	        T(client_that_does_not_listen_is_left),
	        T(run_goes_on_when_no_more_can_be_kept),
	        T(listener_that_is_none_is_an_error),
	        T(clients_come_one_after_the_other),
	        T(second_client_is_turned_away),
	        T(session_without_thread_is_refused),
	};
#undef T

	return cmocka_run_group_tests(tests, NULL, NULL);
}
