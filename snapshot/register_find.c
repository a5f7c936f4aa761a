/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of a device, by the names that they have in snapshots. */
#include "snapshot/snapshot.h"

const struct snap_register *snap_device_register(const struct snap_device *device, struct str name)
{
	for (size_t i = 0; i < device->register_count; i++) {
		if (str_eq_nocase(device->registers[i].name, name))
			return &device->registers[i];
	}
	return NULL;
}

const struct snap_register *snap_device_any_register(const struct snap_device *device,
                                                     struct str names)
{
	while (names.p) {
		const struct snap_register *reg =
		        snap_device_register(device, str_next_part(&names, '|'));

		if (reg)
			return reg;
	}
	return NULL;
}

uint64_t snap_register_value(const struct snap_register *reg)
{
	size_t size = (reg->bits + 7U) / 8U;
	uint64_t value = 0;

	for (size_t i = 0; i < size && i < 8; i++)
		value |= (uint64_t)reg->value[i] << 8 * i;
	return value;
}
