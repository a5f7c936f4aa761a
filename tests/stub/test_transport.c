/* SPDX-License-Identifier: Apache-2.0 */
/* Where clients come from: addresses, what is listened on, bytes in both directions. */
#include <netinet/in.h>
#include <netinet/tcp.h>
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

#include "stub/transport.h"

static struct transport transport;
static struct diag_list diags;
static bool has_ipv6;

static int tear_down(void **state)
{
	(void)state;
	transport_close(&transport);
	diag_list_fini(&diags);
	return 0;
}

/* Refused with that status, and one error says so. */
static void assert_refused(const char *address, enum status status, const char *why)
{
	struct text said = {0};

	assert_int_equal(transport_open(str_of(address), &diags, &transport), status);
	assert_int_equal(transport.listener, -1);
	assert_int_equal(diags.count, 1);
	diag_format(&diags.items[0], &said);
	if (!strstr(said.data, why))
		fail_msg("%s: %s", address, said.data);
	assert_non_null(strstr(said.data, address));
	text_fini(&said);
	diag_list_fini(&diags);
	transport_close(&transport);
}

static void address_that_is_none_is_wrong_use(void **state)
{
	static const char *const addresses[] = {
	        "",         "1234",    "host",  ":",     "host:",  "host:x",
	        "host:-1",  "::1",     "::1:0", "[::1]", "[::1]:", "host:65536",
	        "host:1:2", "[]x:0:1", "stdi",  "unix",  "h: 1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		assert_refused(addresses[i], STATUS_USAGE, "it must be HOST:PORT, unix:PATH or");
}

static void address_that_cannot_be_had_is_io(void **state)
{
	char path[160] = "unix:";

	(void)state;
	assert_refused("unix:", STATUS_IO, "the path of a unix socket has 1 to 107 bytes");
	memset(path + 5, 'x', 108);
	assert_refused(path, STATUS_IO, "the path of a unix socket has 1 to 107 bytes");
	assert_refused("unix:/nowhere/at/all", STATUS_IO, "No such file or directory");
	assert_refused("192.0.2.1:0", STATUS_IO, "Cannot assign requested address");
}

/* It listens, and is named by its number and the port that was picked. */
static void assert_listens(const char *address, const char *host, bool is_loopback)
{
	char *port;

	assert_int_equal(transport_open(str_of(address), &diags, &transport), STATUS_OK);
	assert_int_equal(diags.count, 0);
	assert_true(transport.listener >= 0);
	assert_int_equal(transport.is_loopback, is_loopback);
	assert_memory_equal(transport.name.data, host, strlen(host));
	port = transport.name.data + strlen(host);
	assert_int_equal(*port, ':');
	assert_int_not_equal(atoi(port + 1), 0);
	assert_int_equal(transport.unix_path.length, 0);
	transport_close(&transport);
	assert_int_equal(transport.listener, -1);
}

static void tcp_is_loopback_only_if_it_is(void **state)
{
	(void)state;
	assert_listens("127.0.0.1:0", "127.0.0.1", true);
	assert_listens(":0", "127.0.0.1", true);
	assert_listens("127.3.2.1:0", "127.3.2.1", true);
	assert_listens("[127.0.0.1]:0", "127.0.0.1", true);
	assert_listens("0.0.0.0:0", "0.0.0.0", false);
}

static void tcp_of_ipv6_has_brackets(void **state)
{
	const struct sockaddr_in6 loopback = {.sin6_family = AF_INET6,
	                                      .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	int fd = socket(AF_INET6, SOCK_STREAM, 0);

	(void)state;
	has_ipv6 = fd >= 0 && bind(fd, (const struct sockaddr *)&loopback, sizeof(loopback)) == 0;
	if (fd >= 0)
		(void)close(fd);
	if (!has_ipv6)
		skip();
	assert_listens("[::1]:0", "[::1]", true);
	assert_listens("[::]:0", "[::]", false);
}

/* A server that is started anew need not wait until the kernel has forgotten the old one's client.
 */
static void port_can_be_had_again_at_once(void **state)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct connection connection;
	char address[32];
	char byte;
	int client = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	assert_int_equal(transport_open(STR("127.0.0.1:0"), &diags, &transport), STATUS_OK);
	snprintf(address, sizeof(address), "%s", transport.name.data);
	at.sin_port = htons((uint16_t)atoi(strchr(address, ':') + 1));
	assert_int_equal(connect(client, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(transport_accept(&transport, &connection), STATUS_OK);
	/* Who closes first keeps the port (TIME-WAIT). */
	connection_close(&connection);
	assert_int_equal(read(client, &byte, 1), 0);
	close(client);
	transport_close(&transport);
	assert_int_equal(transport_open(str_of(address), &diags, &transport), STATUS_OK);
}

static void stdio_is_loopback_and_no_socket(void **state)
{
	struct connection connection;

	(void)state;
	assert_int_equal(transport_open(STR("stdio"), &diags, &transport), STATUS_OK);
	assert_int_equal(transport.listener, -1);
	assert_true(transport.is_loopback);
	assert_string_equal(transport.name.data, "stdio");
	assert_int_equal(transport_accept(&transport, &connection), STATUS_OK);
	assert_int_equal(connection.in, STDIN_FILENO);
	assert_int_equal(connection.out, STDOUT_FILENO);
	assert_false(connection.is_socket);
	connection_close(&connection);
	assert_int_equal(connection.in, -1);
}

/* A client of a unix socket in `folder`. */
static int connect_unix(const char *path)
{
	struct sockaddr_un where = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	strcpy(where.sun_path, path);
	assert_int_equal(connect(fd, (const struct sockaddr *)&where, sizeof(where)), 0);
	return fd;
}

static void unix_socket_carries_bytes_and_is_removed(void **state)
{
	char folder[] = "/tmp/csreplay-test-XXXXXX";
	char address[64];
	char got[8] = "";
	const char *path = address + strlen("unix:");
	struct connection connection;
	size_t count;
	int client;

	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(address, sizeof(address), "unix:%s/socket", folder);
	assert_int_equal(transport_open(str_of(address), &diags, &transport), STATUS_OK);
	assert_true(transport.is_loopback);
	assert_string_equal(transport.name.data, address);
	client = connect_unix(path);
	assert_int_equal(transport_accept(&transport, &connection), STATUS_OK);
	assert_true(connection.is_socket);
	assert_int_equal(write(client, "abc", 3), 3);
	assert_int_equal(connection_read(&connection, got, 2, &count), STATUS_OK);
	assert_int_equal(count, 2);
	assert_memory_equal(got, "ab", 2);
	assert_int_equal(connection_write(&connection, STR("hello"), -1), STATUS_OK);
	assert_int_equal(read(client, got, sizeof(got)), 5);
	assert_memory_equal(got, "hello", 5);
	(void)close(client);
	assert_int_equal(connection_read(&connection, got, 2, &count), STATUS_OK);
	assert_int_equal(connection_read(&connection, got, 2, &count), STATUS_END);
	assert_int_equal(connection_write(&connection, STR("x"), -1), STATUS_IO);
	connection_close(&connection);
	assert_int_equal(access(path, F_OK), 0);
	transport_close(&transport);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(rmdir(folder), 0);
}

/* More than the socket takes: it waits for the client, but not when the server is to end. */
static void write_that_waits_is_interrupted(void **state)
{
	enum { SIZE = 8 << 20 };
	char *data = calloc(1, SIZE);
	struct connection connection = {.is_socket = true};
	int fds[2];
	int wake[2];

	(void)state;
	assert_non_null(data);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(pipe(wake), 0);
	connection.in = connection.out = fds[0];
	assert_int_equal(write(wake[1], "x", 1), 1);
	assert_int_equal(connection_write(&connection, STR("little"), wake[0]), STATUS_OK);
	assert_int_equal(connection_write(&connection, (struct str){data, SIZE}, wake[0]),
	                 STATUS_INTERRUPTED);
	connection_close(&connection);
	(void)close(fds[1]);
	(void)close(wake[0]);
	(void)close(wake[1]);
	free(data);
}

static int setting_of(int fd, int level, int option)
{
	int value = 0;
	socklen_t size = sizeof(value);

	assert_int_equal(getsockopt(fd, level, option, &value, &size), 0);
	return value;
}

/* A client whose machine is gone is noticed within two minutes. */
static void tcp_client_is_kept_alive(void **state)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct connection connection;
	int client = socket(AF_INET, SOCK_STREAM, 0);
	int seconds;

	(void)state;
	assert_int_equal(transport_open(STR("127.0.0.1:0"), &diags, &transport), STATUS_OK);
	at.sin_port = htons((uint16_t)atoi(strchr(transport.name.data, ':') + 1));
	assert_int_equal(connect(client, (const struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(transport_accept(&transport, &connection), STATUS_OK);
	assert_int_equal(setting_of(connection.in, SOL_SOCKET, SO_KEEPALIVE), 1);
	seconds = setting_of(connection.in, IPPROTO_TCP, TCP_KEEPIDLE) +
	          setting_of(connection.in, IPPROTO_TCP, TCP_KEEPINTVL) *
	                  setting_of(connection.in, IPPROTO_TCP, TCP_KEEPCNT);
	assert_in_range(seconds, 1, 120);
	connection_close(&connection);
	(void)close(client);
}

int main(void)
{
#define T(name) cmocka_unit_test_teardown(name, tear_down)
	const struct CMUnitTest tests[] = {
	        T(address_that_is_none_is_wrong_use),
	        T(address_that_cannot_be_had_is_io),
	        T(tcp_is_loopback_only_if_it_is),
	        T(tcp_of_ipv6_has_brackets),
	        T(port_can_be_had_again_at_once),
	        T(stdio_is_loopback_and_no_socket),
	        T(unix_socket_carries_bytes_and_is_removed),
	        T(write_that_waits_is_interrupted),
	        T(tcp_client_is_kept_alive),
	};
#undef T

	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (failed != 0 || has_ipv6)
		return failed;
	printf("SKIPPED: this machine has no IPv6\n");
	return 77;
}
