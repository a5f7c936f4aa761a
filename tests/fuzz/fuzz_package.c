/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an archive. Holds: it opens, or there is an error; no more is unpacked than the
 * limits allow; every member's name stays inside, finds that member, and its bytes can be read.
 */
#include "base/text.h"
#include "fuzz.h"
#include "snapshot/file/package.h"

static const struct package_limits limits = {.bytes = 1 << 20, .members = 64};

static uint64_t read_member(const struct package *package, size_t index, struct diag_list *diags)
{
	struct file_map map;
	uint64_t size;
	uint8_t sum = 0;

	FUZZ_CHECK(package_map(package, index, place_none(), diags, &map) == STATUS_OK);
	size = map.size;
	for (size_t i = 0; i < map.size; i++)
		sum = (uint8_t)(sum + ((const uint8_t *)map.data)[i]);
	(void)sum;
	file_map_close(&map);
	return size;
}

static void check_members(const struct package *package, struct diag_list *diags)
{
	struct text resolved = {0};
	uint64_t size = 0;

	FUZZ_CHECK(package_count(package) <= limits.members);
	for (size_t i = 0; i < package_count(package); i++) {
		struct str name = package_member(package, i);

		FUZZ_CHECK(name.n > 0 && package_find(package, name) == i);
		text_clear(&resolved);
		FUZZ_CHECK(package_resolve(STR(""), name, &resolved));
		FUZZ_CHECK(str_eq(text_str(&resolved), name));
		size += read_member(package, i, diags);
	}
	FUZZ_CHECK(size <= limits.bytes);
	text_fini(&resolved);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes archive = bytes_of(data, size);
	struct diag_list diags = {0};
	struct package *package = NULL;
	enum status status;

	(void)package_is_archive(archive);
	status = package_open(archive, STR("x.zip"), &limits, &diags, &package);
	FUZZ_CHECK((status == STATUS_OK) == (package != NULL));
	FUZZ_CHECK(status == STATUS_OK || diags.errors > 0);
	if (package)
		check_members(package, &diags);
	package_close(package);
	diag_list_fini(&diags);
	return 0;
}
