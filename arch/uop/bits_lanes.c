/* SPDX-License-Identifier: Apache-2.0 */
/* Known bits through operations on each lane of a vector; see bits.h. */
#include "arch/uop/bits.h"

/* The lane number `i` as the low bits of a value. */
static struct bits lane_of(const struct bits *vector, unsigned int i, unsigned int size)
{
	uint64_t mask = bits_mask(size);

	return (struct bits){vector->value >> (i * size) & mask,
	                     vector->known >> (i * size) & mask};
}

static bool learn_lane(struct bits *vector, const struct bits *lane, unsigned int i,
                       unsigned int size)
{
	uint64_t mask = bits_mask(size);

	return bits_learn(vector, (lane->value & mask) << (i * size),
	                  (lane->known & mask) << (i * size));
}

/* All bits of the lane are the one bit of `all`, and the other way round. */
static bool spread(struct bits *lane, struct bits *all, unsigned int size)
{
	uint64_t mask = bits_mask(size);

	if ((lane->known & mask) != 0 && !bits_learn(all, (lane->value & mask) != 0, 1))
		return false;
	return (all->known & 1) == 0 || bits_learn(lane, (all->value & 1) != 0 ? mask : 0, mask);
}

/* `holds` is the condition of x - y. */
static bool compare(struct bits *holds, struct bits *x, struct bits *y,
                    const struct bits_lanes *lanes)
{
	struct bits carry = bits_of(1);
	struct bits flags = {0, 0};
	struct bits_sum difference = {x, y, &carry, true};

	return bits_condition(holds, &flags, lanes->condition) &&
	       bits_add_flags(&flags, &difference, lanes->size) &&
	       bits_condition(holds, &flags, lanes->condition);
}

static bool compare_lane(struct bits *lane, struct bits *x, struct bits *y,
                         const struct bits_lanes *lanes)
{
	struct bits holds = {0, 0};

	return spread(lane, &holds, lanes->size) && compare(&holds, x, y, lanes) &&
	       spread(lane, &holds, lanes->size);
}

static bool choose_lane(struct bits *lane, struct bits *x, struct bits *y,
                        const struct bits_lanes *lanes)
{
	struct bits holds = {0, 0};

	return compare(&holds, x, y, lanes) && bits_select(lane, &holds, x, y, lanes->size) &&
	       compare(&holds, x, y, lanes);
}

static bool test_lane(struct bits *lane, struct bits *x, struct bits *y, unsigned int size)
{
	struct bits both = {0, 0};
	struct bits zero = bits_of(0);
	struct bits is_zero = {0, 0};
	struct bits holds = {0, 0};

	if (!spread(lane, &holds, size) || !bits_and(&both, x, y, size))
		return false;
	if ((holds.known & 1) != 0 && !bits_learn(&is_zero, ~holds.value, 1))
		return false;
	if (!bits_equal(&is_zero, &both, &zero, size) || !bits_and(&both, x, y, size))
		return false;
	if ((is_zero.known & 1) != 0 && !bits_learn(&holds, ~is_zero.value, 1))
		return false;
	return spread(lane, &holds, size);
}

static bool refine_lane(struct bits *lane, struct bits *x, struct bits *y,
                        const struct bits_lanes *lanes)
{
	bool subtracts = lanes->kind == LANES_SUBTRACT;
	struct bits carry = bits_of(subtracts);
	struct bits_sum sum = {x, y, &carry, subtracts};

	switch (lanes->kind) {
	case LANES_COMPARE:
		return compare_lane(lane, x, y, lanes);
	case LANES_CHOOSE:
		return choose_lane(lane, x, y, lanes);
	case LANES_ADD:
	case LANES_SUBTRACT:
		return bits_add(lane, &sum, lanes->size);
	case LANES_TEST:
		return test_lane(lane, x, y, lanes->size);
	}
	return true;
}

bool bits_each_lane(struct bits *result, struct bits *a, struct bits *b, struct bits_lanes lanes)
{
	unsigned int count = 64 / lanes.size;

	for (unsigned int i = 0; i < count; i++) {
		struct bits *from_x = a;
		struct bits *from_y = b;
		unsigned int at_x = i;
		unsigned int at_y = i;
		struct bits lane = lane_of(result, i, lanes.size);
		struct bits x;
		struct bits y;

		if (lanes.is_pairwise) {
			from_x = i < count / 2 ? a : b;
			from_y = from_x;
			at_x = 2 * i % count;
			at_y = at_x + 1;
		}
		x = lane_of(from_x, at_x, lanes.size);
		y = lane_of(from_y, at_y, lanes.size);
		if (!refine_lane(&lane, &x, &y, &lanes) ||
		    !learn_lane(result, &lane, i, lanes.size) ||
		    !learn_lane(from_x, &x, at_x, lanes.size) ||
		    !learn_lane(from_y, &y, at_y, lanes.size))
			return false;
	}
	return true;
}

bool bits_narrow_lanes(struct bits *result, struct bits *a, struct bits *b, unsigned int size,
                       unsigned int lsb)
{
	unsigned int half = 32 / size;

	for (unsigned int i = 0; i < 2 * half; i++) {
		struct bits *from = i < half ? a : b;
		unsigned int at = (i < half ? i : i - half) * 2 * size + lsb;
		struct bits lane = lane_of(result, i, size);
		struct bits source = {from->value >> at, from->known >> at};

		if (!bits_same(&lane, &source, size) || !learn_lane(result, &lane, i, size) ||
		    !bits_learn(from, (source.value & bits_mask(size)) << at,
		                (source.known & bits_mask(size)) << at))
			return false;
	}
	return true;
}
