/* SPDX-License-Identifier: Apache-2.0 */
/* Structures by name and paths through them; see type_layout.h. */
#include "snapshot/type_layout/type_layout.h"

#include <string.h>

#include "base/str.h"
#include "snapshot/line_table/elf_sections.h"

enum {
	DEPTH_MOST = 8,         /* structures in structures without a name */
	MEMBERS_MOST = 1 << 22, /* entries that are read again, all in all, to follow references */
};

struct search {
	struct debug_unit unit;
	const struct member_wanted *wanted;
	struct member_layout *found;
	size_t count;
};

/* A place on the way along a path. */
struct step {
	uint64_t type; /* offset of its entry */
	uint64_t offset;
	struct str path; /* what is left */
	unsigned int depth;
};

static enum status walk(struct search *s, const struct step *from, struct member_layout *found);

/* Whether the path goes on through this member. */
static bool steps_into(const struct debug_entry *member, const struct step *from, struct step *to)
{
	struct str name = {from->path.p, str_find(from->path, '.')};
	bool is_named = member->name != NULL;

	if (member->tag != DEBUG_TAG_MEMBER || member->is_bit_field || !member->type.is_known)
		return false;
	if (is_named && !str_eq(str_of(member->name), name))
		return false;
	*to = *from;
	to->type = member->type.value;
	to->depth++;
	if (is_named)
		to->path = str_skip(from->path, name.n + 1);
	return true;
}

/* Members of a union may have no place: they are at its beginning [5.7.6]. */
static enum status walk_member(struct search *s, const struct debug_entry *structure,
                               const struct debug_entry *member, struct step *to,
                               struct member_layout *found)
{
	if (!member->location.is_known && structure->tag != DEBUG_TAG_UNION)
		return STATUS_NOT_FOUND;
	if (member->location.is_known) {
		if (member->location.value > UINT32_MAX)
			return STATUS_BAD_DATA;
		to->offset += member->location.value;
	}
	return walk(s, to, found);
}

/* The only recursion, DEPTH_MOST deep and a path's length. */
static enum status walk(struct search *s, const struct step *from, struct member_layout *found)
{
	struct debug_entry structure;
	struct debug_entry member;
	struct bytes at;
	struct step to;

	if (from->path.n == 0) {
		*found = (struct member_layout){true, from->offset,
		                                debug_walk_size(&s->unit, from->type)};
		return STATUS_OK;
	}
	if (from->depth > DEPTH_MOST)
		return STATUS_BAD_DATA;
	TRY(debug_walk_type(&s->unit, from->type, true, &structure, &at));
	if ((structure.tag != DEBUG_TAG_STRUCTURE && structure.tag != DEBUG_TAG_UNION) ||
	    !structure.has_children)
		return STATUS_NOT_FOUND;
	for (;;) {
		enum status status = debug_walk_next(&s->unit, &at, &member);

		if (status != STATUS_OK)
			return status == STATUS_END ? STATUS_NOT_FOUND : status;
		if (!steps_into(&member, from, &to))
			continue;
		status = walk_member(s, &structure, &member, &to, found);
		if (status != STATUS_NOT_FOUND)
			return status;
	}
}

/* The first of the alternatives of a path that the structure has. */
static bool find_member(struct search *s, uint64_t structure, const char *paths,
                        struct member_layout *found)
{
	struct str rest = str_of(paths);

	do {
		struct step from = {structure, 0, {rest.p, str_find(rest, '|')}, 0};

		rest = str_skip(rest, from.path.n + 1);
		if (walk(s, &from, found) == STATUS_OK)
			return true;
	} while (rest.n > 0);
	return false;
}

/* What is wanted of this structure: members of it, or else the whole. How many are found. */
static size_t look_up(struct search *s, const char *name, uint64_t offset, bool is_member)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (strcmp(s->wanted[i].structure, name) == 0 &&
		    (s->wanted[i].path[0] != '\0') == is_member &&
		    find_member(s, offset, s->wanted[i].path, &s->found[i]))
			count++;
	}
	return count;
}

/* True if a member of it is wanted. */
static bool is_entered(const struct search *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++) {
		if (strcmp(s->wanted[i].structure, name) == 0 && s->wanted[i].path[0] != '\0')
			return true;
	}
	return false;
}

/* Looks up all that is wanted of a structure, unless another definition of it had some of that. */
static void look_into(struct search *s, const struct debug_entry *entry, uint64_t offset)
{
	for (size_t i = 0; i < s->count; i++) {
		if (s->found[i].is_found && strcmp(s->wanted[i].structure, entry->name) == 0)
			return;
	}
	if (!is_entered(s, entry->name) || look_up(s, entry->name, offset, true) > 0)
		(void)look_up(s, entry->name, offset, false);
}

/* A definition of each structure was there. */
static bool is_done(const struct search *s)
{
	for (size_t i = 0; i < s->count; i++) {
		bool has_structure = false;

		for (size_t k = 0; k < s->count; k++) {
			if (s->found[k].is_found &&
			    strcmp(s->wanted[k].structure, s->wanted[i].structure) == 0)
				has_structure = true;
		}
		if (!has_structure)
			return false;
	}
	return true;
}

/* The structures of a unit; damage ends it. */
static void look_through(struct search *s)
{
	struct bytes at = s->unit.entries;
	struct debug_entry entry;

	if (debug_walk_read(&s->unit, &at, &entry) != STATUS_OK || !entry.has_children)
		return;
	if (entry.strings.is_known)
		s->unit.strings = entry.strings.value;
	for (;;) {
		uint64_t offset = (uint64_t)(at.pos - s->unit.whole.pos);

		if (debug_walk_next(&s->unit, &at, &entry) != STATUS_OK)
			return;
		if ((entry.tag == DEBUG_TAG_STRUCTURE || entry.tag == DEBUG_TAG_UNION) &&
		    entry.name && entry.has_children && !entry.is_declaration)
			look_into(s, &entry, offset);
	}
}

struct debug_sections type_layout_sections(struct elf_sections *file)
{
	return (struct debug_sections){
	        .info = elf_sections_get(file, STR(".debug_info")),
	        .abbreviations = elf_sections_get(file, STR(".debug_abbrev")),
	        .strings = elf_sections_get(file, STR(".debug_str")),
	        .line_strings = elf_sections_get(file, STR(".debug_line_str")),
	        .string_offsets = elf_sections_get(file, STR(".debug_str_offsets")),
	        .is_big_endian = elf_sections_are_big_endian(file),
	};
}

enum status type_layout_find(const struct debug_sections *sections,
                             const struct member_wanted *wanted, size_t count,
                             struct member_layout *found)
{
	/* An entry has a byte at least: so many are read where no reference is followed. */
	struct search s = {.wanted = wanted,
	                   .found = found,
	                   .count = count,
	                   .unit.left = bytes_left(&sections->info) + MEMBERS_MOST};
	struct bytes info = sections->info;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < count; i++)
		found[i] = (struct member_layout){.is_found = false};
	while (status != STATUS_END && status != STATUS_TRUNCATED && status != STATUS_NO_MEM &&
	       !is_done(&s)) {
		status = debug_unit_read(sections, &info, &s.unit);
		if (status == STATUS_OK)
			look_through(&s);
	}
	debug_unit_fini(&s.unit);
	return status == STATUS_NO_MEM ? status : STATUS_OK;
}
