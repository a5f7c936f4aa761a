/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a trace source, and registers made of them. */
#include "snapshot/source_option.h"

#include "base/text.h"

/* How an option's value becomes bits of a register. */
enum code {
	NUMBER,
	IS_0,      /* 1 for 0 */
	IS_64,     /* 1 for 64 bits */
	BYTES,     /* of a size in bits */
	SIZE_CODE, /* 0, 1, 2, 3 for 0, 8, 16, 32 bits */
};

enum need {
	NOT_NEEDED,
	NEEDED,
	NEEDED_FOR_TIMESTAMPS, /* unless the trace has none */
};

static const struct {
	const char *key;
	const char *values;
} option_table[SOURCE_OPTIONS] = {
#define OPTION(id, key, values) {key, values},
#include "snapshot/source_option.def"
#undef OPTION
};

struct stand_in {
	const char *reg;
	enum protocol protocol;
	uint32_t base;
};

static const struct stand_in stand_ins[] = {
#define STAND_IN(protocol, reg, base) {reg, PROTOCOL_##protocol, base},
#include "snapshot/source_option.def"
#undef STAND_IN
};

static const struct {
	enum protocol protocol;
	const char *reg;
	enum source_option option;
	unsigned int shift;
	enum code code;
	enum need need;
} fields[] = {
#define FIELD(protocol, reg, option, shift, code, need)                                            \
	{PROTOCOL_##protocol, reg, SOURCE_OPTION_##option, shift, code, need},
#include "snapshot/source_option.def"
#undef FIELD
};

enum {
	STAND_IN_COUNT = sizeof(stand_ins) / sizeof(stand_ins[0]),
	FIELD_COUNT = sizeof(fields) / sizeof(fields[0]),
};

enum source_option source_option_find(struct str key)
{
	for (unsigned int i = 0; i < SOURCE_OPTIONS; i++) {
		struct str known = str_of(option_table[i].key);

		if (known.n > 0 && str_eq_nocase(known, key))
			return (enum source_option)i;
	}
	return SOURCE_OPTIONS;
}

struct str source_option_values(enum source_option option)
{
	return str_of(option_table[option].values);
}

enum status source_option_set(struct source_options *options, enum source_option option,
                              struct str text)
{
	struct str rest = source_option_values(option);
	uint64_t wanted;

	TRY(str_to_u64(text, &wanted) == STATUS_OK ? STATUS_OK : STATUS_BAD_DATA);
	while (rest.p) {
		uint64_t value;

		TRY(str_to_u64(str_next_part(&rest, ' '), &value));
		if (value != wanted)
			continue;
		options->given[option] = true;
		options->values[option] = (uint8_t)value;
		return STATUS_OK;
	}
	return STATUS_BAD_DATA;
}

static size_t digits_at(struct str s)
{
	size_t count = 0;

	while (count < s.n && s.p[count] >= '0' && s.p[count] <= '9')
		count++;
	return count;
}

void source_option_set_version(struct source_options *options, struct str format)
{
	uint64_t minor = 0;
	struct str rest = format;

	while (rest.n > 0 && digits_at(rest) == 0)
		rest = str_skip(rest, 1);
	if (rest.n == 0)
		return;
	rest = str_skip(rest, digits_at(rest));
	if (str_has_prefix(rest, STR("."))) {
		rest = str_skip(rest, 1);
		if (str_to_u64((struct str){rest.p, digits_at(rest)}, &minor) != STATUS_OK ||
		    minor > 15)
			return;
	}
	options->given[SOURCE_OPTION_MINOR] = true;
	options->values[SOURCE_OPTION_MINOR] = (uint8_t)minor;
}

static uint32_t encode(enum code code, uint8_t value)
{
	switch (code) {
	case NUMBER:
		break;
	case IS_0:
		return value == 0;
	case IS_64:
		return value == 64;
	case BYTES:
		return value / 8;
	case SIZE_CODE:
		return value == 32 ? 3 : value / 8;
	}
	return value;
}

static bool is_needed(const struct source_options *options, enum need need)
{
	return need == NEEDED || (need == NEEDED_FOR_TIMESTAMPS &&
	                          options->values[SOURCE_OPTION_TIMESTAMP_BITS] != 0);
}

/* What a register was made of. */
struct composed {
	uint32_t value;
	struct text from;    /* the keys that say it */
	bool is_said;        /* by a key or by the section's name */
	const char *missing; /* the key that would be needed, or NULL */
};

static void add_option(const struct source_options *options, size_t field,
                       struct composed *composed)
{
	enum source_option option = fields[field].option;
	const char *key = option == SOURCE_OPTION_MINOR ? "format" : option_table[option].key;

	if (options->given[option]) {
		composed->value |= encode(fields[field].code, options->values[option])
		                   << fields[field].shift;
		composed->is_said = true;
		if (*key && composed->from.length > 0)
			text_puts(&composed->from, ", ");
		text_puts(&composed->from, key);
	} else if (is_needed(options, fields[field].need)) {
		composed->missing = key;
	}
}

static void compose(const struct source_options *options, const struct stand_in *stand_in,
                    struct composed *composed)
{
	composed->value = stand_in->base;
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		if (fields[i].protocol == stand_in->protocol &&
		    str_eq(str_of(fields[i].reg), str_of(stand_in->reg)))
			add_option(options, i, composed);
	}
}

static const struct stand_in *find_stand_in(const struct snap_source *source, struct str reg)
{
	for (size_t i = 0; source->options && i < STAND_IN_COUNT; i++) {
		if (stand_ins[i].protocol == source->protocol &&
		    str_eq(str_of(stand_ins[i].reg), reg))
			return &stand_ins[i];
	}
	return NULL;
}

bool source_option_stands_for(const struct snap_source *source, struct str reg)
{
	return find_stand_in(source, reg) != NULL;
}

/* `value` of the register with the trace ID that the section's name says. */
static uint32_t with_trace_id(const struct snap_source *source, struct str reg, uint32_t value)
{
	for (size_t i = 0; source->options && i < FIELD_COUNT; i++) {
		if (fields[i].option != SOURCE_OPTION_TRACE_ID ||
		    fields[i].protocol != source->protocol || !str_eq(str_of(fields[i].reg), reg))
			continue;
		value &= ~(UINT32_C(0x7f) << fields[i].shift);
		value |= (uint32_t)source->options->values[SOURCE_OPTION_TRACE_ID]
		         << fields[i].shift;
	}
	return value;
}

/* Says where the value of the register is from; the section's name is as good as a register. */
static enum status report(const struct snap_source *source, struct str reg,
                          const struct composed *composed, struct diag_list *diags)
{
	const struct snap_device *device = source->device;

	if (composed->missing)
		return diag_error(diags, STATUS_BAD_DATA, device->place,
		                  "trace source \"%.*s\" has neither register %.*s nor option %s, "
		                  "which its trace cannot be decoded without",
		                  STR_ARG(device->name), STR_ARG(reg), composed->missing);
	if (!composed->is_said)
		diag_warning(diags, device->place,
		             "trace source \"%.*s\" has no register %.*s and no option says it; "
		             "taken as 0x%x",
		             STR_ARG(device->name), STR_ARG(reg), (unsigned int)composed->value);
	else if (composed->from.length > 0)
		diag_note(diags, device->place,
		          "trace source \"%.*s\" has no register %.*s; taken as 0x%x from %.*s",
		          STR_ARG(device->name), STR_ARG(reg), (unsigned int)composed->value,
		          STR_ARG(text_str(&composed->from)));
	return text_status(&composed->from);
}

enum status snap_source_register(const struct snap_source *source, struct str names,
                                 struct diag_list *diags, uint32_t *value)
{
	const struct snap_register *reg = snap_device_any_register(source->device, names);
	struct str name = str_next_part(&names, '|');
	const struct stand_in *stand_in = find_stand_in(source, name);
	struct composed composed = {0};
	enum status status;

	if (reg) {
		*value = with_trace_id(source, name, (uint32_t)snap_register_value(reg));
		return STATUS_OK;
	}
	if (!stand_in)
		return diag_error(diags, STATUS_BAD_DATA, source->device->place,
		                  "trace source \"%.*s\" has no register %.*s, which its trace "
		                  "cannot be decoded without",
		                  STR_ARG(source->device->name), STR_ARG(name));
	compose(source->options, stand_in, &composed);
	status = report(source, name, &composed, diags);
	text_fini(&composed.from);
	if (status == STATUS_OK)
		*value = composed.value;
	return status;
}
