/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window: instructions of a history in SSA form. In: a history and the positions from <= p < to.
 * Out: steps, the nodes that they define and read, who uses a node.
 *
 * A step is a dynamic instruction, one that was executed, or a control event between two of them
 * (replay/values/ssa/control_event.h). Trace has no loops left, so that a register between two
 * writes of it is one SSA value: a node. There are no phi functions. A step has an instruction
 * template: the micro-operations, shared by all executions of the same address. A step's nodes are
 * its temporaries, then its definitions if one of them is a constant or it kills registers, then
 * REG_COUNT more if it does; nodes below REG_COUNT are the registers at `from`. Which nodes a step
 * reads is in `reads`, in the order of template.regs. Invariants:
 *   - nodes, reads and accesses of the steps lie in order of the steps, steps[step_count] ends;
 *   - a node's users are its step and all in which an operation or an access reads it, each at
 *     least once; a branch is looked at once, at the start.
 */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_WINDOW_H
#define CSREPLAY_REPLAY_VALUES_SSA_WINDOW_H

#include "base/arena.h"
#include "replay/history/history.h"
#include "replay/values/ssa/template_op.h"

enum {
	WINDOW_CHECKPOINT = 256, /* steps between two tables of registers */
	READ_NONE = 0xff,

	STEP_BLOCK = 16, /* steps that are numbered from the same first one */
	STEP_NODE_BITS = 12,
	STEP_READ_BITS = 11,
	STEP_ACCESS_BITS = 8,

	USER_BLOCK = 8, /* nodes whose users are found from the same first one */
};

/* What the trace says of an instruction under a condition. */
enum template_outcome {
	OUTCOME_UNKNOWN,
	OUTCOME_PASSED,
	OUTCOME_FAILED,
};

#define USER_LAST UINT32_C(0x80000000)
#define USER_NONE UINT32_C(0x7fffffff)

/* After the step the register is a node of the step, or what another register was before it. */
struct template_def {
	uint8_t reg;
	bool is_copy;
	uint16_t from; /* the node's number in the step, or the register */
};

struct template
{
	const struct uop_insn *insn;
	struct template_ops ops;
	const struct template_def *defs;
	uint16_t node_count;  /* of a step */
	uint16_t killed_node; /* the first of REG_COUNT in the step, if it kills registers */
	uint8_t access_count; /* of a step */
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
	bool sets_endian;         /* data before it may be of another byte order */
	bool is_big_endian;       /* and after it is, where sets_endian */
	uint8_t reg_count;
	uint8_t user_count;         /* of `regs`: those after are of the branch alone */
	uint8_t regs[REG_COUNT];    /* that it reads */
	uint8_t read_of[REG_COUNT]; /* index in `regs`, or READ_NONE */
};

/* Numbers are less those of the block's first step. */
struct step {
	uint32_t template;
	uint32_t numbers; /* node, read, access; from bit 0 up */
};

/* What the first of STEP_BLOCK steps has before it. */
struct step_block {
	uint32_t node;
	uint32_t read;
	uint32_t access;
};

/* The first node and read of a step, and the number of accesses before it. */
struct step_numbers {
	uint32_t node;
	uint32_t read;
	uint32_t access;
};

/* A step that is no instruction: before instruction `position`. */
struct inserted {
	uint64_t position;
	uint32_t step;
};

struct window_options {
	uint64_t from;
	uint64_t to;
	/* An interrupt whose handler is not traced leaves the registers alone. */
	bool handler_preserves;
};

struct window {
	const struct history *history;
	struct window_options options;
	struct arena arena;
	const struct template **templates;
	size_t template_count;
	size_t template_capacity;
	struct step *steps; /* and one more */
	size_t step_count;
	size_t step_capacity;
	struct inserted *inserted;
	size_t inserted_count;
	size_t inserted_capacity;
	struct step_block *step_blocks;
	uint32_t *reads;
	/* Steps; USER_LAST ends a node's, USER_NONE stands for none. They lie in order of nodes. */
	uint32_t *users;
	uint32_t *user_blocks; /* the first one of each USER_BLOCK nodes */
	uint32_t node_count;
	uint32_t read_count;
	uint32_t access_count;
	uint32_t (*checkpoints)[REG_COUNT]; /* registers before every WINDOW_CHECKPOINTth step */
	uint32_t after[REG_COUNT];          /* registers after the last step */
	size_t little_endian_from;          /* step; data before it may be big endian */
	uint64_t end_pc;                    /* where the last instruction leads to, as traced */
	uint64_t end_untraced;              /* low bits that trace does not have of it */
	bool has_end_pc;
	enum isa end_isa; /* that the state at the halt is of; ISA_UNKNOWN: not said */
};

/* NO_MEM; UNSUPPORTED if the window has too many steps. window_fini() in any case. */
MUST_USE enum status window_init(struct window *w, const struct history *history,
                                 const struct window_options *options);
void window_fini(struct window *w);

/* The step that the state at a position from <= p <= to is before. */
size_t window_step_of(const struct window *w, uint64_t position);
/* The position of a step. */
uint64_t window_position_of(const struct window *w, size_t step);
/* Node of a register before a step; step == step_count is the end. */
uint32_t window_node_of(const struct window *w, size_t step, unsigned int reg);
/*
 * The nodes of all registers before a step. `from` is SIZE_MAX, or a step of which `now` holds
 * those already.
 */
void window_nodes_at(const struct window *w, size_t step, uint32_t now[REG_COUNT], size_t from);
/* The step that makes a node; 0 for those of the window's start. */
size_t window_maker_of(const struct window *w, uint32_t node);
/* Where execution went from a step; false if the window does not say. */
bool window_next_pc(const struct window *w, size_t step, uint64_t *pc);
/* Which bits of it are known: of a halt PC those that trace can carry. */
uint64_t window_next_pc_bits(const struct window *w, size_t step);
/* The instruction set that the next step is of, or ISA_UNKNOWN. */
enum isa window_next_isa(const struct window *w, size_t step);

static inline struct step_numbers window_step(const struct window *w, size_t step)
{
	const struct step_block *block = &w->step_blocks[step / STEP_BLOCK];
	uint32_t numbers = w->steps[step].numbers;

	return (struct step_numbers){
	        block->node + (numbers & ((1u << STEP_NODE_BITS) - 1)),
	        block->read + (numbers >> STEP_NODE_BITS & ((1u << STEP_READ_BITS) - 1)),
	        block->access + (numbers >> (STEP_NODE_BITS + STEP_READ_BITS)),
	};
}

/* Number of accesses before a step. */
static inline uint32_t window_access(const struct window *w, size_t step)
{
	return w->step_blocks[step / STEP_BLOCK].access +
	       (w->steps[step].numbers >> (STEP_NODE_BITS + STEP_READ_BITS));
}

/* The first of a node's users. */
static inline const uint32_t *window_users(const struct window *w, uint32_t node)
{
	const uint32_t *user = &w->users[w->user_blocks[node / USER_BLOCK]];

	for (uint32_t before = node % USER_BLOCK; before > 0; user++)
		before -= *user >> 31;
	return user;
}

static inline const struct template *window_template(const struct window *w, size_t step)
{
	return w->templates[w->steps[step].template];
}

#endif
