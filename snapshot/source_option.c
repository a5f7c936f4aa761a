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
	WORD,      /* the same, which is 32 or none */
	SIZE_CODE, /* 0, 1, 2, 3 for 0, 8, 16, 32 bits */
};

enum need {
	NOT_NEEDED,
	NEEDED,
	NEEDED_FOR_TIMESTAMPS, /* if the trace may have some of either size */
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
	const char *unsaid;
};

static const struct stand_in stand_ins[] = {
#define STAND_IN(protocol, reg, base, unsaid) {reg, PROTOCOL_##protocol, base, unsaid},
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

/* What the code makes of an option's value; false if it has no such value. */
static bool encode(enum code code, uint8_t value, uint32_t *bits)
{
	*bits = value;
	switch (code) {
	case NUMBER:
		break;
	case IS_0:
		*bits = value == 0;
		break;
	case IS_64:
		*bits = value == 64;
		break;
	case BYTES:
	case WORD:
		*bits = value / 8;
		return code == BYTES || value == 0 || value == 32;
	case SIZE_CODE:
		*bits = value == 32 ? 3 : value / 8;
		break;
	}
	return true;
}

/* The bits of a field, from bit 0. */
static uint32_t field_mask(size_t field)
{
	if (fields[field].option == SOURCE_OPTION_MINOR)
		return 0xf;
	if (fields[field].option == SOURCE_OPTION_TRACE_ID)
		return 0x7f;
	switch (fields[field].code) {
	case BYTES:
	case WORD:
		return 0x1f;
	case SIZE_CODE:
		return 3;
	case NUMBER:
	case IS_0:
	case IS_64:
		break;
	}
	return 1;
}

/* The version's second number, from the register or the format. False: neither says it. */
static bool find_minor(const struct snap_source *source, uint32_t *minor)
{
	const struct snap_register *idr = snap_device_register(source->device, STR("ETMIDR"));

	*minor = idr ? (uint32_t)snap_register_value(idr) >> 4 & 0xf
	             : source->options->values[SOURCE_OPTION_MINOR];
	return idr || source->options->given[SOURCE_OPTION_MINOR];
}

/*
 * False if it is known that the trace has no timestamps, or that they have one size and coding:
 * ETMv3.5 is the first with timestamps, PFT 1.1 with a choice. ETM IHI 0014Q and PFT IHI 0035,
 * ETMCR bit 28 enables them.
 */
static bool may_have_timestamps(const struct snap_source *source)
{
	const struct snap_register *cr = snap_device_register(source->device, STR("ETMCR"));
	const struct source_options *options = source->options;
	uint32_t minor;

	if (options->given[SOURCE_OPTION_TIMESTAMP_BITS] &&
	    options->values[SOURCE_OPTION_TIMESTAMP_BITS] == 0)
		return false;
	if (cr && (snap_register_value(cr) >> 28 & 1) == 0)
		return false;
	return !find_minor(source, &minor) || minor >= (source->protocol == PROTOCOL_ETM3 ? 5 : 1);
}

static bool is_needed(const struct snap_source *source, enum need need)
{
	return need == NEEDED || (need == NEEDED_FOR_TIMESTAMPS && may_have_timestamps(source));
}

/* What a register was made of. */
struct composed {
	uint32_t value;
	struct text from;      /* the keys that say it */
	struct text unsaid;    /* what is taken as 0 for want of a key */
	bool is_said;          /* by a key or by the section's name */
	bool has_fields;       /* that options can say */
	const char *missing;   /* the key that would be needed, or NULL */
	const char *refused;   /* the key of which the value is none of this protocol, or NULL */
	uint8_t refused_value; /* that value */
};

static void add_name(struct text *list, const char *name)
{
	if (*name && list->length > 0)
		text_puts(list, ", ");
	text_puts(list, name);
}

static const char *key_of(enum source_option option)
{
	return option == SOURCE_OPTION_MINOR ? "format" : option_table[option].key;
}

static void add_option(const struct snap_source *source, size_t field, struct composed *composed)
{
	enum source_option option = fields[field].option;
	const struct source_options *options = source->options;
	const char *key = key_of(option);
	uint32_t bits;

	composed->has_fields = true;
	if (options->given[option]) {
		if (!encode(fields[field].code, options->values[option], &bits)) {
			composed->refused = key;
			composed->refused_value = options->values[option];
		}
		composed->value |= bits << fields[field].shift;
		composed->is_said = true;
		add_name(&composed->from, key);
	} else if (is_needed(source, fields[field].need)) {
		composed->missing = composed->missing ? composed->missing : key;
	} else if (fields[field].need == NOT_NEEDED) {
		add_name(&composed->unsaid, key);
	}
}

static bool is_of(size_t field, const struct snap_source *source, struct str reg)
{
	return fields[field].protocol == source->protocol && str_eq(str_of(fields[field].reg), reg);
}

static void compose(const struct snap_source *source, const struct stand_in *stand_in,
                    struct composed *composed)
{
	composed->value = stand_in->base;
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		if (is_of(i, source, str_of(stand_in->reg)))
			add_option(source, i, composed);
	}
	add_name(&composed->unsaid, stand_in->unsaid);
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
		if (fields[i].option != SOURCE_OPTION_TRACE_ID || !is_of(i, source, reg))
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
	if (composed->refused)
		return diag_error(
		        diags, STATUS_BAD_DATA, device->place,
		        "trace source \"%.*s\": %s is %u, but context IDs of %s have 0 or "
		        "32 bits; its trace cannot be decoded",
		        STR_ARG(device->name), composed->refused, composed->refused_value,
		        protocol_name(source->protocol));
	if (!composed->has_fields)
		diag_warning(diags, device->place,
		             "trace source \"%.*s\" has no register %.*s and no option says it; "
		             "taken as 0x%x",
		             STR_ARG(device->name), STR_ARG(reg), (unsigned int)composed->value);
	else if (composed->from.length > 0 || !composed->is_said)
		diag_note(diags, device->place,
		          "trace source \"%.*s\" has no register %.*s; taken as 0x%x%s%.*s%s%.*s",
		          STR_ARG(device->name), STR_ARG(reg), (unsigned int)composed->value,
		          composed->from.length > 0 ? " from " : "",
		          STR_ARG(text_str(&composed->from)),
		          composed->unsaid.length > 0 ? "; not said, taken as 0: " : "",
		          STR_ARG(text_str(&composed->unsaid)));
	TRY(text_status(&composed->unsaid));
	return text_status(&composed->from);
}

/* True if the option's value says nothing of what the register's field says. */
static bool is_apart(const struct snap_source *source, size_t field)
{
	enum source_option option = fields[field].option;

	if (option == SOURCE_OPTION_TIMESTAMP_BITS || option == SOURCE_OPTION_TIMESTAMP_GRAY)
		return !may_have_timestamps(source);
	/* TRCIDR2 says what the unit has, not what is traced. */
	return (fields[field].code == WORD || fields[field].code == BYTES) &&
	       source->options->values[option] == 0;
}

/* A field of a register that is given, against its option. */
static void check_field(const struct snap_source *source, const struct snap_register *reg,
                        size_t field, struct diag_list *diags)
{
	enum source_option option = fields[field].option;
	bool is_id = option == SOURCE_OPTION_TRACE_ID;
	uint32_t there =
	        (uint32_t)snap_register_value(reg) >> fields[field].shift & field_mask(field);
	uint32_t bits;

	if (!source->options->given[option] || is_apart(source, field))
		return;
	if (encode(fields[field].code, source->options->values[option], &bits) && bits == there)
		return;
	diag_warning(diags, reg->place,
	             "trace source \"%.*s\": register %.*s is 0x%llx, which contradicts %s%s %u; "
	             "the %s counts",
	             STR_ARG(source->device->name), STR_ARG(reg->name),
	             (unsigned long long)snap_register_value(reg),
	             is_id ? "the section's name, trace ID" : key_of(option),
	             option == SOURCE_OPTION_MINOR ? ", version" : "",
	             source->options->values[option], is_id ? "name" : "register");
}

void source_option_check(const struct snap_source *source, struct diag_list *diags)
{
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		const struct snap_register *reg =
		        fields[i].protocol == source->protocol
		                ? snap_device_register(source->device, str_of(fields[i].reg))
		                : NULL;

		if (reg)
			check_field(source, reg, i, diags);
	}
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
	compose(source, stand_in, &composed);
	status = report(source, name, &composed, diags);
	text_fini(&composed.from);
	text_fini(&composed.unsaid);
	if (status == STATUS_OK)
		*value = composed.value;
	return status;
}
