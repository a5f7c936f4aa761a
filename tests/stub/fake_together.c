/* SPDX-License-Identifier: Apache-2.0 */
/* What a fake session says of cores that go along; see fake_session.h. */
#include "fake_session.h"

static bool is_apart;
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

bool session_has_clock(const struct session *s, size_t core)
{
	(void)s;
	return core == 0;
}

void session_set_company(struct session *s, enum company value)
{
	(void)s;
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
