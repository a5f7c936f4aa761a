#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small snapshots of all kinds, which whole.py and fuzz_commands damage: a folder each, or one file where the snapshot is one.

usage: bases.py FOLDER [SYNTH [SHARED]]		those that are not LARGE

Of the project: the example with the last 165 instructions of its trace, archives of it, ELF core files, Tarmac texts and, made
by SYNTH, two cores. Of SHARED, a folder of recordings, what is small; of their traces the last few frames.
"""
import io
import os
import sys
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))
import two_cores  # noqa: E402  (beside the tests)

TRACE_MOST = 1536  # bytes of a trace, whole frames of 16
FOLDER_MOST = 700000  # bytes of a folder that is taken
RECORDED = ("a57_single_step", "armv8_1m_branches", "event_test", "init-short-addr", "itm_only_csformat", "stm_only", "stm_only-2",
            "a55-test-tpiu", "juno-ret-stck", "tc2-ptm-rstk-t32", "TC2", "trace_cov_a15", "ete_ip", "feat_cmpbr", "src_addr")
CRASHES = ("sort_cmp_A32_O1", "uaf_alloc_O0", "parser_recurse_O2")
# What takes over a tenth of a second in all command lines.
LARGE = {*CRASHES, "a55-test-tpiu", "a57_single_step", "feat_cmpbr", "juno-ret-stck", "tc2-ptm-rstk-t32", "TC2", "trace_cov_a15", "tar_xz"}
TEXTS = ("crash32.tarmac", "crash32m.tarmac", "crash64.tarmac", "loop.tarmac")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def folder(path):
    """Its files by name, but for those that are no part of a snapshot."""
    return {name: read(os.path.join(path, name)) for name in sorted(os.listdir(path))
            if os.path.isfile(os.path.join(path, name)) and not name.endswith((".gz", ".json", ".txt", ".c"))}


def traces(files):
    """Names of the trace buffers: what trace.ini says."""
    text = files.get("trace.ini", b"").decode(errors="replace")
    said = [line.partition("=")[2].strip() for line in text.splitlines() if line.partition("=")[0].strip() == "file"]
    return [name for value in said for name in (part.strip() for part in value.split(",")) if name in files]


def short(files):
    return {name: data[-TRACE_MOST:] if name in traces(files) else data for name, data in files.items()}


def tar(files, kind=""):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:" + kind) as archive:
        for name, data in files.items():
            member = tarfile.TarInfo("snapshot/" + name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def synthesized(synth):
    with tempfile.TemporaryDirectory() as scratch:
        two_cores.Scene(synth, scratch, lengths=(150, 90), late=(0, 20), size=60, kind=two_cores.Loop)
        return {name: data for name, data in folder(scratch).items() if name != "recipe"}


def own(synth):
    corpus = os.path.join(HERE, "..", "corpus")
    example = {**folder(os.path.join(HERE, "..", "..", "..", "examples", "sensorhub")), **folder(os.path.join(HERE, "..", "short"))}
    found = {"example": example, "tar": {"example.tar": tar(example)}, "tar_gz": {"example.tar.gz": tar(example, "gz")},
             "tar_xz": {"example.tar.xz": tar(example, "xz")}, "zip": {"example.zip": zipped(example)}}
    for kind, suffix in (("tarmac_history", ".tarmac"), ("elf_core", ".core")):
        for name in sorted(os.listdir(os.path.join(corpus, kind))):
            found[f"{kind}_{name}"] = {name + suffix: read(os.path.join(corpus, kind, name))}
    if synth:
        found["two_cores"] = synthesized(synth)
    return found


def recorded(shared):
    paths = [os.path.join(shared, "corpus", "opencsd", name) for name in RECORDED]
    paths += [os.path.join(shared, "corpus", "crashes", name) for name in CRASHES]
    found = {os.path.basename(path): short(folder(path)) for path in paths if os.path.isdir(path)}
    for name in TEXTS:
        path = os.path.join(shared, "corpus", "tarmac", name)
        if os.path.isfile(path):
            found[name] = {name: read(path)}
    return {name: files for name, files in found.items() if sum(map(len, files.values())) <= FOLDER_MOST}


def bases(synth="", shared=""):
    """{name: {file: bytes}}"""
    return {**own(synth), **(recorded(shared) if shared else {})}


def main():
    out = sys.argv[1]
    for name, files in bases(*sys.argv[2:]).items():
        if name in LARGE:
            continue
        os.makedirs(os.path.join(out, name), exist_ok=True)
        for file_name, data in files.items():
            with open(os.path.join(out, name, file_name), "wb") as file:
                file.write(data)


if __name__ == "__main__":
    sys.exit(main())
