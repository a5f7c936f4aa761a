/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs opcodes on an Arm core (qemu user mode) and says what they did. In: cases on stdin, see
 * case.h. Out: results on stdout. Each case has a slot of code that ends in traps. State goes in
 * and out through the frame of the signal handler: a trap ends a case, its frame is the result, and
 * the same frame with the next case's state in it is what the handler returns to.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "case.h"
#ifdef __aarch64__
#include "oracle_a64.h"
#else
#include "oracle_a32.h"
#endif

/*
 * One of each at a time: a case may store anywhere, and what takes much of 32 bits is hit soon. So
 * the cases are read twice, from a file.
 */
static struct test_case test;
static struct test_result result;
static long current = -1;
static uint64_t own_tpidr;
static uint64_t *const data = (uint64_t *)DATA_BASE;

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
static void collect_memory(void)
{
	for (uint64_t word = 0; word < DATA_SIZE / 8; word++) {
		uint64_t value = data[word];

		if (value == case_pattern(word))
			continue;
		if (result.changes < CASE_CHANGES) {
			result.change[result.changes].address = DATA_BASE + 8 * word;
			result.change[result.changes].value = value;
		}
		result.changes++;
		data[word] = case_pattern(word);
	}
}

static void collect(ucontext_t *context, int number, uint64_t tpidr)
{
	memset(&result, 0, sizeof(result));
	collect_state(context, &result);
	result.signal = (uint32_t)number;
	result.state.tpidr = tpidr;
	collect_memory();
	write_all(&result, sizeof(result));
}

/* Reads the next case; false after the last one. */
static bool next_case(void)
{
	size_t size = 0;
	ssize_t done;

	while (size < sizeof(test) &&
	       (done = read(0, (char *)&test + size, sizeof(test) - size)) > 0)
		size += (size_t)done;
	if (size < sizeof(test))
		return false;
	current++;
	return true;
}

static void handler(int number, siginfo_t *info, void *frame)
{
	uint64_t tpidr = swap_tpidr(own_tpidr);

	(void)info;
	if (current >= 0)
		collect(frame, number, tpidr);
	if (!next_case())
		_exit(0);
	set_state(frame, &test, case_slot((uint64_t)current));
	(void)swap_tpidr(test.state.tpidr);
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
	void *at = mmap((void *)(uintptr_t)address, size, protection,
	                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (at != (void *)(uintptr_t)address)
		_exit(4);
}

/* The opcodes of a case and the traps after them. */
static void place_code(void)
{
	uint8_t *at = (uint8_t *)CODE_BASE + current * CASE_SLOT;
	uint32_t size;

	for (unsigned int i = 0; i < CASE_SLOT; i += 4) {
		uint32_t trap = trap_of(&test, i);

		memcpy(at + i, &trap, 4);
	}
	for (uint32_t i = 0; i < test.count; i++, at += size) {
		uint32_t opcode = test.opcodes[i];

		size = opcode_size(&test, opcode);
		if (test.isa == CASE_T32 && size == 4)
			opcode = opcode << 16 | opcode >> 16;
		memcpy(at, &opcode, size);
	}
}

int main(void)
{
	map_at(CODE_BASE, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC);
	map_at(DATA_BASE, DATA_SIZE, PROT_READ | PROT_WRITE);
	for (uint64_t word = 0; word < DATA_SIZE / 8; word++)
		data[word] = case_pattern(word);
	while (current < CASE_MOST - 1 && next_case())
		place_code();
	if (lseek(0, 0, SEEK_SET) != 0)
		return 3;
	current = -1;
	mprotect((void *)CODE_BASE, CODE_SIZE, PROT_READ | PROT_EXEC);
	__builtin___clear_cache((char *)CODE_BASE, (char *)CODE_BASE + CODE_SIZE);
	own_tpidr = swap_tpidr(0);
	(void)swap_tpidr(own_tpidr);
	catch_signals();
	first_trap();
	return 0;
}
