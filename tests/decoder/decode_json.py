#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`decode --format json` says the same as the text, in lines of valid JSON.

The bundled example is decoded in both forms, with packets; each line of JSON is parsed and turned
back into the text of the element, as far as its fields tell.
"""
import json
import os
import subprocess
import sys

CLASSES = {"OTHER": "--- ", "BR": "BR  ", "BR_INDIRECT": "iBR ", "ISB": "ISB ",
           "DSB_DMB": "DSB.DMB", "WFI_WFE": "WFI.WFE", "TSTART": "TSTART"}
SUBCLASSES = {"NONE": "", "BR_LINK": "b+link ", "V8_RET": "A64:ret ", "V8_ERET": "A64:eret ",
              "V7_IMPLIED_RET": "V7:impl ret"}


def decode(snapshot, *options):
    return subprocess.run([os.environ["CSREPLAY"], "decode", *options, snapshot],
                          stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def text_of_range(e):
    return (f"exec range={e['st_addr']}:[{e['en_addr']}] num_i({e['num_instr_range']}) "
            f"last_sz({e['last_instr_sz']}) (ISA={e['isa']}) {'E' if e['last_instr_exec'] else 'N'} "
            f"{CLASSES[e['last_i_type']]}{SUBCLASSES[e['last_i_subtype']]}"
            f"{' <cond>' if e['last_instr_cond'] else ''}")


def text_of(e):
    """The element's text; None for what the test does not rebuild."""
    head = f"Idx:{e['index']}; ID:{int(e['id'], 16):x}; "
    kind = e["elem_type"]
    if kind == "PACKET":
        octets = bytes.fromhex(e["bytes"])
        return head + "[" + "".join(f"0x{b:02x} " for b in octets) + f"];\t{e['name']} : {e['fields']}"
    if kind == "OCSD_GEN_TRC_ELEM_INSTR_RANGE":
        return f"{head}{kind}({text_of_range(e)})"
    if kind in ("OCSD_GEN_TRC_ELEM_NO_SYNC", "OCSD_GEN_TRC_ELEM_EO_TRACE"):
        return f"{head}{kind}( [{e['unsync_eot_info']}])"
    if kind == "OCSD_GEN_TRC_ELEM_TIMESTAMP":
        return f"{head}{kind}( [ TS=0x{e['timestamp']:012x}]; )"
    if kind == "OCSD_GEN_TRC_ELEM_EXCEPTION":
        return (f"{head}{kind}(pref ret addr:{e['en_addr']}; "
                f"excep num (0x{e['exception_number']:02x}) )")
    return None


def main():
    snapshot = sys.argv[1]
    texts = decode(snapshot, "--packets")
    elements = [json.loads(line) for line in decode(snapshot, "--packets", "--format", "json")]
    assert len(texts) == len(elements) > 100, (len(texts), len(elements))
    rebuilt = 0
    for text, element in zip(texts, elements):
        expected = text_of(element)
        if expected is None:
            assert element["elem_type"].split("_")[-1] in text, (text, element)
            continue
        rebuilt += 1
        assert text == expected, f"{text}\n{expected}"
    assert rebuilt > len(elements) * 9 // 10, rebuilt


main()
