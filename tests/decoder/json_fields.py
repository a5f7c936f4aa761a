#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`decode --format json` is lines of valid JSON with the fields of the generic elements.

Every snapshot that has a golden list is decoded, with the list's options. Each line has the fields
that its type of element must have, none but those it may have, each of its own kind; and the lines
are as many and of the same types as those of the text form.
"""
import json
import os
import re
import subprocess

from material import shared

OPTIONS = {"dstream": "--dstream", "src_addr_n": "--source-address-split"}
PREFIX = "OCSD_GEN_TRC_ELEM_"
TEXT_TYPE = re.compile(r"^Idx:(\d+); ID:([0-9a-f]+); (OCSD_GEN_TRC_ELEM_\w+)\(")
HEX = re.compile(r"0x(0|[1-9a-f][0-9a-f]*)")


def is_hex(value):
    return isinstance(value, str) and HEX.fullmatch(value) is not None


def is_number(value):
    return type(value) is int and 0 <= value < 1 << 64


def is_bool(value):
    return isinstance(value, bool)


def is_text(value):
    return isinstance(value, str) and value != ""


def one_of(*names):
    return lambda value: value in names


ISA = one_of("A64", "A32", "T32", "TEE", "Jaz", "Unk")
REASON = one_of("init-decoder", "reset-decoder", "overflow", "discard", "bad-packet",
                "end-of-trace")

# Inner objects: {field: what it must be}; a field that ends in "?" may be missing.
CONTEXT = {"security_level": one_of("secure", "nonsecure", "root", "realm"),
           "exception_level?": one_of(0, 1, 2, 3), "bits64": is_bool, "context_id?": is_hex,
           "vmid?": is_hex}
EVENT = {"ev_type": one_of(0, 1, 2), "ev_number": is_number}
INSTRUMENTATION = {"el": one_of(0, 1, 2, 3), "value": is_hex}
DATA = {"kind": one_of("transfer", "place", "late", "not_traced", "store_failed", "suppressed"),
        "st_addr?": is_hex, "big_endian?": is_bool, "value?": is_hex, "tag?": one_of(0, 1, 2, 3)}
SOFTWARE = {"swt_id_valid": is_bool, "swt_master_id?": is_number, "swt_channel_id?": is_number,
            "swt_payload_pkt_bitsize": one_of(0, 4, 8, 16, 32, 64),
            "swt_payload_num_packets": one_of(0, 1), "swt_marker_packet": is_bool,
            "swt_has_timestamp": is_bool, "swt_trigger_event": is_bool, "swt_frequency": is_bool,
            "swt_master_err": is_bool, "swt_global_err": is_bool}
ITM = {"pkt_type": one_of("SWIT_PAYLOAD", "DWT_PAYLOAD", "TS_GLOBAL", "TS_SYNC", "TS_DELAY",
                          "TS_PKT_DELAY", "TS_PKT_TS_DELAY"),
       "payload_src_id?": is_number, "payload_size?": is_number, "value?": is_hex,
       "cpu_freq_change?": is_bool, "overflow": is_bool}

COMMON = {"index": is_number, "id": is_hex, "elem_type": is_text}
CYCLES = {"cycle_count?": is_number}
NOPATH = {"isa": ISA, "st_addr": is_hex, "en_addr": is_hex, "num_instr_range": is_number}
RANGE = {**NOPATH, **CYCLES,
         "last_i_type": one_of("OTHER", "BR", "BR_INDIRECT", "ISB", "DSB_DMB", "WFI_WFE", "TSTART"),
         "last_i_subtype": one_of("NONE", "BR_LINK", "V8_RET", "V8_ERET", "V7_IMPLIED_RET"),
         "last_instr_exec": is_bool, "last_instr_sz": one_of(2, 4), "last_instr_cond": is_bool}

ELEMENTS = {
    "UNKNOWN": {},
    "NO_SYNC": {"unsync_eot_info": REASON},
    "TRACE_ON": {"trace_on_reason": one_of("normal", "overflow", "ex_debug"), **CYCLES},
    "EO_TRACE": {"unsync_eot_info": REASON},
    "PE_CONTEXT": {"isa": ISA, "context": CONTEXT, **CYCLES},
    "INSTR_RANGE": RANGE,
    "I_RANGE_NOPATH": NOPATH,
    "ADDR_NACC": {"st_addr": is_hex, "mem_space": is_text},
    "ADDR_UNKNOWN": CYCLES,
    "EXCEPTION": {"exception_number": is_number, "excep_ret_addr": is_bool, "en_addr?": is_hex,
                  "excep_ret_addr_br_tgt": is_bool, "excep_data_marker": is_bool, **CYCLES},
    "EXCEPTION_RET": {},
    "TIMESTAMP": {"timestamp": is_number, **CYCLES},
    "CYCLE_COUNT": {"cycle_count": is_number},
    "EVENT": {"trace_event": EVENT},
    "SWTRACE": {"sw_trace_info": SOFTWARE, "timestamp?": is_number, "extended_data?": is_hex},
    "SYNC_MARKER": {"sync_marker": is_number},
    "MEMTRANS": {"mem_trans": one_of(0, 1, 2, 3)},
    "INSTRUMENTATION": {"sw_ite": INSTRUMENTATION},
    "DATA": {"data": DATA},
    "ITMTRACE": {"swt_itm": ITM, "timestamp?": is_number},
}


def no_field_twice(pairs):
    fields = dict(pairs)
    assert len(fields) == len(pairs), pairs
    return fields


def check_fields(element, table, line):
    names = {name.rstrip("?"): name for name in table}
    assert set(element) <= set(names), (sorted(set(element) - set(names)), line)
    for field, name in names.items():
        if field not in element:
            assert name.endswith("?"), (field, line)
        elif isinstance(table[name], dict):
            check_fields(element[field], table[name], line)
        else:
            assert table[name](element[field]), (field, line)


def check_together(element, kind, line):
    """Fields that say whether others are there."""
    if kind == "EXCEPTION":
        assert ("en_addr" in element) == element["excep_ret_addr"], line
    elif kind == "INSTR_RANGE":
        assert int(element["st_addr"], 16) < int(element["en_addr"], 16), line
        assert element["num_instr_range"] > 0, line
    elif kind == "SWTRACE":
        info = element["sw_trace_info"]
        assert ("swt_master_id" in info) == info["swt_id_valid"], line
        assert ("swt_channel_id" in info) == info["swt_id_valid"], line
        assert ("extended_data" in element) == (info["swt_payload_pkt_bitsize"] > 0), line
        assert ("timestamp" in element) == info["swt_has_timestamp"], line
    elif kind == "DATA":
        info = element["data"]
        assert ("st_addr" in info) == ("big_endian" in info), line
        assert ("tag" in info) == (info["kind"] in ("place", "late")), line
    elif kind == "ITMTRACE":
        info = element["swt_itm"]
        assert ("timestamp" in element) == info["pkt_type"].startswith("TS_"), line
        assert ("payload_src_id" in info) == info["pkt_type"].endswith("_PAYLOAD"), line
        assert ("value" in info) == (info["pkt_type"] != "TS_GLOBAL"), line


def check_line(line):
    """(index, id, type) of a line."""
    element = json.loads(line, object_pairs_hook=no_field_twice)
    kind = element["elem_type"]
    assert kind.startswith(PREFIX), line
    kind = kind[len(PREFIX):]
    check_fields(element, {**COMMON, **ELEMENTS[kind]}, line)
    check_together(element, kind, line)
    return element["index"], int(element["id"], 16), PREFIX + kind


def decode(name, *options):
    """The lines for the golden list of this name: SNAPSHOT.BUFFER, or SNAPSHOT.BUFFER.OPTION."""
    snapshot, buffer, *words = name.split(".")
    run = subprocess.run(
        [os.environ["CSREPLAY"], "decode", "--buffer", buffer,
         *(OPTIONS[word] for word in words), *options,
         shared("corpus", "opencsd", snapshot)],
        stdout=subprocess.PIPE, encoding="utf-8", check=False)
    assert run.returncode >= 0, (name, run.returncode)
    return run.stdout.splitlines()


def check_snapshot(name):
    found = [check_line(line) for line in decode(name, "--format", "json")]
    matches = [TEXT_TYPE.match(line) for line in decode(name)]
    texts = [(int(m[1]), int(m[2], 16), m[3]) for m in matches if m]
    assert found == texts, (name, len(found), len(texts))
    assert found, name
    print(name, len(found))
    return {kind for _, _, kind in found}


def main():
    folder = shared("golden")
    names = sorted(re.sub(r"\.(elements\.gz|sha256)$", "", file) for file in os.listdir(folder)
                   if file.endswith((".elements.gz", ".sha256")))
    assert len(names) >= 40, names
    kinds = set().union(*(check_snapshot(name) for name in names))
    print("never seen:", *sorted({PREFIX + kind for kind in ELEMENTS} - kinds))


main()
