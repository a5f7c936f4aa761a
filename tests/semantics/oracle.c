/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs opcodes on an AArch64 (qemu user mode) and says what they did. In: cases on stdin, see
 * case.h. Out: results on stdout. Each case has a slot of code that ends in BRK. State goes in and
 * out through the frame of the signal handler: a trap ends a case, its frame is the result, and
 * the same frame with the next case's state in it is what the handler returns to.
 */
#include <asm/sigcontext.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "case.h"

static struct test_case *cases;
static struct test_result *results;
static long case_count;
static long current = -1;
static uint64_t own_tpidr;
static uint64_t *const data = (uint64_t *)DATA_BASE;

static uint64_t swap_tpidr(uint64_t value)
{
	uint64_t old;

	__asm__ volatile("mrs %0, tpidr_el0" : "=r"(old));
	__asm__ volatile("msr tpidr_el0, %0" : : "r"(value));
	return old;
}

/* The record with this magic number; long vectors have theirs in a list further on. */
static void *find_record(ucontext_t *context, uint32_t magic)
{
	char *at = (char *)context->uc_mcontext.__reserved;
	char *more = NULL;

	for (;;) {
		struct _aarch64_ctx head;

		memcpy(&head, at, sizeof(head));
		if (head.magic == magic)
			return at;
		if (head.magic == EXTRA_MAGIC)
			more = (char *)((struct extra_context *)at)->datap;
		if (head.magic != 0 && head.size != 0) {
			at += head.size;
			continue;
		}
		if (!more)
			return NULL;
		at = more;
		more = NULL;
	}
}

static void write_all(const void *from, size_t size)
{
	const char *at = from;

	while (size > 0) {
		ssize_t done = write(1, at, size);

		if (done <= 0)
			_exit(3);
		at += done;
		size -= (size_t)done;
	}
}

/* Notes the words that differ and puts them back. */
static void collect_memory(struct test_result *result)
{
	for (uint64_t word = 0; word < DATA_SIZE / 8; word++) {
		uint64_t value = data[word];

		if (value == case_pattern(word))
			continue;
		if (result->changes < CASE_CHANGES) {
			result->change[result->changes].address = DATA_BASE + 8 * word;
			result->change[result->changes].value = value;
		}
		result->changes++;
		data[word] = case_pattern(word);
	}
}

static void collect(ucontext_t *context, int number, uint64_t tpidr)
{
	mcontext_t *machine = &context->uc_mcontext;
	struct fpsimd_context *vectors = find_record(context, FPSIMD_MAGIC);
	struct sve_context *sve = find_record(context, SVE_MAGIC);
	struct test_result *result = &results[current];

	result->pc = machine->pc;
	result->signal = (uint32_t)number;
	memcpy(result->state.x, machine->regs, sizeof(result->state.x));
	result->state.sp = machine->sp;
	result->state.nzcv = machine->pstate >> 28 & 15;
	result->state.fpsr = vectors->fpsr;
	result->state.tpidr = tpidr;
	memcpy(result->state.v, vectors->vregs, sizeof(result->state.v));
	result->vector_bytes = sve ? sve->vl : 0;
	__asm__("mrs %0, dczid_el0" : "=r"(result->dczid));
	collect_memory(result);
}

/* The low part of each SVE vector is that of the other record; all else is made up. */
static void set_sve(struct sve_context *sve, const struct case_state *state)
{
	unsigned int quads;
	uint8_t *base = (uint8_t *)sve;

	if (!sve || sve->head.size <= sizeof(*sve))
		return;
	quads = sve->vl / 16;
	for (unsigned int v = 0; v < 32; v++) {
		uint8_t *z = base + SVE_SIG_ZREG_OFFSET(quads, v);

		for (unsigned int i = 0; i < quads; i++)
			memcpy(z + 16 * i, &state->v[2 * ((v + i) % 32)], 16);
	}
	for (unsigned int p = 0; p < 16; p++)
		memcpy(base + SVE_SIG_PREG_OFFSET(quads, p), &state->v[p], sve->vl / 8U);
}

static void set_state(ucontext_t *context, const struct case_state *state)
{
	mcontext_t *machine = &context->uc_mcontext;
	struct fpsimd_context *vectors = find_record(context, FPSIMD_MAGIC);

	memcpy(machine->regs, state->x, sizeof(state->x));
	machine->sp = state->sp;
	machine->pstate = state->nzcv << 28;
	vectors->fpsr = (uint32_t)state->fpsr;
	vectors->fpcr = 0;
	memcpy(vectors->vregs, state->v, sizeof(state->v));
	set_sve(find_record(context, SVE_MAGIC), state);
	machine->pc = case_slot((uint64_t)current);
}

static void handler(int number, siginfo_t *info, void *frame)
{
	uint64_t tpidr = swap_tpidr(own_tpidr);

	(void)info;
	if (current >= 0)
		collect(frame, number, tpidr);
	if (++current == case_count) {
		write_all(results, (size_t)case_count * sizeof(*results));
		_exit(0);
	}
	set_state(frame, &cases[current].state);
	(void)swap_tpidr(cases[current].state.tpidr);
}

static void catch_signals(void)
{
	static const int numbers[] = {SIGTRAP, SIGILL, SIGSEGV, SIGBUS, SIGFPE};
	static uint8_t stack[1 << 16] __attribute__((aligned(16)));
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_sigaction = handler,
	                           .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

	sigaltstack(&alternate, NULL);
	for (unsigned int i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}

static void map_at(uint64_t address, size_t size, int protection)
{
	void *at = mmap((void *)address, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
	                -1, 0);

	if (at != (void *)address)
		_exit(4);
}

static void read_cases(void)
{
	size_t room = (size_t)CASE_MOST * sizeof(*cases);
	size_t size = 0;
	ssize_t done;

	cases = malloc(room);
	results = calloc(CASE_MOST, sizeof(*results));
	if (!cases || !results)
		_exit(4);
	while (size < room && (done = read(0, (char *)cases + size, room - size)) > 0)
		size += (size_t)done;
	case_count = (long)(size / sizeof(*cases));
}

int main(void)
{
	uint32_t *code = (uint32_t *)CODE_BASE;

	read_cases();
	map_at(CODE_BASE, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC);
	map_at(DATA_BASE, DATA_SIZE, PROT_READ | PROT_WRITE);
	for (uint64_t word = 0; word < DATA_SIZE / 8; word++)
		data[word] = case_pattern(word);
	for (long i = 0; i < CODE_SIZE / 4; i++)
		code[i] = 0xd4200000; /* BRK */
	for (long i = 0; i < case_count; i++)
		memcpy(code + i * CASE_SLOT / 4, cases[i].opcodes, 4 * cases[i].count);
	__builtin___clear_cache((char *)code, (char *)code + CODE_SIZE);
	own_tpidr = swap_tpidr(0);
	(void)swap_tpidr(own_tpidr);
	catch_signals();
	if (case_count > 0)
		__asm__ volatile("brk #0");
	return 0;
}
