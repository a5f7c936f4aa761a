/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets and standard streams; see transport.h. */
#include "stub/transport.h"

#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	BACKLOG = 8,
	OWNER_ONLY = 0177, /* umask */
	KEEPALIVE_IDLE =
	        60, /* seconds without a word until a client is asked whether it is there */
	KEEPALIVE_EVERY = 10,
	KEEPALIVE_COUNT = 6, /* so often */
};

static enum status fail_io(struct diag_list *diags, struct str address, const char *why)
{
	return diag_error(diags, STATUS_IO, place_none(), "cannot listen on %.*s: %s",
	                  STR_ARG(address), why);
}

/* Binds and listens, or closes the socket; errno says why not. */
static int listen_on(int family, const struct sockaddr *address, socklen_t length)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int on = 1;

	if (fd < 0)
		return -1;
	if (family != AF_UNIX)
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, address, length) != 0 || listen(fd, BACKLOG) != 0) {
		int error = errno;

		(void)close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

/* A socket that nobody listens on: what a server left that was killed. */
static bool is_dead(const struct sockaddr_un *where)
{
	struct stat file;
	bool dead;
	int fd;

	if (lstat(where->sun_path, &file) != 0 || !S_ISSOCK(file.st_mode))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	dead = connect(fd, (const struct sockaddr *)where, (socklen_t)sizeof(*where)) != 0 &&
	       errno == ECONNREFUSED;
	(void)close(fd);
	return dead;
}

static int listen_on_path(const struct sockaddr_un *where)
{
	const struct sockaddr *address = (const struct sockaddr *)where;
	mode_t before = umask(OWNER_ONLY);
	int fd = listen_on(AF_UNIX, address, (socklen_t)sizeof(*where));

	if (fd < 0 && errno == EADDRINUSE) {
		if (is_dead(where) && unlink(where->sun_path) == 0)
			fd = listen_on(AF_UNIX, address, (socklen_t)sizeof(*where));
		else
			errno = EADDRINUSE;
	}
	(void)umask(before);
	return fd;
}

static enum status open_unix(struct str address, struct str path, struct diag_list *diags,
                             struct transport *transport)
{
	struct sockaddr_un where = {.sun_family = AF_UNIX};

	if (path.n == 0 || path.n >= sizeof(where.sun_path))
		return fail_io(diags, address, "the path of a unix socket has 1 to 107 bytes");
	memcpy(where.sun_path, path.p, path.n);
	transport->listener = listen_on_path(&where);
	if (transport->listener < 0)
		return fail_io(diags, address, strerror(errno));
	transport->is_loopback = true;
	text_add(&transport->unix_path, path);
	text_add(&transport->name, address);
	return STATUS_OK;
}

static bool is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET) {
		struct sockaddr_in v4;

		memcpy(&v4, address, sizeof(v4));
		return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
	}
	if (address->sa_family == AF_INET6) {
		struct sockaddr_in6 v6;

		memcpy(&v6, address, sizeof(v6));
		return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
	}
	return false;
}

static void name_address(const struct sockaddr_storage *where, socklen_t length, struct text *name)
{
	bool v6 = where->ss_family == AF_INET6;
	char host[NI_MAXHOST] = "?";
	char port[NI_MAXSERV] = "?";

	(void)getnameinfo((const struct sockaddr *)where, length, host, sizeof(host), port,
	                  sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
	text_printf(name, "%s%s%s:%s", v6 ? "[" : "", host, v6 ? "]" : "", port);
}

/* Names what the socket really listens on, with the port that was picked. */
static void name_tcp(struct transport *transport)
{
	struct sockaddr_storage where = {0};
	socklen_t length = sizeof(where);

	(void)getsockname(transport->listener, (struct sockaddr *)&where, &length);
	transport->is_loopback = is_loopback((const struct sockaddr *)&where);
	name_address(&where, length, &transport->name);
}

/* HOST:PORT to its parts; brackets around an IPv6 address are taken off. */
static bool split_tcp(struct str address, char host[NI_MAXHOST], char port[NI_MAXSERV])
{
	size_t colon = address.n;
	struct str left;
	uint64_t number;

	while (colon > 0 && address.p[colon - 1] != ':')
		colon--;
	if (colon == 0)
		return false;
	left = (struct str){address.p, colon - 1};
	address = str_skip(address, colon);
	if (left.n >= 2 && left.p[0] == '[' && left.p[left.n - 1] == ']')
		left = (struct str){left.p + 1, left.n - 2};
	else if (str_find(left, ':') < left.n)
		return false; /* an IPv6 address without brackets has no port of its own */
	if (left.n == 0)
		left = STR("127.0.0.1");
	if (str_to_u64(address, &number) != STATUS_OK || number > UINT16_MAX ||
	    left.n >= NI_MAXHOST || address.n >= NI_MAXSERV)
		return false;
	memcpy(host, left.p, left.n);
	host[left.n] = '\0';
	memcpy(port, address.p, address.n);
	port[address.n] = '\0';
	return true;
}

static enum status open_tcp(struct str address, struct diag_list *diags,
                            struct transport *transport)
{
	struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	char host[NI_MAXHOST];
	char port[NI_MAXSERV];
	int error;

	if (!split_tcp(address, host, port))
		return diag_error(diags, STATUS_USAGE, place_none(),
		                  "cannot listen on \"%.*s\": it must be HOST:PORT, unix:PATH or "
		                  "stdio",
		                  STR_ARG(address));
	error = getaddrinfo(host, port, &hints, &found);
	if (error != 0)
		return fail_io(diags, address, gai_strerror(error));
	errno = EADDRNOTAVAIL;
	for (struct addrinfo *i = found; i && transport->listener < 0; i = i->ai_next)
		transport->listener = listen_on(i->ai_family, i->ai_addr, i->ai_addrlen);
	error = errno;
	freeaddrinfo(found);
	if (transport->listener < 0)
		return fail_io(diags, address, strerror(error));
	name_tcp(transport);
	return STATUS_OK;
}

enum status transport_open(struct str address, struct diag_list *diags, struct transport *transport)
{
	*transport = (struct transport){.listener = -1};
	if (str_eq(address, STR("stdio"))) {
		transport->is_loopback = true;
		text_add(&transport->name, address);
		return STATUS_OK;
	}
	if (str_has_prefix(address, STR("unix:")))
		return open_unix(address, str_skip(address, 5), diags, transport);
	return open_tcp(address, diags, transport);
}

void transport_close(struct transport *transport)
{
	if (transport->listener >= 0)
		(void)close(transport->listener);
	if (transport->unix_path.length > 0)
		(void)unlink(transport->unix_path.data);
	text_fini(&transport->name);
	text_fini(&transport->unix_path);
	*transport = (struct transport){.listener = -1};
}

static void name_peer(struct connection *connection)
{
	struct sockaddr_storage where = {0};
	socklen_t length = sizeof(where);
	struct ucred owner = {0};
	socklen_t size = sizeof(owner);

	if (getpeername(connection->in, (struct sockaddr *)&where, &length) == 0 &&
	    where.ss_family != AF_UNIX)
		name_address(&where, length, &connection->peer);
	else if (getsockopt(connection->in, SOL_SOCKET, SO_PEERCRED, &owner, &size) == 0)
		text_printf(&connection->peer, "process %ld", (long)owner.pid);
	else
		text_puts(&connection->peer, "a client");
}

/* A client that is gone without a word, with its machine, is noticed. */
static void keep_alive(int fd)
{
	static const struct {
		int level;
		int option;
		int value;
	} settings[] = {
	        {SOL_SOCKET, SO_KEEPALIVE, 1},
	        {IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE},
	        {IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_EVERY},
	        {IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_COUNT},
	        {IPPROTO_TCP, TCP_NODELAY, 1},
	};

	/* Refused on a unix socket, which never waits and whose peer cannot vanish. */
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		(void)setsockopt(fd, settings[i].level, settings[i].option, &settings[i].value,
		                 sizeof(settings[i].value));
}

enum status transport_accept(const struct transport *transport, struct connection *connection)
{
	int fd;

	if (transport->listener < 0) {
		*connection = (struct connection){.in = STDIN_FILENO, .out = STDOUT_FILENO};
		text_puts(&connection->peer, "stdio");
		return STATUS_OK;
	}
	fd = accept4(transport->listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return STATUS_IO;
	keep_alive(fd);
	*connection = (struct connection){.in = fd, .out = fd, .is_socket = true};
	name_peer(connection);
	return STATUS_OK;
}

void connection_close(struct connection *connection)
{
	if (connection->is_socket)
		(void)close(connection->in);
	text_fini(&connection->peer);
	*connection = (struct connection){.in = -1, .out = -1};
}

enum status connection_read(const struct connection *connection, void *data, size_t size,
                            size_t *got)
{
	ssize_t count;

	do
		count = read(connection->in, data, size);
	while (count < 0 && errno == EINTR);
	if (count <= 0)
		return STATUS_END;
	*got = (size_t)count;
	return STATUS_OK;
}

/*
 * Writes what can be written without waiting, after poll() has said that something can. Standard
 * output may be a socket, and if it is a pipe it takes that much at once: what it is set to is not
 * this process's alone, and stays.
 */
static ssize_t write_some(const struct connection *connection, struct str data)
{
	ssize_t count = send(connection->out, data.p, data.n, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (count >= 0 || connection->is_socket || errno != ENOTSOCK)
		return count;
	return write(connection->out, data.p, data.n < PIPE_BUF ? data.n : PIPE_BUF);
}

enum status connection_write(const struct connection *connection, struct str data, int wake_fd)
{
	while (data.n > 0) {
		struct pollfd fds[] = {{.fd = connection->out, .events = POLLOUT},
		                       {.fd = wake_fd, .events = POLLIN}};
		ssize_t count;

		if (poll(fds, 2, -1) < 0)
			continue; /* a signal */
		if (!fds[0].revents)
			return STATUS_INTERRUPTED;
		count = write_some(connection, data);
		if (count < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
			return STATUS_IO;
		if (count > 0)
			data = str_skip(data, (size_t)count);
	}
	return STATUS_OK;
}
