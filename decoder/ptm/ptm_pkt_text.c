/* SPDX-License-Identifier: Apache-2.0 */
/* PTM packets as text, in the form of OpenCSD's packet lister. */
#include "decoder/ptm/ptm_pkt.h"

static const struct {
	const char *name;
	const char *what;
} type_table[PTM_TYPES] = {
#define PACKET(name, listed, what) {listed, what},
#include "decoder/ptm/ptm_pkt.def"
#undef PACKET
};

const char *ptm_type_name(enum ptm_type type)
{
	return type < PTM_TYPES ? type_table[type].name : "UNKNOWN";
}

static void add_isa(const struct ptm_packet *packet, struct text *out)
{
	text_printf(out, "ISA=%s; ", isa_packet_name(packet->known.isa));
}

static void add_cycles(const struct ptm_packet *packet, struct text *out)
{
	if (packet->has_cycles)
		text_printf(out, "Cycles=%u; ", (unsigned int)packet->cycles);
}

/* A number of which the packet held the low bits only, and what those are. */
static void add_part(uint64_t value, unsigned int width, unsigned int sent_bits, struct text *out)
{
	uint64_t sent = sent_bits < 64 ? value & ((UINT64_C(1) << sent_bits) - 1) : value;

	text_printf(out, "0x%0*llX ~[0x%llX]", (int)(width / 4), (unsigned long long)value,
	            (unsigned long long)sent);
}

static void add_exception(const struct ptm_packet *packet, struct text *out)
{
	const struct exception_info *info = exception_find(EXCEPTIONS_ETM3, packet->exception);

	text_printf(out, "Excep=%s [%02x]; ", info ? info->name : "Unknown",
	            (unsigned int)packet->exception);
}

static void add_branch(const struct ptm_packet *packet, struct text *out)
{
	text_puts(out, "Addr=");
	add_part(packet->known.address, 32, packet->sent_bits, out);
	text_puts(out, "; ");
	if (packet->is_isa_changed)
		add_isa(packet, out);
	if (packet->has_state) {
		text_puts(out, packet->known.is_non_secure ? "NS; " : "S; ");
		text_puts(out, packet->known.is_hyp ? "Hyp; " : "");
	}
	if (packet->has_exception)
		add_exception(packet, out);
	add_cycles(packet, out);
}

static void add_isync(const struct ptm_packet *packet, struct text *out)
{
	static const char *const reasons[] = {"Periodic", "Trace Enable", "Restart Overflow",
	                                      "Debug Exit"};

	text_printf(out, "(%s); Addr=0x%08x; %s; %s", reasons[packet->reason],
	            (unsigned int)packet->known.address, packet->known.is_non_secure ? "NS" : "S",
	            packet->known.is_hyp ? "Hyp; " : " ");
	if (packet->has_context_id)
		text_printf(out, "CtxtID=%08x; ", (unsigned int)packet->known.context_id);
	add_isa(packet, out);
	add_cycles(packet, out);
}

static void add_atoms(const struct ptm_packet *packet, struct text *out)
{
	for (unsigned int i = 0; i < packet->atom_count; i++)
		text_char(out, packet->atoms >> i & 1 ? 'E' : 'N');
	text_puts(out, "; ");
	add_cycles(packet, out);
}

void ptm_packet_format(const struct ptm_packet *packet, struct text *out)
{
	text_printf(out, "%s; ", packet->type < PTM_TYPES ? type_table[packet->type].what : "?");
	switch ((int)packet->type) {
	case PTM_BAD_SEQUENCE:
		text_printf(out, "[%s]; ", ptm_type_name(packet->meant));
		break;
	case PTM_ATOM:
		add_atoms(packet, out);
		break;
	case PTM_CONTEXT_ID:
		text_printf(out, "CtxtID=0x%08x; ", (unsigned int)packet->known.context_id);
		break;
	case PTM_VMID:
		text_printf(out, "VMID=0x%02x; ", (unsigned int)packet->known.vmid);
		break;
	case PTM_WAYPOINT:
	case PTM_BRANCH:
		add_branch(packet, out);
		break;
	case PTM_ISYNC:
		add_isync(packet, out);
		break;
	case PTM_TIMESTAMP:
		text_puts(out, "TS=");
		add_part(packet->known.timestamp, 64, packet->sent_bits, out);
		text_printf(out, "(%llu); ", (unsigned long long)packet->known.timestamp);
		add_cycles(packet, out);
		break;
	default:
		break;
	}
}

void ptm_reader_describe(const struct ptm_reader *reader, struct text *out)
{
	const struct ptm_known *known = &reader->known;

	text_printf(out, "address %x %s alternative %d ns %d hyp %d context id %x vmid %x\n",
	            known->address, isa_name(known->isa), known->is_alt_isa, known->is_non_secure,
	            known->is_hyp, known->context_id, known->vmid);
	text_printf(out, "timestamp %llx synced %d\n", (unsigned long long)known->timestamp,
	            reader->is_synced);
}
