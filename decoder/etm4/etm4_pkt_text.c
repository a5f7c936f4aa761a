/* SPDX-License-Identifier: Apache-2.0 */
/* ETMv4 and ETE packets as text, in the form of OpenCSD's packet lister. */
#include "decoder/etm4/etm4_pkt.h"

#include "arch/isa.h"

static const char *const type_texts[ETM4_TYPES] = {
#define PACKET(name, listed, what) what,
#include "decoder/etm4/etm4_pkt.def"

#include "decoder/etm4/ete_pkt.def"
#undef PACKET
};

static void add_atoms(const struct etm4_packet *packet, struct text *out)
{
	for (unsigned int i = 0; i < packet->atom_count; i++)
		text_char(out, packet->atoms >> i & 1 ? 'E' : 'N');
}

static void add_address(const struct etm4_address *address, struct text *out)
{
	unsigned int width = address->is_64bit ? 64 : 32;

	text_printf(out, "; Addr=0x%0*llX", (int)(width / 4), (unsigned long long)address->value);
	if (address->sent_bits > 0 && address->sent_bits < 32)
		text_printf(out, " ~[0x%llX]",
		            (unsigned long long)(address->value &
		                                 ((UINT64_C(1) << address->sent_bits) - 1)));
}

static void add_context(const struct etm4_context *context, struct text *out)
{
	static const char *const security[4] = {"S", "NS", "Root", "Realm"};

	if (!context->is_update) {
		text_puts(out, "Ctxt: Same");
		return;
	}
	text_printf(out, "Ctxt: %sEL%u, %s; ", context->is_64bit ? "AArch64," : "AArch32, ",
	            (unsigned int)context->level,
	            security[(context->is_realm_root ? 2 : 0) + (context->is_non_secure ? 1 : 0)]);
	if (context->has_context_id)
		text_printf(out, "CID=0x%08x; ", (unsigned int)context->context_id);
	if (context->has_vmid)
		text_printf(out, "VMID=0x%04x; ", (unsigned int)context->vmid);
}

static void add_exception(const struct etm4_exception *exception, bool is_m, struct text *out)
{
	const struct exception_info *info =
	        exception_find(is_m ? EXCEPTIONS_ETM4_M : EXCEPTIONS_ETM4, exception->type);

	text_puts(out, ";  ");
	if (info)
		exception_format(info, exception->type, out);
	else
		text_puts(out, "Reserved");
	text_char(out, ';');
	if (exception->is_fault_pending)
		text_puts(out, " Fault Pending;");
	if (exception->address_follows == 1)
		text_puts(out, " Ret Addr Follows;");
	else if (exception->address_follows == 2)
		text_puts(out, " Ret Addr Follows, Match Prev;");
}

static void add_trace_info(const struct etm4_trace_info *info, bool is_ete, struct text *out)
{
	text_printf(out, "; INFO=0x%x { CC.%u", (unsigned int)(info->info & 0xff),
	            (unsigned int)(info->info & 1));
	if (is_ete)
		text_printf(out, ", TSTATE.%d", info->info & TRACE_INFO_IN_TRANSACTION ? 1 : 0);
	text_puts(out, " }");
	if (info->info & 1)
		text_printf(out, "; CC_THRESHOLD=0x%x", (unsigned int)info->threshold);
	if (info->has_speculation)
		text_printf(out, "; INIT SPEC DEPTH=%u", (unsigned int)info->speculation);
}

static void add_cycles(const struct etm4_packet *packet, bool commits, struct text *out)
{
	text_printf(out, "; Count=0x%x", (unsigned int)packet->cycles);
	if (commits)
		text_printf(out, "; Commit(%u)", (unsigned int)packet->commit);
}

static void add_mispredict(const struct etm4_packet *packet, struct text *out)
{
	text_puts(out, "; ");
	if (packet->atom_count > 0) {
		text_puts(out, "Atom: ");
		add_atoms(packet, out);
		text_puts(out, ", ");
	}
	if (packet->cancel > 0)
		text_printf(out, "Cancel(%u), ", (unsigned int)packet->cancel);
	text_puts(out, "Mispredict");
}

static void add_q(const struct etm4_packet *packet, struct text *out)
{
	if (packet->has_count)
		text_printf(out, "; Count(%u)", (unsigned int)packet->count);
	else
		text_puts(out, "; Count(Unknown)");
	if (packet->match < ETM4_ADDRESSES)
		text_printf(out, "; [%u]", (unsigned int)packet->match);
	if (packet->has_address)
		add_address(&packet->address, out);
}

/* The fields of packets that hold an address or a context. */
static void add_place(const struct etm4_packet *packet, struct text *out)
{
	struct etm4_address address = packet->address;

	if (packet->type == ETM4_ADDRESS_MATCH || packet->type == ETM4_SOURCE_MATCH) {
		text_printf(out, ", [%u]", (unsigned int)packet->match);
		address.sent_bits = 0;
	}
	if (packet->type != ETM4_CONTEXT)
		add_address(&address, out);
	if (packet->type != ETM4_ADDRESS_SHORT_IS0 && packet->type != ETM4_ADDRESS_SHORT_IS1 &&
	    packet->type != ETM4_SOURCE_SHORT_IS0 && packet->type != ETM4_SOURCE_SHORT_IS1)
		text_puts(out, "; ");
	if (packet->type <= ETM4_ADDRESS_CONTEXT_64_IS1)
		add_context(&packet->context, out);
}

/* What becomes of P0 elements; false if the packet says nothing of that. */
static bool add_resolution(const struct etm4_packet *packet, struct text *out)
{
	switch ((int)packet->type) {
	case ETM4_COMMIT:
		text_printf(out, "; Commit(%u)", (unsigned int)packet->commit);
		return true;
	case ETM4_CANCEL_F1:
		text_printf(out, "; Cancel(%u)", (unsigned int)packet->cancel);
		return true;
	case ETM4_CANCEL_F1_MISPREDICT:
	case ETM4_CANCEL_F2:
	case ETM4_CANCEL_F3:
	case ETM4_MISPREDICT:
		add_mispredict(packet, out);
		return true;
	default:
		return false;
	}
}

void etm4_packet_format(const struct etm4_packet *packet, const struct etm4_config *config,
                        struct text *out)
{
	text_puts(out, packet->type < ETM4_TYPES ? type_texts[packet->type] : "Unknown");
	switch ((int)packet->type) {
	case ETM4_INCOMPLETE:
	case ETM4_BAD_SEQUENCE:
	case ETM4_RESERVED_CONFIG:
		text_printf(out, "[%s]", etm4_type_name(packet->meant));
		break;
	case ETM4_TRACE_INFO:
		add_trace_info(&packet->info, config_is_ete(config), out);
		break;
	case ETM4_TIMESTAMP:
		text_printf(out, "; Updated val = 0x%llx", (unsigned long long)packet->timestamp);
		if (packet->has_cycles)
			text_printf(out, "; CC=0x%x", (unsigned int)packet->cycles);
		break;
	case ETM4_EXCEPTION:
		add_exception(&packet->exception, config->is_m_profile, out);
		break;
	case ETM4_CYCLES_F1:
	case ETM4_CYCLES_F2:
	case ETM4_CYCLES_F3:
		add_cycles(packet, config->cycle_count_commits, out);
		break;
	case ETM4_Q:
		add_q(packet, out);
		break;
	case ETM4_ATOM_F1:
	case ETM4_ATOM_F2:
	case ETM4_ATOM_F3:
	case ETM4_ATOM_F4:
	case ETM4_ATOM_F5:
	case ETM4_ATOM_F6:
		text_puts(out, "; ");
		add_atoms(packet, out);
		break;
	case ETM4_INSTRUMENTATION:
		text_printf(out, "; EL%u; Payload=0x%llx",
		            (unsigned int)packet->instrumentation.level,
		            (unsigned long long)packet->instrumentation.value);
		break;
	default:
		if (add_resolution(packet, out))
			break;
		if ((packet->type >= ETM4_CONTEXT && packet->type <= ETM4_ADDRESS_64_IS1) ||
		    (packet->type >= ETM4_SOURCE_MATCH && packet->type <= ETM4_SOURCE_64_IS1))
			add_place(packet, out);
		break;
	}
}
