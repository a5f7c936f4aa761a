/* SPDX-License-Identifier: Apache-2.0 */
/* A small, sound snapshot; tests replace one file of it. */
#ifndef CSREPLAY_TESTS_SNAPSHOT_MODEL_H
#define CSREPLAY_TESTS_SNAPSHOT_MODEL_H

#include "scratch.h"

#include "snapshot/snapshot.h"

#define MODEL_CORE                                                                                 \
	"[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n"                                      \
	"[regs]\nPC(size:64)=0x1000\nSP(size:64)=0x2000\nCPSR=0x3C5\n"
#define MODEL_DUMP   "[dump0]\nfile=mem.bin\naddress=0x1000\n"
#define MODEL_SOURCE "[device]\nname=ETM_0\nclass=trace_source\ntype=ETM4.0\n"
#define MODEL_SOURCE_REGS                                                                          \
	"[regs]\nTRCIDR0=1\nTRCIDR1=0x4100F403\nTRCIDR2=0x488\nTRCIDR8=0\nTRCIDR9=0\nTRCIDR10=0\n" \
	"TRCIDR11=0\nTRCIDR12=0\nTRCIDR13=0\nTRCTRACEIDR(0x10)=0x12\nTRCCONFIGR=0xC1\n"            \
	"TRCAUTHSTATUS=0xCC\n"
#define MODEL_HEAD                                                                                 \
	"[snapshot]\nversion=1.0\ndescription=a model\n[device_list]\ndevice0=cpu_0.ini\n"         \
	"device1=etm_0.ini\n[trace]\nmetadata=trace.ini\n"
#define MODEL_BUFFER "[buffer0]\nname=ETB_0\nfile=trace.bin\nformat=coresight\n"
#define MODEL_TRACE                                                                                \
	"[trace_buffers]\nbuffers=buffer0\n" MODEL_BUFFER                                          \
	"[core_trace_sources]\ncpu_0=ETM_0\n[source_buffers]\nETM_0=ETB_0\n"

struct model {
	struct scratch scratch;
	struct diag_list diags;
	struct snapshot *snapshot;
};

static inline int model_set_up(void **state)
{
	struct model *m = calloc(1, sizeof(*m));
	uint8_t bytes[64];

	assert_non_null(m);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	scratch_open(&m->scratch);
	scratch_text(&m->scratch, "snapshot.ini", MODEL_HEAD);
	scratch_text(&m->scratch, "cpu_0.ini", MODEL_CORE MODEL_DUMP);
	scratch_text(&m->scratch, "etm_0.ini", MODEL_SOURCE MODEL_SOURCE_REGS);
	scratch_text(&m->scratch, "trace.ini", MODEL_TRACE);
	scratch_write(&m->scratch, "mem.bin", bytes, 64);
	scratch_write(&m->scratch, "trace.bin", bytes, 32);
	*state = m;
	return 0;
}

static inline int model_tear_down(void **state)
{
	struct model *m = *state;

	snapshot_destroy(m->snapshot);
	diag_list_fini(&m->diags);
	scratch_close(&m->scratch);
	free(m);
	return 0;
}

/* Opens and checks the snapshot. */
static inline enum status model_open(struct model *m, const struct snapshot_options *options)
{
	enum status status;

	snapshot_destroy(m->snapshot);
	status = snapshot_open(m->scratch.folder, options, &m->diags, &m->snapshot);
	if (status == STATUS_OK)
		snapshot_check(m->snapshot, &m->diags);
	return status;
}

#endif
