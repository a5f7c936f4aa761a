/* SPDX-License-Identifier: Apache-2.0 */
/* A bytecode machine: a stack, locals, calls, a jump table. It computes primes and a factorial. */
#include "program.h"

enum op {
	PUSH,
	LOAD,
	STORE,
	ADD,
	SUB,
	MUL,
	MOD,
	LESS,
	JUMP,
	JUMP_IF_ZERO,
	CALL,
	RETURN,
	PUT,
	GET,
	HALT
};

struct machine {
	uint32_t stack[32];
	uint32_t locals[8][4];
	uint8_t returns[8];
	uint32_t memory[64];
	unsigned int sp;
	unsigned int frame;
	uint64_t executed;
};

static struct machine machine;

// clang-format off
static const uint8_t code[] = {
	/* 0: for (n = 2; n < 24; n++) memory[n] = prime(n) */
	PUSH, 2, STORE, 0,
	/* 4 */ LOAD, 0, PUSH, 24, LESS, JUMP_IF_ZERO, 30,
	/* 11 */ LOAD, 0, CALL, 40, LOAD, 0, PUT,
	/* 18 */ LOAD, 0, PUSH, 1, ADD, STORE, 0, JUMP, 4, 0, 0, 0,
	/* 30: */ PUSH, 6, CALL, 80, PUSH, 1, PUT, HALT, 0, 0,
	/* 40: prime(n): local 0 = n, 1 = divisor */
	STORE, 0, PUSH, 2, STORE, 1,
	/* 46 */ LOAD, 1, LOAD, 1, MUL, LOAD, 0, PUSH, 1, ADD, LESS, JUMP_IF_ZERO, 74,
	/* 59 */ LOAD, 0, LOAD, 1, MOD, JUMP_IF_ZERO, 77,
	/* 66 */ LOAD, 1, PUSH, 1, ADD, STORE, 1, 
	/* 73 */ JUMP + 0, 46,
	/* 75 */ 0, 0,
	/* 77 */ PUSH, 0, RETURN,
	/* 80: factorial(n) */
	STORE, 0, LOAD, 0, JUMP_IF_ZERO, 98,
	/* 86 */ LOAD, 0, LOAD, 0, PUSH, 1, SUB, CALL, 80, MUL, RETURN, 0,
	/* 98 */ PUSH, 1, RETURN,
};
// clang-format on

static void push(struct machine *m, uint32_t v)
{
	m->stack[m->sp++ % 32] = v;
}

static uint32_t pop(struct machine *m)
{
	return m->stack[--m->sp % 32];
}

NOINLINE static int execute(struct machine *m, const uint8_t *c, unsigned int pc)
{
	uint32_t a;
	uint32_t b;

	for (;;) {
		m->executed++;
		switch (c[pc]) {
		case PUSH:
			push(m, c[pc + 1]);
			pc += 2;
			break;
		case LOAD:
			push(m, m->locals[m->frame % 8][c[pc + 1] % 4]);
			pc += 2;
			break;
		case STORE:
			m->locals[m->frame % 8][c[pc + 1] % 4] = pop(m);
			pc += 2;
			break;
		case ADD:
			b = pop(m);
			a = pop(m);
			push(m, a + b);
			pc++;
			break;
		case SUB:
			b = pop(m);
			a = pop(m);
			push(m, a - b);
			pc++;
			break;
		case MUL:
			b = pop(m);
			a = pop(m);
			push(m, a * b);
			pc++;
			break;
		case MOD:
			b = pop(m);
			a = pop(m);
			push(m, b ? a % b : 0);
			pc++;
			break;
		case LESS:
			b = pop(m);
			a = pop(m);
			push(m, a < b);
			pc++;
			break;
		case JUMP:
			pc = c[pc + 1];
			break;
		case JUMP_IF_ZERO:
			pc = pop(m) == 0 ? c[pc + 1] : pc + 2;
			break;
		case CALL:
			m->returns[++m->frame % 8] = (uint8_t)(pc + 2);
			pc = c[pc + 1];
			break;
		case RETURN:
			pc = m->returns[m->frame-- % 8];
			break;
		case PUT:
			a = pop(m);
			m->memory[a % 64] = pop(m);
			pc++;
			break;
		case GET:
			a = pop(m);
			push(m, m->memory[a % 64]);
			pc++;
			break;
		default:
			return (int)pc;
		}
		if (pc >= sizeof(code) || m->executed % 3000 == 0)
			return -1;
	}
}

uint32_t program(uint32_t rounds)
{
	uint32_t sum = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		sum += (uint32_t)execute(&machine, code, 0) + machine.memory[5] * 3 +
		       machine.memory[1];
		machine.frame = 0;
	}
	return sum + (uint32_t)machine.executed;
}
