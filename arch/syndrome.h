/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fault status registers say of an exception. In: the value of ESR_ELx or HSR, DFSR, IFSR, or
 * the M profile's CFSR, HFSR and SFSR. Out: what it was, whether its address register holds the
 * address, and which signal a debugger gives such a fault. Tables: syndrome.def.
 *
 * Nothing is said that the registers do not say: a field whose validity bit is clear is left out.
 */
#ifndef CSREPLAY_ARCH_SYNDROME_H
#define CSREPLAY_ARCH_SYNDROME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of the remote protocol (gdb's, not a host's). */
enum syndrome_signal {
	SYNDROME_NONE = 0, /* no fault: a call of the system, an interrupt */
	SYNDROME_ILL = 4,
	SYNDROME_TRAP = 5,
	SYNDROME_ABRT = 6,
	SYNDROME_FPE = 8,
	SYNDROME_BUS = 10,
	SYNDROME_SEGV = 11,
};

enum syndrome_access {
	SYNDROME_NO_ACCESS, /* there was none, or it is not said which */
	SYNDROME_READ,
	SYNDROME_WRITE,
	SYNDROME_FETCH,
	SYNDROME_MAINTENANCE, /* of a cache, or an address translation */
};

/* The register that holds the address of the access. */
enum syndrome_address {
	SYNDROME_NO_ADDRESS,
	SYNDROME_FAR, /* the one that belongs to the status register: FAR_ELx, DFAR, IFAR */
	SYNDROME_MMFAR,
	SYNDROME_BFAR,
	SYNDROME_SFAR,
};

enum { SYNDROME_DETAILS = 8 };

struct syndrome {
	const char *what; /* such as "data abort" */
	enum syndrome_signal signal;
	enum syndrome_access access;
	enum syndrome_address address;
	const char *details[SYNDROME_DETAILS]; /* such as "translation fault level 1" */
	size_t detail_count;
	bool has_immediate; /* of SVC, BRK and the like */
	uint16_t immediate;
	bool has_transfer_register; /* the register that was read into or written from */
	uint8_t transfer_register;
};

/* ESR_ELx or HSR. False for 0, which no exception leaves, and for a class that is reserved. */
bool syndrome_of_esr(uint32_t esr, struct syndrome *syndrome);

/* A32's DFSR or IFSR. False for 0 and for a reserved status. */
bool syndrome_of_dfsr(uint32_t dfsr, struct syndrome *syndrome);
bool syndrome_of_ifsr(uint32_t ifsr, struct syndrome *syndrome);

/* Of the M profile; 0 for a register that is not given. */
struct m_fault_status {
	uint32_t cfsr;
	uint32_t hfsr;
	uint32_t sfsr;
	/* Exception that is handled (IPSR); 0 for none, or where it is not known. */
	uint32_t exception;
};

/* False if no fault is recorded and none handled. */
bool syndrome_of_m(const struct m_fault_status *status, struct syndrome *syndrome);

/* The signal for a fault that trace names: exception_info.fault. */
enum syndrome_signal syndrome_signal_of(const char *fault);

/* The signal of a number of Linux on Arm (asm/signal.h); NONE for one that is none of these. */
enum syndrome_signal syndrome_signal_of_linux(uint32_t number);

/* "SIGSEGV"; NULL for SYNDROME_NONE. */
const char *syndrome_signal_name(enum syndrome_signal signal);
/* "read"; NULL for SYNDROME_NO_ACCESS. */
const char *syndrome_access_name(enum syndrome_access access);

#endif
