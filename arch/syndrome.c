/* SPDX-License-Identifier: Apache-2.0 */
/* Fault status registers, read with the tables of syndrome.def; see syndrome.h. */
#include "arch/syndrome.h"

#include <string.h>

enum iss { ISS_NONE, ISS_DATA, ISS_FETCH, ISS_PC, ISS_IMMEDIATE, ISS_FP, ISS_SERROR, ISS_WATCH };

/* Fields of ESR_ELx; those of the ISS are of data aborts where nothing else is said. */
enum {
	ESR_CLASS = 26,
	ISS_VALID = 24,    /* ISV: the fields of the transfer register are valid */
	ISS_REGISTER = 16, /* SRT, 5 bits */
	ISS_FAR_INVALID = 10,
	ISS_MAINTENANCE = 8,
	ISS_WALK = 7, /* S1PTW */
	ISS_WRITE = 6,
	ISS_STATUS = 0x3f,
	ISS_TRAPPED_FP = 23,
	FSC_EXTERNAL = 0x10,
	SERROR_ASYNCHRONOUS = 0x11,
};

/* Fields of DFSR. */
enum { DFSR_LONG = 9, DFSR_STATUS_4 = 10, DFSR_WRITE = 11, DFSR_MAINTENANCE = 13 };

enum { FS_ASYNCHRONOUS = 0x16, FS_ASYNCHRONOUS_PARITY = 0x18 };

enum { MMFAR_VALID = 7, BFAR_VALID = 15, SFAR_VALID = 6 };

struct status_row {
	uint8_t code;
	enum syndrome_signal signal;
	const char *name;
};

static const struct {
	uint8_t code;
	enum syndrome_signal signal;
	enum iss iss;
	const char *name;
} classes[] = {
#define EC(code, signal, iss, name) {code, SYNDROME_##signal, ISS_##iss, name},
#include "arch/syndrome.def"
};

static const struct status_row long_status[] = {
#define FSC(code, signal, name) {code, SYNDROME_##signal, name},
#include "arch/syndrome.def"
};

static const struct status_row short_status[] = {
#define FS(code, signal, name) {code, SYNDROME_##signal, name},
#include "arch/syndrome.def"
};

static bool is_set(uint32_t value, unsigned int bit)
{
	return (value >> bit & 1U) != 0;
}

static void add_detail(struct syndrome *s, const char *detail)
{
	if (s->detail_count < SYNDROME_DETAILS)
		s->details[s->detail_count++] = detail;
}

static const struct status_row *find_status(const struct status_row *rows, size_t count,
                                            uint32_t code)
{
	for (size_t i = 0; i < count; i++) {
		if (rows[i].code == code)
			return &rows[i];
	}
	return NULL;
}

static const struct status_row *find_long(uint32_t code)
{
	return find_status(long_status, sizeof(long_status) / sizeof(long_status[0]), code);
}

/* A status without a row is reserved, or of an implementation: no word is said of it. */
static void add_status(struct syndrome *s, const struct status_row *row)
{
	if (!row)
		return;
	s->signal = row->signal;
	add_detail(s, row->name);
}

static void read_fault(struct syndrome *s, uint32_t esr)
{
	/* FnV means something for an external abort that is not on a walk alone. */
	if ((esr & ISS_STATUS) != FSC_EXTERNAL || !is_set(esr, ISS_FAR_INVALID))
		s->address = SYNDROME_FAR;
	add_status(s, find_long(esr & ISS_STATUS));
	if (is_set(esr, ISS_WALK))
		add_detail(s, "on a stage 2 translation for a table walk");
}

static void read_data(struct syndrome *s, uint32_t esr)
{
	s->access = is_set(esr, ISS_WRITE) ? SYNDROME_WRITE : SYNDROME_READ;
	if (is_set(esr, ISS_MAINTENANCE))
		s->access = SYNDROME_MAINTENANCE;
	read_fault(s, esr);
	s->has_transfer_register = is_set(esr, ISS_VALID);
	s->transfer_register = (uint8_t)(esr >> ISS_REGISTER & 31U);
}

static void read_floating_point(struct syndrome *s, uint32_t esr)
{
#define FP(bit, name)                                                                              \
	if (is_set(esr, ISS_TRAPPED_FP) && is_set(esr, bit))                                       \
		add_detail(s, name);
#include "arch/syndrome.def"
}

static void read_iss(struct syndrome *s, uint32_t esr, enum iss iss)
{
	switch (iss) {
	case ISS_DATA:
		read_data(s, esr);
		break;
	case ISS_FETCH:
		s->access = SYNDROME_FETCH;
		read_fault(s, esr);
		break;
	case ISS_PC:
		s->access = SYNDROME_FETCH;
		break;
	case ISS_IMMEDIATE:
		s->has_immediate = true;
		s->immediate = (uint16_t)esr;
		break;
	case ISS_FP:
		read_floating_point(s, esr);
		break;
	case ISS_SERROR:
		if (!is_set(esr, ISS_VALID) && (esr & ISS_STATUS) == SERROR_ASYNCHRONOUS)
			add_detail(s, "asynchronous");
		break;
	case ISS_WATCH:
		s->access = is_set(esr, ISS_WRITE) ? SYNDROME_WRITE : SYNDROME_READ;
		if (is_set(esr, ISS_MAINTENANCE))
			s->access = SYNDROME_MAINTENANCE;
		if (!is_set(esr, ISS_FAR_INVALID))
			s->address = SYNDROME_FAR;
		break;
	case ISS_NONE:
		break;
	}
}

bool syndrome_of_esr(uint32_t esr, struct syndrome *syndrome)
{
	uint32_t class = esr >> ESR_CLASS;

	*syndrome = (struct syndrome){.what = NULL};
	for (size_t i = 0; esr != 0 && i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (classes[i].code != class)
			continue;
		syndrome->what = classes[i].name;
		syndrome->signal = classes[i].signal;
#define ADDRESS(code)                                                                              \
	if (class == (code))                                                                       \
		syndrome->address = SYNDROME_FAR;
#include "arch/syndrome.def"
		read_iss(syndrome, esr, classes[i].iss);
		return true;
	}
	return false;
}

static const struct status_row *short_or_long(uint32_t fsr)
{
	uint32_t code = (fsr & 15U) | (is_set(fsr, DFSR_STATUS_4) ? 16U : 0);

	return is_set(fsr, DFSR_LONG)
	               ? find_long(fsr & ISS_STATUS)
	               : find_status(short_status, sizeof(short_status) / sizeof(short_status[0]),
	                             code);
}

/* Of these FAR is not set. */
static bool is_asynchronous(uint32_t fsr)
{
	uint32_t code = (fsr & 15U) | (is_set(fsr, DFSR_STATUS_4) ? 16U : 0);

	if (is_set(fsr, DFSR_LONG))
		return (fsr & ISS_STATUS) == SERROR_ASYNCHRONOUS || (fsr & ISS_STATUS) == 0x19;
	return code == FS_ASYNCHRONOUS || code == FS_ASYNCHRONOUS_PARITY;
}

bool syndrome_of_dfsr(uint32_t dfsr, struct syndrome *syndrome)
{
	const struct status_row *row = short_or_long(dfsr);

	*syndrome = (struct syndrome){.what = "data abort"};
	if (dfsr == 0 || (!row && !is_asynchronous(dfsr)))
		return false;
	if (is_set(dfsr, DFSR_LONG) && is_asynchronous(dfsr)) {
		syndrome->signal = SYNDROME_BUS;
		add_detail(syndrome, "asynchronous external abort");
		return true;
	}
	add_status(syndrome, row);
	if (is_asynchronous(dfsr))
		return true;
	syndrome->address = SYNDROME_FAR;
	syndrome->access = is_set(dfsr, DFSR_WRITE) ? SYNDROME_WRITE : SYNDROME_READ;
	if (is_set(dfsr, DFSR_MAINTENANCE))
		syndrome->access = SYNDROME_MAINTENANCE;
	return true;
}

bool syndrome_of_ifsr(uint32_t ifsr, struct syndrome *syndrome)
{
	const struct status_row *row = short_or_long(ifsr);

	*syndrome = (struct syndrome){.what = "prefetch abort"};
	if (ifsr == 0 || !row)
		return false;
	add_status(syndrome, row);
	/* A debug event, such as BKPT's, leaves IFAR unknown. */
	if (row->signal == SYNDROME_TRAP)
		return true;
	syndrome->address = SYNDROME_FAR;
	syndrome->access = SYNDROME_FETCH;
	return true;
}

static bool m_address_is_valid(const struct m_fault_status *status, enum syndrome_address address)
{
	return (address == SYNDROME_MMFAR && is_set(status->cfsr, MMFAR_VALID)) ||
	       (address == SYNDROME_BFAR && is_set(status->cfsr, BFAR_VALID)) ||
	       (address == SYNDROME_SFAR && is_set(status->sfsr, SFAR_VALID));
}

static void read_m_bits(const struct m_fault_status *status, struct syndrome *s)
{
	static const struct {
		uint8_t which;
		uint8_t bit;
		enum syndrome_signal signal;
		enum syndrome_address address;
		const char *name;
	} rows[] = {
#define SYNDROME_ADDRESS_NONE  SYNDROME_NO_ADDRESS
#define SYNDROME_ADDRESS_MMFAR SYNDROME_MMFAR
#define SYNDROME_ADDRESS_BFAR  SYNDROME_BFAR
#define SYNDROME_ADDRESS_SFAR  SYNDROME_SFAR
#define CFSR                   0
#define HFSR                   1
#define SFSR                   2
#define M(which, bit, signal, address, name)                                                       \
	{which, bit, SYNDROME_##signal, SYNDROME_ADDRESS_##address, name},
#include "arch/syndrome.def"
	};
	const uint32_t values[] = {status->cfsr, status->hfsr, status->sfsr};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!is_set(values[rows[i].which], rows[i].bit))
			continue;
		s->signal = rows[i].signal;
		add_detail(s, rows[i].name);
		if (m_address_is_valid(status, rows[i].address))
			s->address = rows[i].address;
	}
}

/* What is handled, or what the status says, by the exception that it belongs to. */
static uint32_t m_exception_of(const struct m_fault_status *status)
{
	if (status->exception >= 3 && status->exception <= 7)
		return status->exception;
	if (status->hfsr != 0)
		return 3;
	if (status->sfsr != 0)
		return 7;
	if (status->cfsr >> 16 != 0)
		return 6;
	if ((status->cfsr & 0xff00U) != 0)
		return 5;
	return status->cfsr != 0 ? 4 : 0;
}

bool syndrome_of_m(const struct m_fault_status *status, struct syndrome *syndrome)
{
	static const struct status_row exceptions[] = {
#define M_EXCEPTION(number, signal, name) {number, SYNDROME_##signal, name},
#include "arch/syndrome.def"
	};
	const struct status_row *row = find_status(
	        exceptions, sizeof(exceptions) / sizeof(exceptions[0]), m_exception_of(status));

	*syndrome = (struct syndrome){.what = NULL};
	if (!row)
		return false;
	syndrome->what = row->name;
	syndrome->signal = row->signal;
	read_m_bits(status, syndrome);
	return true;
}

enum syndrome_signal syndrome_signal_of(const char *fault)
{
#define TRACED(name, signal)                                                                       \
	if (strcmp(fault, name) == 0)                                                              \
		return SYNDROME_##signal;
#include "arch/syndrome.def"
	return SYNDROME_SEGV;
}

enum syndrome_signal syndrome_signal_of_linux(uint32_t number)
{
	/* The numbers that gdb has others for are those of SIGBUS alone. */
	if (number == 7)
		return SYNDROME_BUS;
	if (number >= SYNDROME_ILL && number <= SYNDROME_ABRT)
		return (enum syndrome_signal)number;
	return number == SYNDROME_FPE || number == SYNDROME_SEGV ? (enum syndrome_signal)number
	                                                         : SYNDROME_NONE;
}

const char *syndrome_signal_name(enum syndrome_signal signal)
{
	switch (signal) {
	case SYNDROME_ILL:
		return "SIGILL";
	case SYNDROME_TRAP:
		return "SIGTRAP";
	case SYNDROME_ABRT:
		return "SIGABRT";
	case SYNDROME_FPE:
		return "SIGFPE";
	case SYNDROME_BUS:
		return "SIGBUS";
	case SYNDROME_SEGV:
		return "SIGSEGV";
	case SYNDROME_NONE:
		break;
	}
	return NULL;
}

const char *syndrome_access_name(enum syndrome_access access)
{
	static const char *const names[] = {
	        [SYNDROME_READ] = "read",
	        [SYNDROME_WRITE] = "write",
	        [SYNDROME_FETCH] = "fetch",
	        [SYNDROME_MAINTENANCE] = "cache maintenance or address translation",
	};

	return names[access];
}
