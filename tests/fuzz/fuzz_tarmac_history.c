/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text to a history with data. The lines that are read again of each instruction are its own, a
 * register that is known after it has the value that the last of them says, unknown bits are zero,
 * and a watchpoint found from either side is the same access.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "replay/session/session.h"
#include "replay/session/state.h"
#include "replay/tarmac/effects.h"
#include "replay/tarmac/tarmac_source.h"

enum { POSITIONS_MOST = 300 };

static struct value value_at(const struct history *history, uint64_t position, unsigned int number)
{
	struct value value;

	state_register(history, NULL, position, number, &value);
	for (unsigned int i = 0; i < value.size; i++)
		FUZZ_CHECK((value.bits[i] & ~value.known[i]) == 0);
	return value;
}

/* The last whole write of an X register by the instruction, if it is known after it. */
static void check_registers(const struct history *history, uint64_t position,
                            const struct effects *effects)
{
	const struct tarmac_value *written[31] = {0};
	bool is_plain = history_core(history)->arch == CORE_A64;

	for (size_t i = 0; i < effects->count; i++) {
		const struct tarmac_event *event = &effects->items[i].event;

		/* Other names of the same register. */
		if (event->kind == TARMAC_REGISTER && event->reg.file != TARMAC_FILE_X)
			is_plain &= event->reg.file == TARMAC_FILE_SP ||
			            event->reg.file == TARMAC_FILE_PSR;
		else if (event->kind == TARMAC_REGISTER && event->reg.number < 31)
			written[event->reg.number] = event->reg.value;
	}
	for (unsigned int i = 0; is_plain && i < 31; i++) {
		struct value value = value_at(history, position + 1, A64_x0 + i);

		if (written[i] && tarmac_value_is_whole(written[i]) && value_is_known(&value))
			FUZZ_CHECK(value_u64(&value) == tarmac_value_u64(written[i]));
	}
}

/* Searching back from after an access finds it, as searching forward from it does. */
static void check_access(const struct tarmac_core *core, uint64_t address)
{
	struct tarmac_target target = {address, 4, 1U << WORD_WRITE | 1U << WORD_READ};
	uint64_t length = history_length(tarmac_core_history(core));
	struct tarmac_access access;
	struct tarmac_access again;

	if (tarmac_find_access(core, false, length, &target, &access) != STATUS_OK)
		return;
	FUZZ_CHECK(access.position < length);
	FUZZ_CHECK(tarmac_find_access(core, true, access.position, &target, &again) == STATUS_OK);
	FUZZ_CHECK(again.position == access.position);
	FUZZ_CHECK(tarmac_find_access(core, false, access.position + 1, &target, &again) ==
	           STATUS_OK);
	FUZZ_CHECK(again.position == access.position);
}

static void check_effects(const struct session *session, size_t core, uint64_t position,
                          struct effects_reader *reader)
{
	const struct history *history = session_history(session, core);
	struct effects effects;
	uint64_t pc;
	uint8_t bytes[16];

	FUZZ_CHECK(effects_at(reader, position, &effects) == STATUS_OK);
	FUZZ_CHECK(history_pc(history, position, &pc) == STATUS_OK);
	FUZZ_CHECK(effects.instruction.instruction.address == pc);
	check_registers(history, position, &effects);
	for (size_t i = 0; i < effects.count; i++) {
		const struct tarmac_event *event = &effects.items[i].event;

		if (event->kind != TARMAC_MEMORY)
			continue;
		check_access(input_core(session_snapshot(session), core), event->memory.address);
		FUZZ_CHECK(state_memory(history, NULL, position, event->memory.address, bytes,
		                        sizeof(bytes)) <= sizeof(bytes));
	}
}

static void check_session(const struct snapshot *snapshot)
{
	const struct history_options options = {0};
	struct diag_list diags = {0};
	struct session *session;

	FUZZ_CHECK(session_open(snapshot, &options, &diags, &session) == STATUS_OK);
	for (size_t core = 0; core < session_core_count(session); core++) {
		uint64_t length = history_length(session_history(session, core));
		uint64_t step = 1 + length / POSITIONS_MOST;
		struct effects_reader *reader;

		FUZZ_CHECK(effects_open(session_history(session, core), &reader) == STATUS_OK);
		for (uint64_t position = 0; position < length; position += step)
			check_effects(session, core, length - 1 - position, reader);
		effects_close(reader);
	}
	session_destroy(session);
	diag_list_fini(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input_options options = {0};
	struct diag_list diags = {0};
	struct snapshot *snapshot = NULL;
	char path[64];
	int fd = memfd_create("text", MFD_CLOEXEC);

	FUZZ_CHECK(fd >= 0);
	FUZZ_CHECK(write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (input_open(path, &options, &diags, &snapshot) == STATUS_OK && input_core(snapshot, 0))
		check_session(snapshot);
	snapshot_destroy(snapshot);
	diag_list_fini(&diags);
	(void)close(fd);
	return 0;
}
