/* SPDX-License-Identifier: Apache-2.0 */
/* ETMv3 packets as text, in the form of OpenCSD's packet lister. */
#include "decoder/etm3/etm3_pkt.h"

static const struct {
	const char *name;
	const char *what;
} type_table[ETM3_TYPES] = {
#define PACKET(name, listed, what) {listed, what},
#include "decoder/etm3/etm3_pkt.def"
#undef PACKET
};

const char *etm3_type_name(enum etm3_type type)
{
	return type < ETM3_TYPES ? type_table[type].name : "I_RESERVED";
}

static void add_isa(const struct etm3_packet *packet, struct text *out)
{
	text_printf(out, "ISA=%s; ", isa_packet_name(packet->known.isa));
}

/* IHI 0014, exception numbers of a branch address packet. */
static void add_exception(const struct etm3_packet *packet, struct text *out)
{
	const struct etm3_exception *exception = &packet->exception;
	const struct exception_info *info = exception_find(
	        exception->is_old ? EXCEPTIONS_ETM3_OLD : EXCEPTIONS_ETM3, exception->number);

	text_puts(out, "Exception=");
	if (info)
		text_puts(out, info->name);
	else if (exception->is_old)
		text_puts(out, "Reserved");
	else
		text_printf(out, "%u", (unsigned int)exception->number);
	if (exception->resume != 0)
		text_printf(out, "; Resume=%u", (unsigned int)exception->resume);
	text_puts(out, exception->is_cancel ? "; Cancel prev instr; " : "; ");
}

static void add_branch(const struct etm3_packet *packet, struct text *out)
{
	uint32_t address = packet->known.address;
	uint64_t sent = (UINT64_C(1) << packet->sent_bits) - 1;

	text_printf(out, "; Addr=0x%08X ~[0x%llX]; ", (unsigned int)address,
	            (unsigned long long)(address & sent));
	if (packet->is_isa_changed)
		add_isa(packet, out);
	if (packet->has_state) {
		text_puts(out, packet->known.is_non_secure ? "NS; " : "S; ");
		text_puts(out, packet->known.is_hyp ? "Hyp; " : "");
	}
	if (packet->has_exception)
		add_exception(packet, out);
}

static void add_isync(const struct etm3_packet *packet, struct text *out)
{
	static const char *const reasons[] = {"Periodic", "Trace Enable", "Restart Overflow",
	                                      "Debug Exit"};

	text_printf(out, "; (%s); ", reasons[packet->reason]);
	if (packet->has_address)
		text_printf(out, "Addr=0x%08x; ", (unsigned int)packet->known.address);
	text_puts(out, packet->known.is_non_secure ? "NS; " : "S; ");
	text_puts(out, packet->known.is_hyp ? "Hyp; " : " ");
	if (packet->has_context_id)
		text_printf(out, "CtxtID=%x; ", (unsigned int)packet->known.context_id);
	add_isa(packet, out);
	if (packet->has_cycles)
		text_printf(out, "Cycles=%u; ", (unsigned int)packet->cycles);
}

/* W is a cycle, E and N are atoms. */
static void add_atoms(const struct etm3_packet *packet, struct text *out)
{
	bool is_each = packet->has_cycles && packet->atoms_format == ETM3_ATOMS_EACH;

	text_puts(out, "; ");
	for (uint32_t i = 0; i < packet->cycles && !is_each; i++)
		text_char(out, 'W');
	for (unsigned int i = 0; i < packet->atom_count; i++) {
		if (is_each)
			text_char(out, 'W');
		text_char(out, packet->atoms >> i & 1 ? 'E' : 'N');
	}
	if (packet->cycles > 0)
		text_printf(out, "; Cycles=%u", (unsigned int)packet->cycles);
}

static void add_data(const struct etm3_packet *packet, struct text *out)
{
	if (packet->has_address)
		text_printf(out, "; Addr=0x%08X", (unsigned int)packet->known.data_address);
	if (packet->has_value)
		text_printf(out, "; Val=0x%x", (unsigned int)packet->value);
	if (packet->type == ETM3_OOO_DATA || packet->type == ETM3_OOO_PLACE)
		text_printf(out, "; OO_Tag=0x%x", (unsigned int)packet->tag);
}

void etm3_packet_format(const struct etm3_packet *packet, struct text *out)
{
	const struct etm3_known *known = &packet->known;

	text_puts(out, packet->type < ETM3_TYPES ? type_table[packet->type].what : "?");
	switch ((int)packet->type) {
	case ETM3_BAD_SEQUENCE:
	case ETM3_BAD_MODE:
		text_printf(out, "[%s]", etm3_type_name(packet->meant));
		break;
	case ETM3_BRANCH:
		add_branch(packet, out);
		break;
	case ETM3_ISYNC:
	case ETM3_ISYNC_CYCLES:
		add_isync(packet, out);
		break;
	case ETM3_P_HEADER:
		add_atoms(packet, out);
		break;
	case ETM3_CYCLE_COUNT:
		text_printf(out, "; Cycles=%u", (unsigned int)packet->cycles);
		break;
	case ETM3_CONTEXT_ID:
		text_printf(out, "; CtxtID=0x%x", (unsigned int)known->context_id);
		break;
	case ETM3_VMID:
		text_printf(out, "; VMID=0x%x", (unsigned int)known->vmid);
		break;
	case ETM3_TIMESTAMP:
		text_printf(out, "; TS=0x%llx (%llu) ", (unsigned long long)known->timestamp,
		            (unsigned long long)known->timestamp);
		break;
	case ETM3_DATA:
	case ETM3_OOO_DATA:
	case ETM3_OOO_PLACE:
	case ETM3_VALUE_NOT_TRACED:
		add_data(packet, out);
		break;
	default:
		break;
	}
}

void etm3_reader_describe(const struct etm3_reader *reader, struct text *out)
{
	const struct etm3_known *known = &reader->known;

	text_printf(out, "address %x %s alternative %d ns %d hyp %d context id %x vmid %x\n",
	            known->address, isa_name(known->isa), known->is_alt_isa, known->is_non_secure,
	            known->is_hyp, known->context_id, known->vmid);
	text_printf(out, "timestamp %d %llx data %x %u big-endian %d synced %d\n",
	            known->has_timestamp, (unsigned long long)known->timestamp, known->data_address,
	            known->data_bits, known->is_big_endian, reader->is_synced);
}
