/* SPDX-License-Identifier: Apache-2.0 */
/* A debugger's side of a conversation; see whole_packets.h. */
#include "whole_packets.h"

#include <string.h>

#include "fuzz.h"

enum { PACKET_MOST = 256, CHANGES_MOST = 16 };

/* A byte of a packet. */
struct change {
	size_t packet;
	size_t at;
	char value;
};

/* "qRcmd," is followed by text, which is sent in hexadecimal. */
static const char *const packets[] = {
        "qSupported:multiprocess+;swbreak+;ReverseStep+",
        "?",
        "g",
        "qXfer:features:read:target.xml:0,fff",
        "qXfer:threads:read::0,fff",
        "qXfer:memory-map:read::0,fff",
        "qfThreadInfo",
        "Hg1",
        "p0",
        "m400000,40",
        "m5500800c00,100",
        "x400400,20",
        "bs",
        "bs",
        "Z0,400404,4",
        "bc",
        "z0,400404,4",
        "vCont;s:1",
        "vCont;c",
        "Z2,401648,8",
        "bc",
        "z2,401648,8",
        "qRcmd,info",
        "qRcmd,why x0",
        "qRcmd,origin x0",
        "qRcmd,last-write sp",
        "qRcmd,trust assumed",
        "g",
        "qRcmd,stack",
        "qRcmd,seek -100",
        "g",
        "qRcmd,gaps",
        "qCRC:400000,100",
        "Qbtrace:bts",
        "qXfer:btrace:read:all:0,fff",
        "vFile:setfs:0",
        "k",
};
enum { PACKETS = sizeof(packets) / sizeof(packets[0]) };

/* The packet's bytes before they are framed. */
static size_t packet_body(size_t number, char body[PACKET_MOST])
{
	const char *text = packets[number];
	size_t length = 0;

	if (strncmp(text, "qRcmd,", 6) != 0) {
		length = strlen(text);
		memcpy(body, text, length);
		return length;
	}
	memcpy(body, text, 6);
	length = 6;
	for (const char *p = text + 6; *p; p++, length += 2)
		(void)snprintf(body + length, 3, "%02x", (unsigned int)(unsigned char)*p);
	return length;
}

static size_t frame(const char *body, size_t length, char *out, size_t room)
{
	unsigned int sum = 0;

	if (length + 5 >= room)
		return 0;
	out[0] = '$';
	memcpy(out + 1, body, length);
	for (size_t i = 0; i < length; i++)
		sum += (unsigned char)body[i];
	(void)snprintf(out + 1 + length, 5, "#%02x+", sum & 0xff);
	return length + 5;
}

size_t whole_packets(char *out, size_t room, struct bytes *changes)
{
	struct change what[CHANGES_MOST];
	size_t count = 0;
	size_t size = 0;

	for (; count < CHANGES_MOST && bytes_left(changes) >= 3; count++) {
		what[count].packet = (size_t)fuzz_number(changes, 1) % PACKETS;
		what[count].at = (size_t)fuzz_number(changes, 1);
		what[count].value = (char)fuzz_number(changes, 1);
	}
	for (size_t i = 0; i < PACKETS; i++) {
		char body[PACKET_MOST];
		size_t length = packet_body(i, body);

		for (size_t k = 0; k < count; k++) {
			if (what[k].packet == i)
				body[what[k].at % length] = what[k].value;
		}
		size += frame(body, length, out + size, room - size);
	}
	return size;
}
