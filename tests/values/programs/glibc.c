/* SPDX-License-Identifier: Apache-2.0 */
/* The C library: snprintf, qsort, malloc, strtok, memcpy and the like, linked statically. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

struct person {
	char name[24];
	int age;
	struct person *next;
};

static char line[200];
static char copy[200];
static int numbers[24];

static int by_value(const void *x, const void *y)
{
	return *(const int *)x - *(const int *)y;
}

NOINLINE static struct person *add(struct person *list, const char *name, int age)
{
	struct person *p = malloc(sizeof(*p));

	if (!p)
		return list;
	(void)snprintf(p->name, sizeof(p->name), "%s-%d", name, age);
	p->age = age;
	p->next = list;
	return p;
}

uint32_t program(uint32_t rounds)
{
	static const char *const names[] = {"Ada", "Barbara", "Grace", "Edsger"};
	uint32_t random = 4711;
	uint32_t sum = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		struct person *list = NULL;
		char *save = NULL;

		for (int i = 0; i < 24; i++)
			numbers[i] = (int)(next_random(&random) % 1000);
		qsort(numbers, 24, sizeof(numbers[0]), by_value);
		for (int i = 0; i < 4; i++)
			list = add(list, names[(round + (uint32_t)i) % 4], numbers[i * 5]);
		(void)snprintf(line, sizeof(line), "%d,%x;%s %5.2f|%lu", numbers[3], numbers[9],
		               list->name, numbers[5] / 3.0, (unsigned long)random);
		memcpy(copy, line, strlen(line) + 1);
		for (char *t = strtok_r(copy, ",; |", &save); t; t = strtok_r(NULL, ",; |", &save))
			sum = sum * 7 + (uint32_t)strtol(t, NULL, 16) + (uint32_t)strlen(t);
		memmove(line + 3, line, 90);
		sum += strchr(line, ';') != NULL && strcmp(line, copy) > 0;
		while (list) {
			struct person *next = list->next;

			sum += (uint32_t)list->age;
			free(list);
			list = next;
		}
		memset(copy, (int)round, sizeof(copy));
	}
	return sum;
}
