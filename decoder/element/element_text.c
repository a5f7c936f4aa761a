/* SPDX-License-Identifier: Apache-2.0 */
/* Generic elements as text, line for line as OpenCSD 1.8's trc_pkt_lister prints them. */
#include "decoder/element/element.h"

/* A text of a table. */
#define WORD(literal)                                                                              \
	{                                                                                          \
		literal, sizeof(literal) - 1                                                       \
	}

enum { LINE_MOST = 256 }; /* characters of a range, and of what is before the fields */

static void add_hex(struct text *out, const char *before, uint64_t value)
{
	text_puts(out, before);
	text_hex(out, value, 1);
}

/* Most lines of a listing are of this element. */
static void add_range(const struct element *e, struct text *out)
{
	static const struct str classes[] = {
	        [INSN_OTHER] = WORD("--- "),           [INSN_BRANCH] = WORD("BR  "),
	        [INSN_BRANCH_INDIRECT] = WORD("iBR "), [INSN_ISB] = WORD("ISB "),
	        [INSN_DSB_DMB] = WORD("DSB.DMB"),      [INSN_WFI_WFE] = WORD("WFI.WFE"),
	        [INSN_TSTART] = WORD("TSTART"),
	};
	static const struct str subclasses[] = {
	        [INSN_SUB_NONE] = WORD(""),
	        [INSN_SUB_LINK] = WORD("b+link "),
	        [INSN_SUB_A64_RET] = WORD("A64:ret "),
	        [INSN_SUB_A64_ERET] = WORD("A64:eret "),
	        [INSN_SUB_V7_IMPLIED_RET] = WORD("V7:impl ret"),
	};
	char *at = text_begin(out, LINE_MOST);

	if (!at)
		return;
	at = text_put(at, STR("exec range=0x"));
	at = text_put_hex(at, e->range.start);
	at = text_put(at, STR(":[0x"));
	at = text_put_hex(at, e->range.end);
	at = text_put(at, STR("] num_i("));
	at = text_put_decimal(at, e->range.count);
	at = text_put(at, STR(") last_sz("));
	at = text_put_decimal(at, e->range.last_size);
	at = text_put(at, STR(") (ISA="));
	at = text_put(at, str_of(isa_name(e->isa)));
	at = text_put(at, e->range.last_executed ? STR(") E ") : STR(") N "));
	at = text_put(at, classes[e->range.last_class]);
	at = text_put(at, subclasses[e->range.last_subclass]);
	if (e->range.last_conditional)
		at = text_put(at, STR(" <cond>"));
	text_end(out, at);
}

/* What a text says. Any bytes are fine. */
static void add_name(struct text *out, struct str name)
{
	enum { SHOWN_MOST = 160 };

	if (name.n == 0)
		return;
	text_char(out, '"');
	for (size_t i = 0; i < name.n && i < SHOWN_MOST; i++)
		text_char(out, str_printable(name.p[i]));
	text_char(out, '"');
}

static void add_exception(const struct element *e, struct text *out)
{
	if (e->exception.has_return_address && !e->exception.return_is_implied) {
		add_hex(out, "pref ret addr:0x", e->exception.return_address);
		if (e->exception.return_is_branch_target)
			text_puts(out, " [addr also prev br tgt]");
		text_puts(out, "; ");
	}
	/* A data marker has no number; OpenCSD lists 0. */
	if (!e->exception.is_unnumbered) {
		text_puts(out, "excep num (0x");
		text_hex(out, e->exception.number, 2);
		text_puts(out, ") ");
	}
	add_name(out, e->exception.name);
}

static void add_context(const struct element *e, struct text *out)
{
	static const char *const security[] = {
	        [SECURITY_SECURE] = "S; ",
	        [SECURITY_NON_SECURE] = "N; ",
	        [SECURITY_ROOT] = "Root; ",
	        [SECURITY_REALM] = "Realm; ",
	};
	const struct pe_context *context = &e->context;

	text_puts(out, "(ISA=");
	text_puts(out, isa_name(e->isa));
	text_puts(out, ") ");
	if (context->level != EL_UNKNOWN) {
		text_puts(out, "EL");
		text_decimal(out, (uint64_t)context->level);
	}
	text_puts(out, security[context->security]);
	text_puts(out, context->is_64bit ? "64-bit; " : "32-bit; ");
	if (context->has_vmid)
		text_printf(out, "VMID=0x%x; ", (unsigned int)context->vmid);
	if (context->has_context_id)
		text_printf(out, "CTXTID=0x%x; ", (unsigned int)context->context_id);
}

void pe_context_describe(const struct pe_context *context, struct text *out)
{
	text_printf(out, "security %d level %d 64-bit %d id %d %x part %d vmid %d %x\n",
	            (int)context->security, (int)context->level, context->is_64bit,
	            context->has_context_id, context->context_id, context->is_context_part,
	            context->has_vmid, context->vmid);
}

/* As OpenCSD 1.8 calls it. */
static const char *listed_space_name(enum space space)
{
	if (space == SPACE_EL2)
		return "EL2N";
	return space == SPACE_ROOT ? "Root" : space_text(space);
}

static void add_nacc(const struct element *e, struct text *out)
{
	add_hex(out, " 0x", e->nacc.address);
	add_hex(out, "; Memspace [0x", (uint64_t)e->nacc.space);
	text_char(out, ':');
	text_puts(out, listed_space_name(e->nacc.space));
	text_puts(out, "] ");
}

static void add_event(const struct element *e, struct text *out)
{
	if (e->event.type == 1)
		text_puts(out, " Trigger; ");
	else if (e->event.type == 2)
		text_printf(out, " Numbered:%u; ", (unsigned int)e->event.number);
}

static void add_reason(const struct element *e, struct text *out)
{
	static const char *const trace_on[] = {
	        [TRACE_ON_NORMAL] = "begin or filter",
	        [TRACE_ON_OVERFLOW] = "overflow",
	        [TRACE_ON_EX_DEBUG] = "debug restart",
	};

	text_puts(out, " [");
	text_puts(out, e->type == ELEMENT_TRACE_ON ? trace_on[e->trace_on]
	                                           : no_sync_reason_name(e->no_sync));
	text_char(out, ']');
}

static void add_timestamp(const struct element *e, struct text *out)
{
	text_puts(out, " [ TS=0x");
	text_hex(out, e->timestamp, 12);
	text_puts(out, "]; ");
}

static void add_itm(const struct element *e, struct text *out)
{
	static const char *const delays[] = {
	        [ITM_DELAY_NONE] = "TS Sync",
	        [ITM_DELAY_TIMESTAMP] = "TS Delay",
	        [ITM_DELAY_PACKET] = "Packet Delay",
	        [ITM_DELAY_BOTH] = "TS and Packet Delay",
	};
	const struct itm_trace *itm = &e->itm;

	if (itm->is_overflow)
		text_puts(out, "ITM_OVERFLOW; ");
	if (itm->kind == ITM_KIND_LOCAL_TIMESTAMP) {
		text_printf(out, "ITM_TS_LOCAL ( TS delta: 0x%08x, { %s}; ",
		            (unsigned int)itm->value, delays[itm->delay]);
		text_printf(out, "TS cumulative: 0x%016llx) ", (unsigned long long)e->timestamp);
		return;
	}
	if (itm->kind == ITM_KIND_GLOBAL_TIMESTAMP) {
		text_printf(out, "ITM_TS_GLOBAL ( TS: 0x%016llx) ",
		            (unsigned long long)e->timestamp);
		return;
	}
	text_puts(out, itm->kind == ITM_KIND_SOFTWARE ? "ITM_SWIT (ch" : "ITM_DWT (desc");
	add_hex(out, ": 0x", itm->source);
	text_puts(out, "; Data: 0x");
	text_hex(out, itm->value, 2U * itm->size);
	text_puts(out, ") ");
}

static void add_software(const struct element *e, struct text *out)
{
	const struct software_trace *software = &e->software;

	if (software->is_global_error) {
		text_puts(out, "{Global Error.}");
		return;
	}
	if (software->has_ids)
		text_printf(out, " (Ma:0x%02x; Ch:0x%02x) ", software->master, software->channel);
	else
		text_puts(out, "(Ma:0x?\?; Ch:0x?\?) ");
	if (software->bits > 0) {
		text_puts(out, "0x");
		text_hex(out, software->value, software->bits / 4U);
		text_puts(out, "; ");
	}
	if (software->is_marker)
		text_puts(out, "+Mrk ");
	if (software->is_trigger)
		text_puts(out, "Trig ");
	if (e->has_timestamp)
		add_timestamp(e, out);
	if (software->is_frequency)
		text_puts(out, "Freq");
	if (software->is_master_error)
		text_puts(out, "{Master Error.}");
}

static void add_instrumentation(const struct element *e, struct text *out)
{
	text_printf(out, "EL%u; 0x", (unsigned int)e->instrumentation.level);
	text_hex(out, e->instrumentation.value, 16);
}

static void add_data(const struct element *e, struct text *out)
{
	static const char *const notes[] = {
	        [DATA_TRANSFER] = "",
	        [DATA_PLACE] = "late; ",
	        [DATA_LATE] = "late; ",
	        [DATA_NOT_TRACED] = "not traced; ",
	        [DATA_STORE_FAILED] = "store failed; ",
	        [DATA_SUPPRESSED] = "suppressed; ",
	};
	const struct data_trace *data = &e->data;

	if (data->has_address)
		add_hex(out, "addr=0x", data->address);
	if (data->has_address)
		text_puts(out, data->is_big_endian ? " BE; " : "; ");
	if (data->has_value)
		add_hex(out, "val=0x", data->value);
	if (data->has_value)
		text_puts(out, "; ");
	text_puts(out, notes[data->kind]);
	if (data->kind == DATA_PLACE || data->kind == DATA_LATE)
		text_printf(out, "tag=%u; ", (unsigned int)data->tag);
}

static void add_range_without_path(const struct element *e, struct text *out)
{
	add_hex(out, "first 0x", e->range.start);
	add_hex(out, ":[next 0x", e->range.end);
	text_printf(out, "] num_i(%u) ", (unsigned int)e->range.count);
}

static void add_fields(const struct element *e, struct text *out)
{
	static const char *const memtrans[] = {"Init", "Start", "Commit", "Fail"};

	switch (e->type) {
	case ELEMENT_INSTR_RANGE:
		add_range(e, out);
		break;
	case ELEMENT_I_RANGE_NOPATH:
		add_range_without_path(e, out);
		break;
	case ELEMENT_ADDR_NACC:
		add_nacc(e, out);
		break;
	case ELEMENT_EXCEPTION:
		add_exception(e, out);
		break;
	case ELEMENT_PE_CONTEXT:
		add_context(e, out);
		break;
	case ELEMENT_NO_SYNC:
	case ELEMENT_EO_TRACE:
	case ELEMENT_TRACE_ON:
		add_reason(e, out);
		break;
	case ELEMENT_TIMESTAMP:
		add_timestamp(e, out);
		break;
	case ELEMENT_EVENT:
		add_event(e, out);
		break;
	case ELEMENT_SYNC_MARKER:
		text_printf(out, " [Timestamp marker(0x%08x)]", (unsigned int)e->sync_marker);
		break;
	case ELEMENT_INSTRUMENTATION:
		add_instrumentation(e, out);
		break;
	case ELEMENT_MEMTRANS:
		text_puts(out, memtrans[e->memtrans & 3]);
		break;
	case ELEMENT_SWTRACE:
		add_software(e, out);
		break;
	case ELEMENT_ITMTRACE:
		add_itm(e, out);
		break;
	case ELEMENT_DATA:
		add_data(e, out);
		break;
	case ELEMENT_UNKNOWN:
	case ELEMENT_ADDR_UNKNOWN:
	case ELEMENT_EXCEPTION_RET:
	case ELEMENT_CYCLE_COUNT:
	case ELEMENT_PACKET:
		break;
	case ELEMENT_CUSTOM:
		add_name(out, e->custom);
		break;
	}
}

static void add_packet(const struct element *e, struct text *out)
{
	text_char(out, '[');
	for (uint32_t i = 0; i < e->packet.size; i++) {
		text_puts(out, "0x");
		text_hex(out, e->packet.bytes[i], 2);
		text_char(out, ' ');
	}
	text_printf(out, "];\t%s : %s", e->packet.name, e->packet.fields);
}

/* What is before the fields. */
static const struct str heads[] = {
#define X(name) [ELEMENT_##name] = WORD("OCSD_GEN_TRC_ELEM_" #name "("),
#include "decoder/element/element.def"
#undef X
};

void element_format_text(const struct element *element, struct text *out)
{
	char *at = text_begin(out, LINE_MOST);

	if (!at)
		return;
	at = text_put(at, STR("Idx:"));
	at = text_put_decimal(at, element->offset);
	at = text_put(at, STR("; ID:"));
	at = text_put_hex(at, element->trace_id);
	at = text_put(at, STR("; "));
	if (element->type == ELEMENT_PACKET) {
		text_end(out, at);
		add_packet(element, out);
		return;
	}
	text_end(out, text_put(at, heads[element->type]));
	add_fields(element, out);
	if (element->has_cycles) {
		text_puts(out, " [CC=");
		text_decimal(out, element->cycles);
		text_puts(out, "]; ");
	}
	text_char(out, ')');
}
