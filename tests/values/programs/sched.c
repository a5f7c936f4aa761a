/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks with stacks of their own that a scheduler switches between, talking through queues. */
#include "program.h"

enum { TASKS = 3, STACK_WORDS = 128, QUEUE = 8 };

struct context {
	void *sp;
};

struct queue {
	uint32_t items[QUEUE];
	uint8_t head;
	uint8_t count;
};

/* Saves what a call preserves on this stack, goes on with another one. */
void switch_context(struct context *from, struct context *to);
void first_entry(void);

#ifdef __aarch64__
enum { SAVED = 12 };
__asm__(".text\n.align 2\n.global switch_context\n.type switch_context, "
        "%function\nswitch_context:\n"
        "stp x29, x30, [sp, #-96]!\nstp x19, x20, [sp, #16]\nstp x21, x22, [sp, #32]\n"
        "stp x23, x24, [sp, #48]\nstp x25, x26, [sp, #64]\nstp x27, x28, [sp, #80]\n"
        "mov x9, sp\nstr x9, [x0]\nldr x9, [x1]\nmov sp, x9\n"
        "ldp x19, x20, [sp, #16]\nldp x21, x22, [sp, #32]\nldp x23, x24, [sp, #48]\n"
        "ldp x25, x26, [sp, #64]\nldp x27, x28, [sp, #80]\nldp x29, x30, [sp], #96\nret\n"
        ".global first_entry\n.type first_entry, %function\nfirst_entry:\nmov x0, x20\nblr x19\n");
#else
enum { SAVED = 9 };
__asm__(".text\n.align 2\n.syntax unified\n.global switch_context\n.type switch_context, "
        "%function\n"
#ifdef __thumb__
        ".thumb\n.thumb_func\n"
#else
        ".arm\n"
#endif
        "switch_context:\n"
        "push {r4-r11, lr}\nstr sp, [r0]\nldr sp, [r1]\npop {r4-r11, pc}\n"
        ".global first_entry\n.type first_entry, %function\n"
#ifdef __thumb__
        ".thumb_func\n"
#endif
        "first_entry:\nmov r0, r5\nblx r4\n");
#endif

static uint64_t stacks[TASKS][STACK_WORDS];
static struct context contexts[TASKS + 1];
static struct queue queues[2];
static unsigned int current;
static uint32_t done[TASKS];
static uint32_t goal;

NOINLINE static void yield(void)
{
	switch_context(&contexts[current], &contexts[TASKS]);
}

NOINLINE static int put(struct queue *q, uint32_t item)
{
	if (q->count == QUEUE)
		return 0;
	q->items[(q->head + q->count++) % QUEUE] = item;
	return 1;
}

NOINLINE static int get(struct queue *q, uint32_t *item)
{
	if (q->count == 0)
		return 0;
	*item = q->items[q->head];
	q->head = (uint8_t)((q->head + 1) % QUEUE);
	q->count--;
	return 1;
}

static void produce(void *argument)
{
	uint32_t random = 123456789u + (uint32_t)(uintptr_t)argument;

	for (;;) {
		uint32_t item = next_random(&random);

		while (!put(&queues[0], item))
			yield();
		done[0]++;
		if (item % 3 == 0)
			yield();
	}
}

static void work(void *argument)
{
	uint32_t state = (uint32_t)(uintptr_t)argument;

	for (;;) {
		uint32_t item;

		while (!get(&queues[0], &item))
			yield();
		for (uint32_t i = 0; i < item % 7; i++)
			state = state * 69069u + (item >> i);
		done[1]++;
		while (!put(&queues[1], state ^ item))
			yield();
	}
}

static void consume(void *argument)
{
	uint32_t *sum = argument;
	uint32_t item;

	for (;;) {
		if (get(&queues[1], &item)) {
			*sum = (*sum << 1 | *sum >> 31) + item;
			done[2]++;
		} else {
			yield();
		}
	}
}

static void prepare(unsigned int task, void (*entry)(void *), void *argument)
{
	uintptr_t *sp = (uintptr_t *)&stacks[task][STACK_WORDS] - SAVED;

	for (unsigned int i = 0; i < SAVED; i++)
		sp[i] = 0;
#ifdef __aarch64__
	sp[1] = (uintptr_t)first_entry;
	sp[2] = (uintptr_t)entry;
	sp[3] = (uintptr_t)argument;
#else
	sp[8] = (uintptr_t)first_entry;
	sp[0] = (uintptr_t)entry;
	sp[1] = (uintptr_t)argument;
#endif
	contexts[task].sp = sp;
}

uint32_t program(uint32_t rounds)
{
	static uint32_t sum;

	goal = rounds * 10;
	prepare(0, produce, (void *)7);
	prepare(1, work, (void *)99);
	prepare(2, consume, &sum);
	while (done[2] < goal) {
		current = (current + 1) % TASKS;
		switch_context(&contexts[TASKS], &contexts[current]);
	}
	return sum + done[0];
}
