/* SPDX-License-Identifier: Apache-2.0 */
/* What a fake session says of cores that go along; see fake_session.h. */
#include "fake_session.h"

static bool is_apart;
static bool is_in_step;
static enum company company;

void session_set_together(struct session *s, bool together)
{
	(void)s;
	is_apart = !together;
}

bool session_is_together(const struct session *s)
{
	(void)s;
	return !is_apart;
}

bool session_is_in_step(const struct session *s, size_t core, size_t other)
{
	(void)s;
	(void)core;
	(void)other;
	return is_in_step;
}

void fake_session_set_in_step(bool in_step)
{
	is_in_step = in_step;
}

bool fake_session_apart(size_t core, uint64_t address, uint8_t *byte)
{
	uint64_t at = address - FAKE_APART;

	if (address < FAKE_APART || at >= 16 || (core != 0 && at >= 4 && at < 8))
		return false;
	*byte = core != 0 && at >= 8 ? 'b' : 'a';
	return true;
}

bool session_has_clock(const struct session *s, size_t core)
{
	(void)s;
	return core == 0;
}

void session_set_company(struct session *s, enum company value, const uint64_t *lifted)
{
	(void)s;
	(void)lifted;
	company = value;
}

enum company fake_session_company(void)
{
	return company;
}

enum status session_go(struct session *s, size_t core, uint64_t position)
{
	return session_seek(s, core, position);
}

enum status session_show_software(struct session *s, bool on)
{
	(void)s;
	(void)on;
	return STATUS_OK;
}

bool session_shows_software(const struct session *s)
{
	(void)s;
	return false;
}

enum status session_software_log(struct session *s, const struct software_log **log)
{
	(void)s;
	*log = NULL;
	return STATUS_NO_MEM;
}

void session_software_passed(struct session *s, size_t core, uint64_t from, size_t *first,
                             size_t *last)
{
	(void)s;
	(void)core;
	(void)from;
	*first = 0;
	*last = 0;
}

bool session_software_at(const struct session *s, size_t core,
                         const struct software_message *message, uint64_t *first, uint64_t *last)
{
	(void)s;
	(void)core;
	(void)message;
	*first = 0;
	*last = 0;
	return false;
}
