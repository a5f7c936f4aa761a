/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks in words, and what is read of memory for them; see os_task.h. */
#include "snapshot/os_task/os_task.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"

bool os_read_number(const struct os_memory *memory, uint64_t address, size_t size, uint64_t *value)
{
	uint8_t read[8] = {0};
	struct bytes in = bytes_of(read, size);

	return size > 0 && size <= sizeof(read) &&
	       memory->read(memory->context, address, read, size) == size &&
	       bytes_le(&in, (unsigned int)size, value) == STATUS_OK;
}

bool os_read_string(const struct os_memory *memory, uint64_t address, size_t size,
                    char name[OS_NAME_MOST])
{
	char bytes[OS_NAME_MOST];
	size_t most = size < OS_NAME_MOST ? size : OS_NAME_MOST - 1;
	size_t known = memory->read(memory->context, address, bytes, most);
	size_t length = known > 0 ? strnlen(bytes, known) : 0;

	if (length == known && known < most)
		return false;
	for (size_t i = 0; i < length; i++)
		name[i] = str_printable(bytes[i]);
	name[length] = '\0';
	return true;
}

void os_task_format(const struct os_task *task, struct text *out)
{
	if (task->has_name)
		text_puts(out, task->name);
	else
		text_printf(out, "a task at 0x%" PRIx64 " of unknown name", task->address);
	if (task->has_pid)
		text_printf(out, ", pid %" PRIu32, task->pid);
	if (task->has_pid && task->has_tgid && task->pid != task->tgid)
		text_printf(out, " of %" PRIu32, task->tgid);
}
