/* SPDX-License-Identifier: Apache-2.0 */
/* ITM packets as text: names as OpenCSD's lister has them, what a packet is, its fields. */
#include "decoder/stimulus/itm_pkt.h"

static const struct {
	const char *name;
	const char *what;
} types[ITM_TYPES] = {
#define PACKET(name, listed, what) {listed, what},
#include "decoder/stimulus/itm_pkt.def"
#undef PACKET
};

/* Discriminators of hardware source packets, Armv7-M ARM D4.3. */
enum {
	DWT_EVENTS = 0,
	DWT_EXCEPTION = 1,
	DWT_PC = 2,
	DWT_DATA_FIRST = 8, /* PC or address of a data access */
	DWT_VALUE_FIRST = 16,
	DWT_LAST = 23,
};

const char *itm_type_name(enum itm_type type)
{
	return type < ITM_TYPES ? types[type].name : "ITM_UNKNOWN";
}

static void add_value(const struct itm_packet *packet, const char *name, struct text *out)
{
	text_printf(out, "; %s=0x", name);
	text_hex(out, packet->value, 2U * packet->value_size);
}

static void add_events(uint64_t value, struct text *out)
{
	static const char *const events[] = {"CPI", "EXC", "Sleep", "LSU", "Fold", "CYC"};

	text_puts(out, "; Events:");
	for (unsigned int i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (value >> i & 1)
			text_printf(out, " %s", events[i]);
	}
}

static void add_hardware(const struct itm_packet *packet, struct text *out)
{
	static const char *const actions[4] = {"reserved", "entered", "exited", "returned to"};
	unsigned int source = packet->source;
	unsigned int comparator = source >> 1 & 3;

	text_printf(out, "; Desc=0x%02x", source);
	if (source == DWT_EVENTS) {
		add_events(packet->value, out);
	} else if (source == DWT_EXCEPTION) {
		text_printf(out, "; Exception=0x%03x %s", (unsigned int)(packet->value & 0x1ff),
		            actions[packet->value >> 12 & 3]);
	} else if (source == DWT_PC) {
		add_value(packet, "PC", out);
	} else if (source >= DWT_VALUE_FIRST && source <= DWT_LAST) {
		text_printf(out, "; Comparator=%u", comparator);
		add_value(packet, source & 1 ? "Written" : "Read", out);
	} else if (source >= DWT_DATA_FIRST && source <= DWT_LAST) {
		text_printf(out, "; Comparator=%u", comparator);
		add_value(packet, source & 1 ? "Address" : "PC", out);
	} else {
		text_puts(out, " (reserved)");
		add_value(packet, "Data", out);
	}
}

static void add_extension(const struct itm_packet *packet, struct text *out)
{
	bool is_page = !packet->is_hardware && packet->value_size == 0;

	text_printf(out, "; %s; %s=0x%llx", packet->is_hardware ? "hardware" : "software",
	            is_page ? "Page" : "Information", (unsigned long long)packet->value);
}

static void add_local_timestamp(const struct itm_packet *packet, struct text *out)
{
	static const char *const delays[] = {
	        [ITM_DELAY_NONE] = "in time",
	        [ITM_DELAY_TIMESTAMP] = "timestamp delayed",
	        [ITM_DELAY_PACKET] = "packet delayed",
	        [ITM_DELAY_BOTH] = "timestamp and packet delayed",
	};

	add_value(packet, "Cycles", out);
	text_printf(out, "; %s", delays[packet->delay]);
}

static void add_global_timestamp(const struct itm_packet *packet, struct text *out)
{
	add_value(packet, "TS", out);
	if (packet->is_clock_changed)
		text_puts(out, "; clock changed");
	if (packet->is_wrapped)
		text_puts(out, "; wrapped");
}

void itm_packet_format(const struct itm_packet *packet, struct text *out)
{
	text_puts(out, packet->type < ITM_TYPES ? types[packet->type].what : "");
	switch (packet->type) {
	case ITM_SOFTWARE:
		text_printf(out, "; Port=0x%02x", packet->source);
		add_value(packet, "Data", out);
		break;
	case ITM_HARDWARE:
		add_hardware(packet, out);
		break;
	case ITM_LOCAL_TIMESTAMP:
		add_local_timestamp(packet, out);
		break;
	case ITM_GLOBAL_TIMESTAMP_1:
	case ITM_GLOBAL_TIMESTAMP_2:
		add_global_timestamp(packet, out);
		break;
	case ITM_EXTENSION:
		add_extension(packet, out);
		break;
	case ITM_INCOMPLETE:
	case ITM_BAD_SEQUENCE:
		text_printf(out, " [%s]", itm_type_name(packet->meant));
		break;
	case ITM_NOT_SYNC:
	case ITM_RESERVED:
	case ITM_ASYNC:
	case ITM_OVERFLOW:
	case ITM_TYPES:
		break;
	}
}
