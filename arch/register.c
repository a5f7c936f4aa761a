/* SPDX-License-Identifier: Apache-2.0 */
/* The register files, from register_*.def. */
#include "arch/register.h"

#define X(name, feature, bits, type, group, snapshot_names, slot, tarmac, number)                  \
	{#name, REGISTER_##feature,   bits,  type, group, snapshot_names,                          \
	 slot,  TARMAC_FILE_##tarmac, number},
static const struct register_info a64_table[] = {
#include "arch/register_a64.def"
};
static const struct register_info a32_table[] = {
#include "arch/register_a32.def"
};
static const struct register_info m_table[] = {
#include "arch/register_m.def"
};
#undef X

static const uint8_t a64_frame[] = {A64_pc, A64_sp, A64_x29, A64_x30};
static const uint8_t a32_frame[] = {A32_pc, A32_sp, A32_lr, A32_cpsr, A32_r11, A32_r7};
static const uint8_t m_frame[] = {M_pc, M_sp, M_lr, M_xpsr, M_r11, M_r7, M_msp, M_psp};

enum { ALWAYS = 1U << REGISTER_CORE | 1U << REGISTER_TRACE };

static const struct register_file files[] = {
        [CORE_A64] = {CORE_A64, a64_table, A64_REGISTERS, A64_trace_pos, a64_frame,
                      sizeof(a64_frame), ALWAYS, NULL, 0},
        [CORE_A32] = {CORE_A32, a32_table, A32_REGISTERS, A32_trace_pos, a32_frame,
                      sizeof(a32_frame), ALWAYS, NULL, 0},
        [CORE_M] = {CORE_M, m_table, M_REGISTERS, M_trace_pos, m_frame, sizeof(m_frame), ALWAYS,
                    NULL, 0},
};

_Static_assert((int)A64_trace_pos + (int)TRACE_REGISTERS == (int)A64_REGISTERS,
               "the trace's registers are last");
_Static_assert((int)A64_pc == REGISTER_PC && (int)A32_pc == REGISTER_PC && (int)M_pc == REGISTER_PC,
               "the PC is first");
_Static_assert((int)REGISTER_FILE_MOST >= (int)A32_REGISTERS &&
                       (int)REGISTER_FILE_MOST >= (int)M_REGISTERS,
               "that of A64 is the largest file");

struct register_file register_file_of(enum core_arch arch)
{
	return files[arch];
}

void register_file_add(struct register_file *file, const struct snap_device *device)
{
	for (unsigned int i = 0; i < file->trace; i++) {
		if (register_in_snapshot(file, i, device))
			file->features |= 1U << file->table[i].feature;
	}
}

const struct system_register *register_system(const struct register_file *file, uint64_t number)
{
	if (number < file->count || number - file->count >= file->system_count)
		return NULL;
	return &file->system[number - file->count];
}

bool register_system_find(const struct register_file *file, struct str name, unsigned int *number)
{
	for (unsigned int i = 0; i < file->system_count; i++) {
		*number = file->count + i;
		if (str_eq_nocase(name, file->system[i].name) ||
		    str_eq_nocase(name, file->system[i].source_name))
			return true;
	}
	return false;
}

bool register_file_find(const struct register_file *file, struct str word, unsigned int *number)
{
	if (str_has_prefix(word, STR("$")))
		word = str_skip(word, 1);
	if (str_eq_nocase(word, STR("lr")) && file->arch == CORE_A64)
		word = STR("x30");
	for (*number = 0; *number < file->trace; ++*number) {
		if (str_eq_nocase(word, str_of(file->table[*number].name)))
			return true;
	}
	return register_system_find(file, word, number);
}

bool register_file_has(const struct register_file *file, uint64_t number)
{
	if (number >= file->count)
		return register_system(file, number) != NULL;
	return (file->features >> file->table[number].feature & 1U) != 0;
}

/* A register by one more of its names. */
struct search {
	const struct snap_device *device;
	const struct snap_register **reg;
	const struct snap_register **other;
	bool is_contested;
};

static void look_up(struct search *s, struct str name)
{
	const struct snap_register *found = snap_device_find_register(s->device, name);

	if (!found)
		return;
	if (found->is_contested) {
		s->is_contested = true;
	} else if (!*s->reg) {
		*s->reg = found;
	} else if (!*s->other && !str_eq_nocase(name, STR("X31")) &&
	           snap_registers_differ(*s->reg, found)) {
		*s->other = found;
		s->is_contested = true;
	}
}

/* W21 is the lower half of X21. For a debugger it has a number of its own. */
static void look_up_lower_half(struct search *s, const struct register_file *file,
                               unsigned int number)
{
	struct text name = {0};

	if (file->arch != CORE_A64 || number < A64_x0 || number > A64_x30)
		return;
	text_printf(&name, "W%u", number - A64_x0);
	look_up(s, text_str(&name));
	text_fini(&name);
}

static bool is_wide(const struct register_info *info, const struct snap_register *reg)
{
	for (size_t i = info->bits / 8; i < (reg->bits + 7) / 8; i++) {
		if (reg->value[i] != 0)
			return true;
	}
	return false;
}

unsigned int register_known_bits(const struct register_file *file, unsigned int number,
                                 const struct snap_register *reg)
{
	const struct register_info *info = &file->table[number];

	/* What the M profile's special registers have above is zero. */
	return reg->bits < info->bits && info->feature != REGISTER_SYSTEM ? reg->bits : info->bits;
}

enum register_fault register_examine(const struct register_file *file, unsigned int number,
                                     const struct snap_device *device,
                                     const struct snap_register **reg,
                                     const struct snap_register **other)
{
	const struct register_info *info = &file->table[number];
	struct search s = {.device = device, .reg = reg, .other = other};
	struct str names = str_of(info->snapshot_names);

	*reg = *other = NULL;
	while (names.p)
		look_up(&s, str_next_part(&names, '|'));
	look_up_lower_half(&s, file, number);
	if (s.is_contested)
		return REGISTER_CONTESTED;
	if (!*reg)
		return REGISTER_SOUND;
	if (is_wide(info, *reg))
		return REGISTER_WIDE;
	if (register_known_bits(file, number, *reg) == info->bits)
		return REGISTER_SOUND;
	/* An address of which a half is known leads nowhere. */
	return number == REGISTER_PC || info->slot == REG_NZCV ? REGISTER_NARROW : REGISTER_PARTLY;
}

const struct snap_register *register_in_snapshot(const struct register_file *file,
                                                 unsigned int number,
                                                 const struct snap_device *device)
{
	const struct snap_register *reg;
	const struct snap_register *other;
	enum register_fault fault = register_examine(file, number, device, &reg, &other);

	return fault == REGISTER_SOUND || fault == REGISTER_PARTLY ? reg : NULL;
}

struct register_slot register_slot_of(enum core_arch arch, unsigned int number)
{
	const struct register_info *info = &files[arch].table[number];
	struct register_slot at = {.slot = info->slot, .count = 1, .bits = (uint8_t)info->bits};

	if (info->slot == SLOT_NONE)
		return (struct register_slot){.count = 0};
	if (info->bits == 128)
		at = (struct register_slot){.slot = info->slot, .count = 2};
	if (info->slot == REG_NZCV)
		at = (struct register_slot){.slot = info->slot, .count = 1, .is_flags = true};
	return at;
}

/* Slots that AArch32 knows under another name than A64, or that only it has, and no register of its
 * file is. */
struct slot_name {
	enum core_arch arch;
	uint8_t slot;
	const char *name;
};

static const struct slot_name slot_names[] = {
        {CORE_A32, REG_NZCV, "nzcv"},
        {CORE_A32, REG_PSTATE, "cpsr"},
        {CORE_A32, REG_A32_GE, "ge"},
        {CORE_A32, REG_TPIDR_EL0, "tpidrurw"},
        {CORE_A32, REG_TPIDRRO_EL0, "tpidruro"},
        {CORE_A32, REG_TPIDR_EL1, "tpidrprw"},
        {CORE_A32, REG_TPIDR_EL2, "htpidr"},
        {CORE_M, REG_NZCV, "nzcv"},
        {CORE_M, REG_PSTATE, "xpsr"},
        {CORE_M, REG_A32_GE, "ge"},
        {CORE_M, REG_M_OTHER_SP, "the SP not in use"},
        {CORE_M, REG_M_ON_PSP, "control.spsel"},
        {CORE_M, REG_M_HANDLER, "handler mode"},
        {CORE_M, REG_M_FPCA, "control.fpca"},
};

static const char *aarch32_name(enum core_arch arch, unsigned int slot)
{
	const struct register_file *file = &files[arch];

	for (size_t i = 0; i < sizeof(slot_names) / sizeof(slot_names[0]); i++) {
		if (slot_names[i].arch == arch && slot_names[i].slot == slot)
			return slot_names[i].name;
	}
	for (unsigned int i = 0; i < file->count; i++) {
		if (file->table[i].slot == slot)
			return file->table[i].name;
	}
	return NULL;
}

void register_slot_name(enum core_arch arch, unsigned int slot, struct text *out)
{
	const char *name = arch == CORE_A64 ? NULL : aarch32_name(arch, slot);

	if (name)
		text_puts(out, name);
	else if (arch != CORE_A32 || !uop_mode_name(slot, out))
		uop_register_name(slot, out);
}
