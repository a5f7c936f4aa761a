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

const struct snap_register *register_in_snapshot(const struct register_file *file,
                                                 unsigned int number,
                                                 const struct snap_device *device)
{
	return snap_device_any_register(device, str_of(file->table[number].snapshot_names));
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

void register_slot_name(enum core_arch arch, unsigned int slot, struct text *out)
{
	static const char *const aarch32[] = {"sp", "lr"};

	if (arch == CORE_A32 && slot > 14 && uop_mode_name(slot, out))
		return;
	if (arch == CORE_A64 || slot > 14)
		uop_register_name(slot, out);
	else if (slot < 13)
		text_printf(out, "r%u", slot);
	else
		text_puts(out, aarch32[slot - 13]);
}
