/* SPDX-License-Identifier: Apache-2.0 */
/* ETMv4 packets as text; see etm4_script.h. */
#include "tests/synth/etm4_script.h"

#include <stddef.h>

#include "tests/synth/etm4_emit.h"

enum { MOST_NUMBERS = 9 };

#define context_of(c)                                                                              \
	((struct emit_context){.level = (unsigned int)(c)[0],                                      \
	                       .is_64bit = (c)[1] != 0,                                            \
	                       .non_secure = (c)[2] != 0,                                          \
	                       .vmid_size = (unsigned int)(c)[3],                                  \
	                       .vmid = (uint32_t)(c)[4],                                           \
	                       .context_id_size = (unsigned int)(c)[5],                            \
	                       .context_id = (uint32_t)(c)[6]})
#define u(i) ((unsigned int)a[i])

#define X(name, fewest, most, call)                                                                \
	static void put_##name(struct buf *out, const uint64_t *a)                                 \
	{                                                                                          \
		(void)a;                                                                           \
		call;                                                                              \
	}
#include "tests/synth/etm4_script.def"
#undef X

static const struct {
	struct str name;
	unsigned int fewest;
	unsigned int most;
	void (*put)(struct buf *out, const uint64_t *a);
} packets[] = {
#define X(name, fewest, most, call) {{#name, sizeof(#name) - 1}, fewest, most, put_##name},
#include "tests/synth/etm4_script.def"
#undef X
};

enum status etm4_script_line(struct buf *out, struct str line)
{
	uint64_t numbers[MOST_NUMBERS] = {0};
	unsigned int count = 0;
	struct str rest = str_trim(line);
	struct str name = str_next_part(&rest, ' ');

	if (name.n == 0 || name.p[0] == '#')
		return STATUS_OK;
	while (rest.p) {
		struct str word = str_next_part(&rest, ' ');

		if (word.n == 0)
			continue;
		if (count == MOST_NUMBERS)
			return STATUS_USAGE;
		TRY(str_to_u64(word, &numbers[count++]));
	}
	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		if (!str_eq(packets[i].name, name))
			continue;
		if (count < packets[i].fewest || count > packets[i].most)
			return STATUS_USAGE;
		packets[i].put(out, numbers);
		return STATUS_OK;
	}
	return STATUS_NOT_FOUND;
}
