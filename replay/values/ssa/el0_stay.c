/* SPDX-License-Identifier: Apache-2.0 */
/* Stays at EL0 in gaps; see el0_stay.h. */
#include "replay/values/ssa/el0_stay.h"

#include "arch/isa.h"

enum el0_phase el0_stay_begin(const struct pe_context *before, bool is_return)
{
	if (!before->is_64bit)
		return EL0_NOT;
	if (before->level == EL_1 && is_return)
		return EL0_RETURNING;
	return before->level == EL_0 && !is_return ? EL0_INSIDE : EL0_NOT;
}

static enum el0_phase pass_context(enum el0_phase phase, const struct pe_context *context)
{
	if (!context->is_64bit)
		return EL0_NOT;
	if (phase == EL0_RETURNING || phase == EL0_INSIDE)
		return context->level == EL_0 ? EL0_INSIDE : EL0_NOT;
	return context->level == EL_1 ? EL0_ENTERED : EL0_NOT;
}

/* In debug state a debugger writes any register, and after a reset they are what they are. */
static bool is_taken_to_handler(const struct element *e)
{
	enum exception_kind kind = exception_kind_of(e->exception.info);

	return kind != EXCEPTION_DEBUG && kind != EXCEPTION_RESET && !e->exception.cancels_last &&
	       !e->exception.is_data_marker;
}

/* Of whatever else there may be nothing says that it leaves the level and the trace as they are. */
static bool is_neutral(const struct element *e)
{
	return e->type == ELEMENT_TIMESTAMP || e->type == ELEMENT_CYCLE_COUNT ||
	       e->type == ELEMENT_EVENT;
}

enum el0_phase el0_stay_off(enum el0_phase phase, bool is_assumed)
{
	return phase == EL0_RETURNING && is_assumed ? EL0_UNSEEN : EL0_NOT;
}

/* The trace begins again, and says at which level. */
static enum el0_phase pass_unseen(const struct element *e)
{
	if (e->type == ELEMENT_TRACE_ON)
		return EL0_UNSEEN;
	return e->type == ELEMENT_PE_CONTEXT && e->context.is_64bit && e->context.level == EL_1
	               ? EL0_BACK
	               : EL0_NOT;
}

enum el0_phase el0_stay_pass(enum el0_phase phase, const struct element *e)
{
	if (phase == EL0_NOT || is_neutral(e))
		return phase;
	if (phase == EL0_UNSEEN)
		return pass_unseen(e);
	if (phase == EL0_BACK)
		return EL0_NOT;
	if (e->type == ELEMENT_PE_CONTEXT)
		return pass_context(phase, &e->context);
	if (phase == EL0_INSIDE && e->type == ELEMENT_ADDR_NACC)
		return EL0_INSIDE;
	if (phase == EL0_INSIDE && e->type == ELEMENT_EXCEPTION && is_taken_to_handler(e))
		return EL0_LEFT;
	return EL0_NOT;
}
