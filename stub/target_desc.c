/* SPDX-License-Identifier: Apache-2.0 */
/* The target description of an AArch64 core; see target_desc.h. */
#include "stub/target_desc.h"

struct flag_field {
	const char *name;
	unsigned int start;
	unsigned int end;
};

/* SPSR_ELx for AArch64, Arm ARM section C5.2: the layout that snapshots store. */
static const struct flag_field cpsr_fields[] = {
        {"SP", 0, 0},   {"EL", 2, 3},    {"nRW", 4, 4},     {"F", 6, 6},      {"I", 7, 7},
        {"A", 8, 8},    {"D", 9, 9},     {"BTYPE", 10, 11}, {"SSBS", 12, 12}, {"IL", 20, 20},
        {"SS", 21, 21}, {"PAN", 22, 22}, {"UAO", 23, 23},   {"DIT", 24, 24},  {"TCO", 25, 25},
        {"V", 28, 28},  {"C", 29, 29},   {"Z", 30, 30},     {"N", 31, 31},
};

struct lane {
	const char *name; /* as in $v0.d */
	unsigned int bits;
	const char *float_type; /* or NULL */
};

static const struct lane lanes[] = {
        {"d", 64, "ieee_double"}, {"s", 32, "ieee_single"}, {"h", 16, "ieee_half"},
        {"b", 8, NULL},           {"q", 128, NULL},
};

enum {
	LANE_COUNT = sizeof(lanes) / sizeof(lanes[0]),
	CPSR_FIELD_COUNT = sizeof(cpsr_fields) / sizeof(cpsr_fields[0]),
	VECTOR_BITS = 128,
};

void xml_escape(struct text *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '<')
			text_puts(out, "&lt;");
		else if (c == '>')
			text_puts(out, "&gt;");
		else if (c == '&')
			text_puts(out, "&amp;");
		else if (c == '"')
			text_puts(out, "&quot;");
		else
			text_char(out, c >= ' ' && c <= '~' ? c : '?');
	}
}

bool target_desc_has(enum register_number number, bool fpu)
{
	return register_table[number].feature != REGISTER_FPU || fpu;
}

static void write_core_types(struct text *out)
{
	text_puts(out, "<flags id=\"cpsr_flags\" size=\"4\">");
	for (size_t i = 0; i < CPSR_FIELD_COUNT; i++)
		text_printf(out, "<field name=\"%s\" start=\"%u\" end=\"%u\"/>",
		            cpsr_fields[i].name, cpsr_fields[i].start, cpsr_fields[i].end);
	text_puts(out, "</flags>\n");
}

/* $v0.d.f, $v0.d.u, $v0.d.s and so on for the other lanes. */
static void write_fpu_types(struct text *out)
{
	for (size_t i = 0; i < LANE_COUNT; i++) {
		const struct lane *lane = &lanes[i];
		unsigned int count = VECTOR_BITS / lane->bits;

		if (lane->float_type)
			text_printf(out, "<vector id=\"v_%s_f\" type=\"%s\" count=\"%u\"/>",
			            lane->name, lane->float_type, count);
		text_printf(out, "<vector id=\"v_%s_u\" type=\"uint%u\" count=\"%u\"/>", lane->name,
		            lane->bits, count);
		text_printf(out, "<vector id=\"v_%s_s\" type=\"int%u\" count=\"%u\"/>", lane->name,
		            lane->bits, count);
		text_printf(out, "<union id=\"v_%s\">", lane->name);
		if (lane->float_type)
			text_printf(out, "<field name=\"f\" type=\"v_%s_f\"/>", lane->name);
		text_printf(out, "<field name=\"u\" type=\"v_%s_u\"/>", lane->name);
		text_printf(out, "<field name=\"s\" type=\"v_%s_s\"/></union>\n", lane->name);
	}
	text_puts(out, "<union id=\"aarch64v\">");
	for (size_t i = 0; i < LANE_COUNT; i++)
		text_printf(out, "<field name=\"%s\" type=\"v_%s\"/>", lanes[i].name,
		            lanes[i].name);
	text_puts(out, "</union>\n");
}

static void write_feature(enum register_feature feature, const char *name,
                          void (*write_types)(struct text *), struct text *out)
{
	text_printf(out, "<feature name=\"%s\">\n", name);
	if (write_types)
		write_types(out);
	for (unsigned int i = 0; i < REG_COUNT; i++) {
		const struct register_info *info = &register_table[i];

		if (info->feature != feature)
			continue;
		text_printf(out,
		            "<reg name=\"%s\" bitsize=\"%u\" type=\"%s\" regnum=\"%u\" "
		            "group=\"%s\"%s/>\n",
		            info->name, info->bits, info->type, i, info->group,
		            feature == REGISTER_TRACE ? " save-restore=\"no\"" : "");
	}
	text_puts(out, "</feature>\n");
}

void target_desc_write(bool fpu, struct text *out)
{
	text_puts(out, "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
	               "<target version=\"1.0\">\n<architecture>aarch64</architecture>\n");
	write_feature(REGISTER_CORE, "org.gnu.gdb.aarch64.core", write_core_types, out);
	if (fpu)
		write_feature(REGISTER_FPU, "org.gnu.gdb.aarch64.fpu", write_fpu_types, out);
	write_feature(REGISTER_TRACE, "org.csreplay.trace", NULL, out);
	text_puts(out, "</target>\n");
}
