/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the generic elements, and their JSON form: fields as the specification names them. */
#include "decoder/element/element.h"

#include "base/json.h"

static const char *const type_names[] = {
#define X(name) #name,
#include "decoder/element/element.def"
#undef X
        "PACKET",
};

struct element element_of_packet(const struct listed_packet *packet, uint8_t trace_id,
                                 uint64_t offset)
{
	return (struct element){
	        .type = ELEMENT_PACKET, .trace_id = trace_id, .offset = offset, .packet = *packet};
}

struct memory_context pe_context_memory(const struct pe_context *context)
{
	return (struct memory_context){.has_id = context->has_context_id,
	                               .has_vmid = context->has_vmid,
	                               .is_part = context->is_context_part,
	                               .id = context->context_id,
	                               .vmid = context->vmid};
}

enum space pe_context_space(const struct pe_context *context)
{
	static const enum space spaces[][4] = {
	        [SECURITY_SECURE] = {SPACE_EL1S, SPACE_EL1S, SPACE_EL2S, SPACE_EL3},
	        [SECURITY_NON_SECURE] = {SPACE_EL1N, SPACE_EL1N, SPACE_EL2, SPACE_EL3},
	        [SECURITY_ROOT] = {SPACE_ROOT, SPACE_ROOT, SPACE_ROOT, SPACE_ROOT},
	        [SECURITY_REALM] = {SPACE_EL1R, SPACE_EL1R, SPACE_EL2R, SPACE_ROOT},
	};

	if (context->level == EL_UNKNOWN)
		return context->security == SECURITY_SECURE ? SPACE_S : SPACE_N;
	return spaces[context->security][context->level];
}

const char *element_type_name(enum element_type type)
{
	return type <= ELEMENT_PACKET ? type_names[type] : "?";
}

const char *no_sync_reason_name(enum no_sync_reason reason)
{
	static const char *const names[] = {
	        [NO_SYNC_INIT] = "init-decoder",     [NO_SYNC_RESET] = "reset-decoder",
	        [NO_SYNC_OVERFLOW] = "overflow",     [NO_SYNC_DISCARD] = "discard",
	        [NO_SYNC_BAD_PACKET] = "bad-packet", [NO_SYNC_END] = "end-of-trace",
	};

	return names[reason];
}

const char *isa_packet_name(enum isa isa)
{
	static const char *const names[] = {
	        [ISA_UNKNOWN] = "Unknown", [ISA_A64] = "AArch64", [ISA_A32] = "ARM(32)",
	        [ISA_T32] = "Thumb2",      [ISA_TEE] = "ThumbEE", [ISA_JAZELLE] = "Jazelle",
	};

	return names[isa];
}

const char *isa_name(enum isa isa)
{
	static const char *const names[] = {
	        [ISA_UNKNOWN] = "Unk", [ISA_A64] = "A64", [ISA_A32] = "A32",
	        [ISA_T32] = "T32",     [ISA_TEE] = "TEE", [ISA_JAZELLE] = "Jaz",
	};

	return isa <= ISA_JAZELLE ? names[isa] : "Unk";
}

static void add_name(struct text *out, const char *key, const char *name)
{
	json_str(out, key, str_of(name));
}

static void add_range(const struct element *e, struct text *out)
{
	static const char *const classes[] = {
	        [INSN_OTHER] = "OTHER",
	        [INSN_BRANCH] = "BR",
	        [INSN_BRANCH_INDIRECT] = "BR_INDIRECT",
	        [INSN_ISB] = "ISB",
	        [INSN_DSB_DMB] = "DSB_DMB",
	        [INSN_WFI_WFE] = "WFI_WFE",
	        [INSN_TSTART] = "TSTART",
	};
	static const char *const subclasses[] = {
	        [INSN_SUB_NONE] = "NONE",
	        [INSN_SUB_LINK] = "BR_LINK",
	        [INSN_SUB_A64_RET] = "V8_RET",
	        [INSN_SUB_A64_ERET] = "V8_ERET",
	        [INSN_SUB_V7_IMPLIED_RET] = "V7_IMPLIED_RET",
	};

	add_name(out, "isa", isa_name(e->isa));
	json_hex(out, "st_addr", e->range.start);
	json_hex(out, "en_addr", e->range.end);
	json_u64(out, "num_instr_range", e->range.count);
	if (e->type == ELEMENT_I_RANGE_NOPATH)
		return;
	add_name(out, "last_i_type", classes[e->range.last_class]);
	add_name(out, "last_i_subtype", subclasses[e->range.last_subclass]);
	json_bool(out, "last_instr_exec", e->range.last_executed);
	json_u64(out, "last_instr_sz", e->range.last_size);
	json_bool(out, "last_instr_cond", e->range.last_conditional);
}

static void add_exception(const struct element *e, struct text *out)
{
	bool is_told = e->exception.has_return_address && !e->exception.return_is_implied;

	if (!e->exception.is_unnumbered && !e->exception.is_data_marker)
		json_u64(out, "exception_number", e->exception.number);
	if (e->exception.name.n > 0)
		json_str(out, "name", e->exception.name);
	json_bool(out, "excep_ret_addr", is_told);
	if (is_told)
		json_hex(out, "en_addr", e->exception.return_address);
	json_bool(out, "excep_ret_addr_br_tgt", e->exception.return_is_branch_target);
	json_bool(out, "excep_data_marker", e->exception.is_data_marker);
}

static void add_context(const struct element *e, struct text *out)
{
	static const char *const security[] = {
	        [SECURITY_SECURE] = "secure",
	        [SECURITY_NON_SECURE] = "nonsecure",
	        [SECURITY_ROOT] = "root",
	        [SECURITY_REALM] = "realm",
	};
	const struct pe_context *context = &e->context;

	add_name(out, "isa", isa_name(e->isa));
	json_key(out, "context");
	json_open(out, '{');
	add_name(out, "security_level", security[context->security]);
	if (context->level != EL_UNKNOWN)
		json_u64(out, "exception_level", (uint64_t)context->level);
	json_bool(out, "bits64", context->is_64bit);
	if (context->has_context_id)
		json_hex(out, "context_id", context->context_id);
	if (context->has_vmid)
		json_hex(out, "vmid", context->vmid);
	json_close(out, '}');
}

static void add_event(const struct element *e, struct text *out)
{
	json_key(out, "trace_event");
	json_open(out, '{');
	json_u64(out, "ev_type", e->event.type);
	json_u64(out, "ev_number", e->event.number);
	json_close(out, '}');
}

static void add_itm(const struct element *e, struct text *out)
{
	static const char *const local[] = {
	        [ITM_DELAY_NONE] = "TS_SYNC",
	        [ITM_DELAY_TIMESTAMP] = "TS_DELAY",
	        [ITM_DELAY_PACKET] = "TS_PKT_DELAY",
	        [ITM_DELAY_BOTH] = "TS_PKT_TS_DELAY",
	};
	static const char *const kinds[] = {
	        [ITM_KIND_SOFTWARE] = "SWIT_PAYLOAD",
	        [ITM_KIND_HARDWARE] = "DWT_PAYLOAD",
	        [ITM_KIND_GLOBAL_TIMESTAMP] = "TS_GLOBAL",
	};
	const struct itm_trace *itm = &e->itm;
	bool is_local = itm->kind == ITM_KIND_LOCAL_TIMESTAMP;

	json_key(out, "swt_itm");
	json_open(out, '{');
	add_name(out, "pkt_type", is_local ? local[itm->delay] : kinds[itm->kind]);
	if (itm->kind == ITM_KIND_SOFTWARE || itm->kind == ITM_KIND_HARDWARE)
		json_u64(out, "payload_src_id", itm->source);
	if (itm->kind != ITM_KIND_GLOBAL_TIMESTAMP) {
		json_u64(out, "payload_size", itm->size);
		json_hex(out, "value", itm->value);
	} else {
		json_bool(out, "cpu_freq_change", itm->is_clock_changed);
	}
	json_bool(out, "overflow", itm->is_overflow);
	json_close(out, '}');
}

static void add_software(const struct element *e, struct text *out)
{
	const struct software_trace *software = &e->software;

	json_key(out, "sw_trace_info");
	json_open(out, '{');
	json_bool(out, "swt_id_valid", software->has_ids);
	if (software->has_ids) {
		json_u64(out, "swt_master_id", software->master);
		json_u64(out, "swt_channel_id", software->channel);
	}
	json_u64(out, "swt_payload_pkt_bitsize", software->bits);
	json_u64(out, "swt_payload_num_packets", software->bits > 0 ? 1 : 0);
	json_bool(out, "swt_marker_packet", software->is_marker);
	json_bool(out, "swt_has_timestamp", e->has_timestamp);
	json_bool(out, "swt_trigger_event", software->is_trigger);
	json_bool(out, "swt_frequency", software->is_frequency);
	json_bool(out, "swt_master_err", software->is_master_error);
	json_bool(out, "swt_global_err", software->is_global_error);
	json_close(out, '}');
	if (software->bits > 0)
		json_hex(out, "extended_data", software->value);
}

static void add_data(const struct element *e, struct text *out)
{
	static const char *const kinds[] = {
	        [DATA_TRANSFER] = "transfer",
	        [DATA_PLACE] = "place",
	        [DATA_LATE] = "late",
	        [DATA_NOT_TRACED] = "not_traced",
	        [DATA_STORE_FAILED] = "store_failed",
	        [DATA_SUPPRESSED] = "suppressed",
	};
	const struct data_trace *data = &e->data;

	json_key(out, "data");
	json_open(out, '{');
	add_name(out, "kind", kinds[data->kind]);
	if (data->has_address)
		json_hex(out, "st_addr", data->address);
	if (data->has_address)
		json_bool(out, "big_endian", data->is_big_endian);
	if (data->has_value)
		json_hex(out, "value", data->value);
	if (data->kind == DATA_PLACE || data->kind == DATA_LATE)
		json_u64(out, "tag", data->tag);
	json_close(out, '}');
}

static void add_packet(const struct element *e, struct text *out)
{
	json_key(out, "bytes");
	text_char(out, '"');
	text_hex_bytes(out, e->packet.bytes, e->packet.size);
	text_char(out, '"');
	add_name(out, "name", e->packet.name);
	add_name(out, "fields", e->packet.fields);
}

static void add_reason(const struct element *e, struct text *out)
{
	static const char *const trace_on[] = {"normal", "overflow", "ex_debug"};

	if (e->type == ELEMENT_TRACE_ON)
		add_name(out, "trace_on_reason", trace_on[e->trace_on]);
	else
		add_name(out, "unsync_eot_info", no_sync_reason_name(e->no_sync));
}

static void add_instrumentation(const struct element *e, struct text *out)
{
	json_key(out, "sw_ite");
	json_open(out, '{');
	json_u64(out, "el", e->instrumentation.level);
	json_hex(out, "value", e->instrumentation.value);
	json_close(out, '}');
}

/* The fields that only elements of this type have. */
static void add_fields(const struct element *e, struct text *out)
{
	switch (e->type) {
	case ELEMENT_INSTR_RANGE:
	case ELEMENT_I_RANGE_NOPATH:
		add_range(e, out);
		break;
	case ELEMENT_ADDR_NACC:
		json_hex(out, "st_addr", e->nacc.address);
		add_name(out, "mem_space", space_text(e->nacc.space));
		break;
	case ELEMENT_EXCEPTION:
		add_exception(e, out);
		break;
	case ELEMENT_PE_CONTEXT:
		add_context(e, out);
		break;
	case ELEMENT_EVENT:
		add_event(e, out);
		break;
	case ELEMENT_PACKET:
		add_packet(e, out);
		break;
	case ELEMENT_NO_SYNC:
	case ELEMENT_EO_TRACE:
	case ELEMENT_TRACE_ON:
		add_reason(e, out);
		break;
	case ELEMENT_INSTRUMENTATION:
		add_instrumentation(e, out);
		break;
	case ELEMENT_SYNC_MARKER:
		json_u64(out, "sync_marker", e->sync_marker);
		break;
	case ELEMENT_MEMTRANS:
		json_u64(out, "mem_trans", e->memtrans);
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
	case ELEMENT_TIMESTAMP:
	case ELEMENT_CYCLE_COUNT:
		break;
	case ELEMENT_CUSTOM:
		if (e->custom.n > 0)
			json_str(out, "name", e->custom);
		break;
	}
}

void element_format_json(const struct element *element, struct text *out)
{
	const char *prefix = element->type == ELEMENT_PACKET ? "" : "OCSD_GEN_TRC_ELEM_";

	json_open(out, '{');
	json_u64(out, "index", element->offset);
	json_hex(out, "id", element->trace_id);
	json_key(out, "elem_type");
	text_printf(out, "\"%s%s\"", prefix, element_type_name(element->type));
	add_fields(element, out);
	if (element->has_timestamp || element->type == ELEMENT_TIMESTAMP)
		json_u64(out, "timestamp", element->timestamp);
	if (element->has_cycles)
		json_u64(out, "cycle_count", element->cycles);
	json_close(out, '}');
}
