/* SPDX-License-Identifier: Apache-2.0 */
/* The argument of --image; see image_argument.h. */
#include "cli/image_argument.h"

#include <stdlib.h>

/* ".SECTION=ADDRESS" */
static enum status add_section(struct str word, struct image_option *image)
{
	size_t equals = str_find(word, '=');
	struct elf_section_address section = {.name = {word.p, equals}};
	struct elf_section_address *sections;

	if (str_to_u64(str_skip(word, equals + 1), &section.address) != STATUS_OK)
		return STATUS_BAD_DATA;
	sections = realloc(image->sections, (image->section_count + 1) * sizeof(*sections));
	if (!sections)
		return STATUS_NO_MEM;
	image->sections = sections;
	sections[image->section_count++] = section;
	return STATUS_OK;
}

enum status image_argument_parse(struct str value, struct image_option *image, struct str *wrong)
{
	struct address_space key = {.space = SPACE_ANY};

	*image = (struct image_option){.path = value};
	for (size_t i = value.n; i-- > 1;) {
		struct str word = {value.p + i + 1, image->path.n - i - 1};
		enum status status;

		if (value.p[i] != ',')
			continue;
		status = STATUS_NOT_FOUND;
		if (str_find(word, '=') < word.n)
			status = word.p[0] == '.' ? add_section(word, image)
			                          : address_space_add(word, &key);
		if (status == STATUS_NOT_FOUND)
			break;
		if (status != STATUS_OK) {
			*wrong = word;
			return status;
		}
		image->path.n = i;
	}
	image->space = key.space;
	image->context = key.context;
	for (size_t i = image->path.n; i-- > 1;) {
		if (value.p[i] != '@')
			continue;
		if (str_to_u64((struct str){value.p + i + 1, image->path.n - i - 1},
		               &image->load_address) == STATUS_OK) {
			image->path.n = i;
			image->has_load_address = true;
		}
		break;
	}
	return STATUS_OK;
}
