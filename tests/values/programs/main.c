/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the recorded part: the argument is how many rounds. */
#include <stdlib.h>

#include "program.h"

static volatile uint32_t answer;

NOINLINE void finished(uint32_t result)
{
	answer = result;
}

/* The heap has room before the recording begins, so that it need not be grown in it. */
static void make_room(void)
{
	void *room[40];

	for (unsigned int i = 0; i < 40; i++)
		room[i] = malloc(2000);
	for (unsigned int i = 0; i < 40; i++)
		free(room[i]);
}

int main(int argc, char **argv)
{
	make_room();
	finished(program(argc > 1 ? (uint32_t)atoi(argv[1]) : 3));
	return 0;
}
