/* SPDX-License-Identifier: Apache-2.0 */
/* Target descriptions of AArch64, AArch32 and M profile cores; see target_desc.h. */
#include "stub/target_desc.h"

struct flag_field {
	const char *name; /* NULL ends the list */
	unsigned int start;
	unsigned int end;
};

// clang-format off
/* SPSR_ELx for AArch64, Arm ARM section C5.2: the layout that snapshots store. */
static const struct flag_field a64_flags[] = {
	{"SP", 0, 0}, {"EL", 2, 3}, {"nRW", 4, 4}, {"F", 6, 6}, {"I", 7, 7}, {"A", 8, 8}, {"D", 9, 9},
	{"BTYPE", 10, 11}, {"SSBS", 12, 12}, {"IL", 20, 20}, {"SS", 21, 21}, {"PAN", 22, 22},
	{"UAO", 23, 23}, {"DIT", 24, 24}, {"TCO", 25, 25}, {"V", 28, 28}, {"C", 29, 29},
	{"Z", 30, 30}, {"N", 31, 31}, {NULL, 0, 0},
};

/* CPSR, Arm ARM section G8.2. */
static const struct flag_field a32_flags[] = {
	{"M", 0, 4}, {"T", 5, 5}, {"F", 6, 6}, {"I", 7, 7}, {"A", 8, 8}, {"E", 9, 9},
	{"IT_7_2", 10, 15}, {"GE", 16, 19}, {"DIT", 21, 21}, {"PAN", 22, 22}, {"SSBS", 23, 23},
	{"J", 24, 24}, {"IT_1_0", 25, 26}, {"Q", 27, 27}, {"V", 28, 28}, {"C", 29, 29},
	{"Z", 30, 30}, {"N", 31, 31}, {NULL, 0, 0},
};

/* XPSR, Armv8-M ARM section D1.2: APSR, IPSR and EPSR in one. */
static const struct flag_field m_flags[] = {
	{"Exception", 0, 8}, {"IT_7_2", 10, 15}, {"GE", 16, 19}, {"B", 21, 21}, {"T", 24, 24},
	{"IT_1_0", 25, 26}, {"Q", 27, 27}, {"V", 28, 28}, {"C", 29, 29}, {"Z", 30, 30},
	{"N", 31, 31}, {NULL, 0, 0},
};
// clang-format on

struct feature {
	const char *name; /* NULL where the file has no such feature */
	void (*write_types)(struct text *, const struct flag_field *); /* or NULL */
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
			text_char(out, str_printable(c));
	}
}

static void write_flag_types(struct text *out, const struct flag_field *flags)
{
	text_puts(out, "<flags id=\"cpsr_flags\" size=\"4\">");
	for (; flags->name; flags++)
		text_printf(out, "<field name=\"%s\" start=\"%u\" end=\"%u\"/>", flags->name,
		            flags->start, flags->end);
	text_puts(out, "</flags>\n");
}

/* $v0.d.f, $v0.d.u, $v0.d.s and so on for the other lanes. */
static void write_vector_types(struct text *out, const struct flag_field *flags)
{
	(void)flags;
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

/* The order is the order of the document; the trace comes last. */
static const enum register_feature order[] = {REGISTER_CORE, REGISTER_FPU, REGISTER_SYSTEM,
                                              REGISTER_TRACE};

enum { FEATURE_COUNT = sizeof(order) / sizeof(order[0]) };

static const struct {
	const char *architecture;
	const struct flag_field *flags;
	struct feature features[FEATURE_COUNT];
} descriptions[] = {
        [CORE_A64] = {"aarch64",
                      a64_flags,
                      {[REGISTER_CORE] = {"org.gnu.gdb.aarch64.core", write_flag_types},
                       [REGISTER_FPU] = {"org.gnu.gdb.aarch64.fpu", write_vector_types},
                       [REGISTER_TRACE] = {"org.csreplay.trace", NULL}}},
        [CORE_A32] = {"arm",
                      a32_flags,
                      {[REGISTER_CORE] = {"org.gnu.gdb.arm.core", write_flag_types},
                       [REGISTER_FPU] = {"org.gnu.gdb.arm.vfp", NULL},
                       [REGISTER_TRACE] = {"org.csreplay.trace", NULL}}},
        [CORE_M] = {"arm",
                    m_flags,
                    {[REGISTER_CORE] = {"org.gnu.gdb.arm.m-profile", write_flag_types},
                     [REGISTER_FPU] = {"org.gnu.gdb.arm.vfp", NULL},
                     [REGISTER_SYSTEM] = {"org.gnu.gdb.arm.m-system", NULL},
                     [REGISTER_TRACE] = {"org.csreplay.trace", NULL}}},
};

static void write_feature(const struct register_file *file, enum register_feature feature,
                          struct text *out)
{
	const struct feature *what = &descriptions[file->arch].features[feature];

	text_printf(out, "<feature name=\"%s\">\n", what->name);
	if (what->write_types)
		what->write_types(out, descriptions[file->arch].flags);
	for (unsigned int i = 0; i < file->count; i++) {
		const struct register_info *info = &file->table[i];

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

/*
 * Registers beyond the table; gdb asks for each with p, and not at every stop with g. `info
 * registers system` of gdb shows the group.
 */
static void write_system(const struct register_file *file, struct text *out)
{
	if (file->system_count == 0)
		return;
	text_puts(out, "<feature name=\"org.csreplay.system\">\n");
	for (unsigned int i = 0; i < file->system_count; i++) {
		const struct system_register *reg = &file->system[i];

		text_printf(out,
		            "<reg name=\"%.*s\" bitsize=\"%u\" type=\"uint%u\" regnum=\"%u\" "
		            "group=\"system\" save-restore=\"no\"/>\n",
		            STR_ARG(reg->name), reg->bits, reg->bits, file->count + i);
	}
	text_puts(out, "</feature>\n");
}

void target_desc_write(const struct register_file *file, struct text *out)
{
	text_printf(out,
	            "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
	            "<target version=\"1.0\">\n<architecture>%s</architecture>\n",
	            descriptions[file->arch].architecture);
	for (size_t i = 0; i < FEATURE_COUNT; i++) {
		if (file->features >> order[i] & 1U)
			write_feature(file, order[i], out);
	}
	write_system(file, out);
	text_puts(out, "</target>\n");
}
