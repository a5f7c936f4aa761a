/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin of qemu user mode that sees what a program does to memory, by comparing all of it after
 * each instruction. It knows nothing of instructions and calls, so that what the kernel writes is
 * seen as well as what SVE does.
 *
 * Arguments: begin=, end= (addresses of the first instruction and of that after the last one),
 * base= (address of the ELF's first segment), elf= (its path), folder= (where the files go). Out:
 * `pcs`, 8 bytes an instruction; `changes`, records of step, address and length, 8 bytes each, then
 * the old bytes and the new; ADDRESS.begin, ADDRESS.end and `ranges`, a line a range of memory.
 *
 * qemu-plugin.h of version 1 need not be installed: what is used of it is declared here.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void tb_callback(uint64_t id, struct qemu_plugin_tb *tb);
typedef void insn_callback(unsigned int cpu, void *data);

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, tb_callback *callback);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, insn_callback *callback,
                                            int flags, void *data);

extern int qemu_plugin_version;
int qemu_plugin_version = 1;

enum {
	RANGES_MOST = 64,
	PAGE = 4096,
	LINE_MOST = 512,
	PATH_MOST = 400,
	ABOUT_ELF = 1 << 26,
	LENGTH_MOST = 1 << 22,
};

#define IS_CALL (UINT64_C(1) << 63) /* beside an address */

struct range {
	uint64_t address; /* of the guest */
	uint64_t length;
	uint8_t *first; /* as it was at the start */
	uint8_t *shadow;
	bool is_there;
	bool was_there;
};

static struct {
	uint64_t begin;
	uint64_t end;
	uint64_t base;
	char elf[PATH_MOST];
	char folder[PATH_MOST];
	bool has_zero;
	const uint8_t *zero; /* where the host has address 0 of the guest */
	struct range ranges[RANGES_MOST];
	size_t range_count;
	FILE *pcs;
	FILE *changes;
	uint64_t steps;
	bool was_call;
	bool is_inside;
	bool is_done;
} recorder;

static FILE *open_file(const char *name, const char *mode)
{
	char path[PATH_MOST + 40];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", recorder.folder, name);
	file = fopen(path, mode);
	if (!file)
		abort();
	return file;
}

/* What is remembered of a part of memory that is now seen as part of another range. */
static void take_over(struct range *to, const struct range *from)
{
	uint64_t first = to->address > from->address ? to->address : from->address;
	uint64_t end = to->address + to->length;

	if (end > from->address + from->length)
		end = from->address + from->length;
	if (!from->was_there || first >= end)
		return;
	memcpy(to->first + (first - to->address), from->first + (first - from->address),
	       end - first);
	memcpy(to->shadow + (first - to->address), from->shadow + (first - from->address),
	       end - first);
}

static void add_range(uint64_t address, uint64_t length)
{
	struct range *r = &recorder.ranges[recorder.range_count];

	for (size_t i = 0; i < recorder.range_count; i++) {
		struct range *old = &recorder.ranges[i];

		if (old->was_there && old->address == address && old->length == length) {
			old->is_there = true;
			return;
		}
	}
	if (recorder.range_count++ == RANGES_MOST)
		abort();
	*r = (struct range){address, length, calloc(length, 1), calloc(length, 1), true, false};
	if (recorder.steps == 0) {
		memcpy(r->first, recorder.zero + address, length);
		memcpy(r->shadow, recorder.zero + address, length);
	}
	for (size_t i = 0; i + 1 < recorder.range_count; i++)
		take_over(r, &recorder.ranges[i]);
}

/* Memory of the program: about its ELF, and where qemu maps and has the stack. */
static bool is_guest(uint64_t address)
{
	return address - recorder.base < ABOUT_ELF || address >> 32 == 0x55 ||
	       (recorder.base < 0x100000 && address < UINT32_MAX);
}

/* One line of /proc/self/maps. What is next to each other is one range. */
static void take_map(const char *line, uint64_t *begin, uint64_t *end)
{
	uint64_t first;
	uint64_t last;
	uint64_t offset;
	char flags[8];
	bool is_code;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64, &first, &last, flags, &offset) !=
	    4)
		return;
	is_code = offset == 0 && strstr(line, recorder.elf);
	if (!recorder.has_zero && is_code)
		recorder.zero = (const uint8_t *)(uintptr_t)(first - recorder.base);
	recorder.has_zero |= is_code;
	first -= (uint64_t)(uintptr_t)recorder.zero;
	last -= (uint64_t)(uintptr_t)recorder.zero;
	if (!recorder.has_zero || is_code || flags[0] != 'r' || !is_guest(first) ||
	    last - first > LENGTH_MOST)
		return;
	if (first != *end) {
		if (*end > *begin)
			add_range(*begin, *end - *begin);
		*begin = first;
	}
	*end = last;
}

static void find_ranges(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[LINE_MOST];
	uint64_t begin = 0;
	uint64_t end = 0;

	for (size_t i = 0; i < recorder.range_count; i++) {
		recorder.ranges[i].was_there = recorder.ranges[i].is_there;
		recorder.ranges[i].is_there = false;
	}
	while (maps && fgets(line, sizeof(line), maps))
		take_map(line, &begin, &end);
	if (end > begin)
		add_range(begin, end - begin);
	if (maps)
		(void)fclose(maps);
}

static void write_change(uint64_t address, const uint8_t *old, const uint8_t *now, uint64_t length)
{
	uint64_t head[3] = {recorder.steps - 1, address, length};

	(void)fwrite(head, sizeof(head), 1, recorder.changes);
	(void)fwrite(old, length, 1, recorder.changes);
	(void)fwrite(now, length, 1, recorder.changes);
}

static void compare_page(struct range *r, uint64_t at)
{
	const uint8_t *now = recorder.zero + r->address;
	uint64_t end = at + PAGE < r->length ? at + PAGE : r->length;

	if (memcmp(now + at, r->shadow + at, end - at) == 0)
		return;
	while (at < end) {
		uint64_t n = 0;

		while (at + n < end && now[at + n] != r->shadow[at + n])
			n++;
		if (n > 0)
			write_change(r->address + at, r->shadow + at, now + at, n);
		memcpy(r->shadow + at, now + at, n);
		at += n + 1;
	}
}

static void compare(void)
{
	for (size_t i = 0; i < recorder.range_count; i++) {
		struct range *r = &recorder.ranges[i];

		for (uint64_t at = 0; r->is_there && at < r->length; at += PAGE)
			compare_page(r, at);
	}
}

static void write_bytes(uint64_t address, const char *when, const uint8_t *bytes, uint64_t length)
{
	char name[40];
	FILE *file;

	(void)snprintf(name, sizeof(name), "%" PRIx64 ".%s", address, when);
	file = open_file(name, "wb");
	(void)fwrite(bytes, length, 1, file);
	(void)fclose(file);
}

static void finish(void)
{
	FILE *list = open_file("ranges", "w");

	for (size_t i = 0; i < recorder.range_count; i++) {
		const struct range *r = &recorder.ranges[i];

		if (!r->is_there)
			continue;
		write_bytes(r->address, "begin", r->first, r->length);
		write_bytes(r->address, "end", r->shadow, r->length);
		(void)fprintf(list,
		              "%" PRIx64 " %" PRIx64 " w %s/%" PRIx64 ".begin %s/%" PRIx64 ".end\n",
		              r->address, r->length, recorder.folder, r->address, recorder.folder,
		              r->address);
	}
	(void)fclose(list);
	(void)fclose(recorder.pcs);
	(void)fclose(recorder.changes);
	recorder.is_done = true;
}

static void execute(unsigned int cpu, void *data)
{
	uint64_t pc = (uint64_t)(uintptr_t)data & ~IS_CALL;

	if (cpu != 0 || recorder.is_done || (!recorder.is_inside && pc != recorder.begin))
		return;
	if (!recorder.is_inside || recorder.was_call)
		find_ranges();
	if (recorder.is_inside)
		compare();
	recorder.is_inside = true;
	recorder.was_call = ((uint64_t)(uintptr_t)data & IS_CALL) != 0;
	recorder.steps++;
	(void)fwrite(&pc, sizeof(pc), 1, recorder.pcs);
	if (pc == recorder.end)
		finish();
}

/* SVC, after which the map of memory may be another. */
static bool is_call(const struct qemu_plugin_insn *insn)
{
	uint32_t opcode = 0;

	memcpy(&opcode, qemu_plugin_insn_data(insn), qemu_plugin_insn_size(insn));
	return opcode == 0xd4000001 || opcode == 0xef000000 || opcode == 0xdf00;
}

static void translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t what = qemu_plugin_insn_vaddr(insn) | (is_call(insn) ? IS_CALL : 0);

		qemu_plugin_register_vcpu_insn_exec_cb(insn, execute, 0, (void *)(uintptr_t)what);
	}
}

static uint64_t take_address(const char *text)
{
	return strtoull(text, NULL, 16);
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		const char *value = strchr(argv[i], '=');

		if (!value)
			return -1;
		value++;
		if (strncmp(argv[i], "begin=", 6) == 0)
			recorder.begin = take_address(value);
		else if (strncmp(argv[i], "end=", 4) == 0)
			recorder.end = take_address(value);
		else if (strncmp(argv[i], "base=", 5) == 0)
			recorder.base = take_address(value);
		else if (strncmp(argv[i], "elf=", 4) == 0)
			(void)snprintf(recorder.elf, sizeof(recorder.elf), "%s", value);
		else if (strncmp(argv[i], "folder=", 7) == 0)
			(void)snprintf(recorder.folder, sizeof(recorder.folder), "%s", value);
	}
	recorder.pcs = open_file("pcs", "wb");
	recorder.changes = open_file("changes", "wb");
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	return 0;
}
