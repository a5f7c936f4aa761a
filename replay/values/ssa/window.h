/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window: instructions of a history in SSA form. In: a history and the positions from <= p < to.
 * Out: dynamic instructions, the SSA values that they define and read, who uses an SSA value.
 *
 * A dynamic instruction is one that was executed, or a control event between two of them
 * (replay/values/ssa/control_event.h). Trace has no loops left, so that a register between two
 * writes of it is one SSA value. There are no phi functions. A dynamic instruction has an
 * instruction template: the micro-operations, shared by all executions of the same address. A
 * dynamic instruction's SSA values are its temporaries, then its definitions if one of them is a
 * constant or it kills registers, then REG_COUNT more if it does; SSA values below REG_COUNT are
 * the registers at `from`. Which SSA values a dynamic instruction reads is in `reads`, in the order
 * of template.regs. Invariants:
 *   - SSA values, reads and accesses of the dynamic instructions lie in order of the dynamic
 *     instructions, dyns[dyn_count] ends;
 *   - an SSA value's users are its dynamic instruction and all in which an operation or an access
 *     reads it, each at least once; a branch is looked at once, at the start.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_WINDOW_H
#define CSREPLAY_REPLAY_VALUES_SSA_WINDOW_H

#include "base/arena.h"
#include "replay/history/history.h"
#include "replay/values/ssa/template_op.h"

enum {
	WINDOW_CHECKPOINT = 256, /* dynamic instructions between two tables of registers */
	READ_NONE = 0xff,

	DYN_BLOCK = 16, /* dynamic instructions that are numbered from the same first one */
	DYN_SSA_BITS = 13,
	DYN_READ_BITS = 11,
	DYN_ACCESS_BITS = 8,

	USER_BLOCK = 8,   /* SSA values whose users are found from the same first one */
	MAKER_BLOCK = 64, /* SSA values whose makers are searched between the same two */
};

/* What the trace says of an instruction under a condition. */
enum template_outcome {
	OUTCOME_UNKNOWN,
	OUTCOME_PASSED,
	OUTCOME_FAILED,
};

#define USER_LAST UINT32_C(0x80000000)
#define USER_NONE UINT32_C(0x7fffffff)

/*
 * After the dynamic instruction the register is an SSA value of the dynamic instruction, or what
 * another register was before it.
 */
struct template_def {
	uint8_t reg;
	bool is_copy;
	uint16_t from; /* the SSA value's number in the dynamic instruction, or the register */
};

struct template
{
	const struct uop_insn *insn;
	struct template_ops ops;
	const struct template_def *defs;
	uint16_t ssa_count;   /* of a dynamic instruction */
	uint16_t killed_ssa;  /* the first of REG_COUNT in the dynamic instruction, if it kills
	                         registers */
	uint8_t access_count; /* of a dynamic instruction */
	uint8_t def_count;
	bool kills_registers;
	bool has_copies;
	bool defines_constant;
	uint64_t address;
	uint32_t opcode;
	uint8_t isa;     /* enum isa */
	uint8_t size;    /* bytes of the instruction */
	uint8_t it;      /* T32: its condition by an IT (arch/it_block.h) */
	uint8_t outcome; /* enum template_outcome */
	uint32_t view;   /* that it was fetched from (snapshot/memmap.h) */
	bool is_code;    /* an instruction; else what lies between two */
	/* Not an instruction, but the one before it led to `address`, in the same set. */
	bool leads_on;
	bool kills_memory;        /* no memory is linked over it */
	bool changes_translation; /* memory before it is another address space */
	bool maintains_icache;    /* code may be other than what it was */
	uint8_t byte_order;       /* enum data_order: what it makes of that of data */
	uint8_t reg_count;
	uint8_t user_count;         /* of `regs`: those after are of the branch alone */
	uint8_t regs[REG_COUNT];    /* that it reads */
	uint8_t read_of[REG_COUNT]; /* index in `regs`, or READ_NONE */
};

/* Numbers are less those of the block's first dynamic instruction. */
struct dyn_insn {
	uint32_t template;
	uint32_t numbers; /* SSA value, read, access; from bit 0 up */
};

/* What the first of DYN_BLOCK dynamic instructions has before it. */
struct dyn_block {
	uint32_t ssa;
	uint32_t read;
	uint32_t access;
};

/* The first SSA value and read of a dynamic instruction, and the number of accesses before it. */
struct dyn_numbers {
	uint32_t ssa;
	uint32_t read;
	uint32_t access;
};

/* Where an operating system that is not traced goes on upon an exception from a program. */
enum diversion_kind {
	DIVERSION_NONE,      /* at what was interrupted, or that is not known */
	DIVERSION_ELSEWHERE, /* in a handler of a signal, or in another thread */
	DIVERSION_SIGNAL,    /* the same, after a fault or a call that sends a signal */
	DIVERSION_SIGRETURN, /* where such a handler asks it to */
};

struct diversion {
	uint64_t interrupted; /* of ELSEWHERE and SIGNAL: the preferred return address */
	uint8_t exception;    /* the same: enum exception_kind */
	uint8_t kind;         /* enum diversion_kind */
};

/* One that is no instruction but a control event: before instruction `position`. */
struct inserted {
	uint64_t position;
	struct diversion diversion;
	uint32_t dyn;
	/*
	 * A64: the SPSR by which an exception returned, of which what ran then shows that it put
	 * the level's own SP in use; else SLOT_NONE.
	 */
	uint8_t own_sp;
};

struct window_options {
	uint64_t from;
	uint64_t to;
	/* An interrupt whose handler is not traced leaves the registers alone. */
	bool handler_preserves;
	/* EL0 that is not traced has written no memory of a kernel: el0_stay.h. */
	bool kernel_private;
	struct interrupt *interrupt; /* or NULL */
};

struct window {
	const struct history *history;
	struct window_options options;
	struct arena arena;
	const struct template **templates;
	size_t template_count;
	size_t template_capacity;
	struct dyn_insn *dyns; /* and one more */
	size_t dyn_count;
	size_t dyn_capacity;
	struct inserted *inserted;
	size_t inserted_count;
	size_t inserted_capacity;
	struct dyn_block *dyn_blocks;
	uint32_t *reads;
	/*
	 * Dynamic instructions; USER_LAST ends an SSA value's, USER_NONE stands for none. They lie
	 * in order of SSA values.
	 */
	uint32_t *users;
	uint32_t *user_blocks; /* the first one of each USER_BLOCK SSA values */
	uint32_t *makers;      /* of each first of MAKER_BLOCK SSA values, and of the last one */
	uint32_t ssa_count;
	uint32_t read_count;
	uint32_t access_count;
	uint32_t (*checkpoints)[REG_COUNT]; /* registers before every WINDOW_CHECKPOINTth dynamic
	                                       instruction */
	uint32_t after[REG_COUNT];          /* registers after the last dynamic instruction */
	size_t little_endian_from; /* dynamic instruction; data before it may be big endian; 0:
	                              nothing in the window says so */
	uint64_t end_pc;           /* where the last instruction leads to, as traced */
	uint64_t end_untraced;     /* low bits that trace does not have of it */
	bool has_end_pc;
	enum isa end_isa; /* that the state at the halt is of; ISA_UNKNOWN: not said */
};

/*
 * NO_MEM; INTERRUPTED; UNSUPPORTED if the window has too many dynamic instructions. window_fini()
 * in any case.
 */
MUST_USE enum status window_init(struct window *w, const struct history *history,
                                 const struct window_options *options);
void window_fini(struct window *w);

/* The dynamic instruction that the state at a position from <= p <= to is before. */
size_t window_dyn_of(const struct window *w, uint64_t position);
/* The position of a dynamic instruction. */
uint64_t window_position_of(const struct window *w, size_t dyn);
/* The instruction that it is, or after which it lies: a control event belongs to the one before. */
uint64_t window_instruction_of(const struct window *w, size_t dyn);
/*
 * SSA value of a register before a dynamic instruction; dynamic instruction == dyn_count is the
 * end.
 */
uint32_t window_ssa_of(const struct window *w, size_t dyn, unsigned int reg);
/*
 * The SSA values of all registers before a dynamic instruction. `from` is SIZE_MAX, or a dynamic
 * instruction of which `now` holds those already.
 */
void window_ssa_at(const struct window *w, size_t dyn, uint32_t now[REG_COUNT], size_t from);
/* The dynamic instruction that makes an SSA value; 0 for those of the window's start. */
size_t window_maker_of(const struct window *w, uint32_t ssa);
/*
 * The micro-operation that makes an SSA value, one of the dynamic instruction `*dyn`; NULL if none
 * does, as of those of the window's start and of what kills.
 */
const struct uop *window_uop_of(const struct window *w, uint32_t ssa, size_t *dyn);
/* Where execution went from a dynamic instruction; false if the window does not say. */
bool window_next_pc(const struct window *w, size_t dyn, uint64_t *pc);
/* An instruction ran there, within the window. */
bool window_next_ran(const struct window *w, size_t dyn);
/* Which bits of it are known: of a halt PC those that trace can carry. */
uint64_t window_next_pc_bits(const struct window *w, size_t dyn);
/* The instruction set that the next dynamic instruction is of, or ISA_UNKNOWN. */
enum isa window_next_isa(const struct window *w, size_t dyn);

static inline struct dyn_numbers window_dyn(const struct window *w, size_t dyn)
{
	const struct dyn_block *block = &w->dyn_blocks[dyn / DYN_BLOCK];
	uint32_t numbers = w->dyns[dyn].numbers;

	return (struct dyn_numbers){
	        block->ssa + (numbers & ((1u << DYN_SSA_BITS) - 1)),
	        block->read + (numbers >> DYN_SSA_BITS & ((1u << DYN_READ_BITS) - 1)),
	        block->access + (numbers >> (DYN_SSA_BITS + DYN_READ_BITS)),
	};
}

/* Number of accesses before a dynamic instruction. */
static inline uint32_t window_access(const struct window *w, size_t dyn)
{
	return w->dyn_blocks[dyn / DYN_BLOCK].access +
	       (w->dyns[dyn].numbers >> (DYN_SSA_BITS + DYN_READ_BITS));
}

/* The first of an SSA value's users. */
static inline const uint32_t *window_users(const struct window *w, uint32_t ssa)
{
	const uint32_t *user = &w->users[w->user_blocks[ssa / USER_BLOCK]];

	for (uint32_t before = ssa % USER_BLOCK; before > 0; user++)
		before -= *user >> 31;
	return user;
}

static inline const struct template *window_template(const struct window *w, size_t dyn)
{
	return w->templates[w->dyns[dyn].template];
}

#endif
