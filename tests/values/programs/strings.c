/* SPDX-License-Identifier: Apache-2.0 */
/* String functions written by hand: search, tokens, reversal, wide copies of unaligned bytes. */
#include "program.h"

static char text[160];
static char words[16][12];
static uint8_t packed[64];

NOINLINE static size_t text_length(const char *s)
{
	const char *end = s;

	while (*end)
		end++;
	return (size_t)(end - s);
}

NOINLINE static char *find(char *s, const char *what)
{
	for (; *s; s++) {
		size_t i = 0;

		while (what[i] && s[i] == what[i])
			i++;
		if (!what[i])
			return s;
	}
	return NULL;
}

NOINLINE static void reverse(char *s)
{
	size_t n = text_length(s);

	for (size_t i = 0; i < n / 2; i++) {
		char c = s[i];

		s[i] = s[n - 1 - i];
		s[n - 1 - i] = c;
	}
}

NOINLINE static unsigned int split(const char *s)
{
	unsigned int count = 0;
	size_t at = 0;

	for (; *s && count < 16; s++) {
		if (*s != ' ' && at < 11) {
			words[count][at++] = *s;
		} else if (*s == ' ') {
			words[count++][at] = 0;
			at = 0;
		}
	}
	return count;
}

/* Fields at odd addresses. */
NOINLINE static uint32_t pack(uint32_t seed)
{
	struct __attribute__((packed)) field {
		uint8_t tag;
		uint32_t value;
		uint16_t check;
		uint64_t wide;
	};
	struct field *f = (struct field *)packed;
	uint64_t sum = 0;

	for (int i = 0; i < 4; i++) {
		f[i].tag = (uint8_t)i;
		f[i].value = seed * 3 + (uint32_t)i;
		f[i].wide = (uint64_t)seed << 30 ^ f[i].value;
		f[i].check = (uint16_t)(f[i].value ^ f[i].wide);
	}
	for (int i = 0; i < 4; i++)
		sum += f[3 - i].wide ^ f[i].check;
	return (uint32_t)sum;
}

uint32_t program(uint32_t rounds)
{
	uint32_t random = 31337;
	uint32_t sum = 0;

	for (uint32_t round = 0; round < rounds; round++) {
		size_t n = 0;

		while (n < 100) {
			uint32_t r = next_random(&random);

			for (uint32_t i = 0; i < 1 + r % 6; i++)
				text[n++] = (char)('a' + (r >> i) % 4);
			text[n++] = ' ';
		}
		text[n] = 0;
		sum += split(text) + pack(sum);
		for (unsigned int i = 0; i < 4; i++) {
			char *found = find(text, words[i + 4]);

			reverse(words[i]);
			if (found)
				sum = sum * 7 + (uint32_t)(found - text);
		}
	}
	return sum;
}
