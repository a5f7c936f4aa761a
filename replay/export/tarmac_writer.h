/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A history as Tarmac text, in parts: tarmac_write.c is the writer and what it writes of a text
 * with data, flow_write.c what it writes of trace of program flow. Private to these files.
 */
#ifndef CSREPLAY_REPLAY_EXPORT_TARMAC_WRITER_H
#define CSREPLAY_REPLAY_EXPORT_TARMAC_WRITER_H

#include "arch/isa.h"
#include "replay/export/export.h"
#include "replay/export/line_write.h"
#include "replay/tarmac/tarmac.h"

struct tarmac_writer {
	const struct history *history;
	const struct line_style *style;
	struct line_writer lines;
	uint64_t position; /* of the next instruction */
	uint64_t end;      /* after the last instruction to write */
	bool has_begun;
	struct effects_reader *effects; /* of a text with data: */
	bool is_initial;                /* its lines before the first instruction are next */
	struct effects group;           /* lines of the next instruction, or these */
	bool has_group;
	size_t written; /* of the lines of the group */
	/* Of trace of program flow: */
	struct disasm *disasm;
	struct text disassembly; /* of the instruction at hand */
	struct text name;        /* of the exception at hand */
	bool has_time;
	enum mark time;
	struct pe_context context;
	bool has_context;
	size_t next_event;
	size_t next_gap;
};

/* flow_write.c: the exception is that of the vector, and called so. */
void flow_set_vector(struct tarmac_exception *exception, enum core_arch arch, int64_t vector);

/* flow_write.c: the instruction at the writer's position. */
void flow_instruction(struct tarmac_writer *w, const struct instruction *insn);

/* flow_write.c: where a branch that was taken leads to: what its opcode says, or where execution
 * goes on. */
void flow_branch(struct tarmac_writer *w, const struct instruction *insn);

/*
 * flow_write.c: what stands between instructions up to before instruction `position`, in the
 * trace's order; if not is_written it is passed over.
 */
void flow_between(struct tarmac_writer *w, uint64_t position, bool is_written);

#endif
