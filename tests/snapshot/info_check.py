# SPDX-License-Identifier: Apache-2.0
"""`csreplay info` and `csreplay check` on a snapshot made here: output, diagnostics, exit codes."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

CSREPLAY = os.environ["CSREPLAY"]

HEAD = """[snapshot]
version=1.0
description=made by a test
[device_list]
device0=cpu_0.ini
device1=etm_0.ini
[clusters]
Cluster 0=cpu_0
[trace]
metadata=trace.ini
"""
CORE = """[device]
name=cpu_0
class=core
type=Cortex-A53
[regs]
PC(size:64)=0x1000
SP(size:64)=0x2000
CPSR=0x3C5
[dump0]
file=mem.bin
address=0x1000
space=EL1N
"""
SOURCE = """[device]
name=ETM_0
class=trace_source
type=ETM4.0
[regs]
TRCIDR0=0x28000EA1
TRCIDR1=0x4100F403
TRCIDR2=0x488
TRCIDR8=0
TRCIDR9=0
TRCIDR10=0
TRCIDR11=0
TRCIDR12=0
TRCIDR13=0
TRCTRACEIDR=0x12
TRCCONFIGR=0xC1
TRCAUTHSTATUS=0xCC
"""
TRACE = """[trace_buffers]
buffers=buffer0
[buffer0]
name=ETB_0
file=trace.bin
format=coresight
[core_trace_sources]
cpu_0=ETM_0
"""
FILES = {
    "snapshot.ini": HEAD,
    "cpu_0.ini": CORE,
    "etm_0.ini": SOURCE,
    "trace.ini": TRACE,
    "mem.bin": "0123456789abcdef",
    "trace.bin": "\0" * 32,
}


class InfoAndCheck(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name, content in FILES.items():
            self.write(name, content)

    def write(self, name, content):
        pathlib.Path(self.folder.name, name).write_text(content)

    def run_csreplay(self, command, *options):
        return subprocess.run(
            [CSREPLAY, command, *options, self.folder.name],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def test_check_of_a_sound_snapshot_finds_nothing(self):
        done = self.run_csreplay("check")
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout, "0 errors, 0 warnings\n")
        self.assertEqual(done.returncode, 0)

    def test_check_reports_all_problems(self):
        self.write("trace.bin", "x" * 17)
        self.write("cpu_0.ini", CORE.replace("CPSR=0x3C5\n", "X0=0x100000000\n"))
        done = self.run_csreplay("check")
        self.assertEqual(done.stderr, (
            'cpu_0.ini:8: error: register "X0": value 0x100000000 needs 33 bits, '
            'its size is 32\n'
            'cpu_0.ini:1: error: core "cpu_0" (AArch64) has no register CPSR\n'
            'trace.ini:3: error: buffer "ETB_0": file "trace.bin" is 17 bytes, '
            'expected a multiple of 16\n'))
        self.assertEqual(done.stdout, "3 errors, 0 warnings\n")
        self.assertEqual(done.returncode, 1)

    def test_check_of_a_warning_is_fine(self):
        self.write("snapshot.ini", HEAD.replace("=cpu_0\n", "=cpu_0,cpu_1\n"))
        done = self.run_csreplay("check")
        self.assertEqual(done.stderr,
                         'snapshot.ini:8: warning: cluster "Cluster 0": there is no device '
                         '"cpu_1"\n')
        self.assertEqual(done.stdout, "0 errors, 1 warning\n")
        self.assertEqual(done.returncode, 0)

    def test_clusters(self):
        """Devices of any class, each in one cluster; what is odd is told (format 1.0, 3.1.3)."""
        second = CORE.replace("name=cpu_0", "name=cpu_1").replace("[dump0]", "").split("file=")[0]
        self.write("cpu_1.ini", second)
        self.write("cpu_2.ini", second.replace("cpu_1", "cpu_2"))
        self.write("snapshot.ini", HEAD.replace("[clusters]\nCluster 0=cpu_0\n", (
            "device2=cpu_1.ini\ndevice3=cpu_2.ini\n"
            "[clusters]\nbig=cpu_0,ETM_0\nlittle=CPU_1,cpu_0\nbig=cpu_2\n")))
        done = self.run_csreplay("check")
        self.assertEqual(done.stderr, (
            'snapshot.ini:11: warning: cluster "little": device "cpu_0" is in cluster "big" already\n'
            'snapshot.ini:12: warning: cluster "big" is ignored: the first of that name is in line '
            '10\n'
            'cpu_2.ini:1: warning: core "cpu_2" is in no cluster\n'))
        self.assertEqual(done.returncode, 0)
        self.assertIn("\nclusters\n  name    devices\n  big     cpu_0,ETM_0\n  little  cpu_1\n",
                      self.run_csreplay("info").stdout)
        info = json.loads(self.run_csreplay("info", "--format", "json").stdout)
        self.assertEqual(info["clusters"], [{"name": "big", "devices": ["cpu_0", "ETM_0"]},
                                            {"name": "little", "devices": ["cpu_1"]}])
        self.assertEqual([core.get("cluster") for core in info["cores"]], ["big", "little", None])

    def test_without_the_section_all_cores_are_in_one_cluster(self):
        self.write("snapshot.ini", HEAD.replace("[clusters]\nCluster 0=cpu_0\n", ""))
        info = json.loads(self.run_csreplay("info", "--format", "json").stdout)
        self.assertEqual(info["clusters"], [{"devices": ["cpu_0"]}])
        self.assertNotIn("\nclusters\n", self.run_csreplay("info").stdout)

    def test_check_of_another_version_fails(self):
        self.write("snapshot.ini", HEAD.replace("1.0", "1.1"))
        done = self.run_csreplay("check")
        self.assertEqual(done.stderr, 'snapshot.ini:2: error: version "1.1" is not supported, '
                                      'expected "1.0"\n')
        self.assertEqual(done.returncode, 1)

    def test_check_obeys_allow_outside(self):
        with tempfile.NamedTemporaryFile() as outside:
            outside.write(b"0123")
            outside.flush()
            self.write("cpu_0.ini", CORE.replace("mem.bin", outside.name))
            self.assertEqual(self.run_csreplay("check").returncode, 1)
            self.assertEqual(self.run_csreplay("check", "--allow-outside").returncode, 0)

    def test_info_json_has_everything(self):
        done = self.run_csreplay("info", "--format", "json")
        self.assertEqual(done.returncode, 0)
        info = json.loads(done.stdout)
        self.assertEqual(info["snapshot"], self.folder.name)
        self.assertEqual(info["description"], "made by a test")
        core = info["cores"][0]
        self.assertEqual(core["instructions"], 0)
        self.assertEqual((core["thread"], core["name"], core["state"], core["pc"],
                          core["cluster"], core["sources"]),
                         (1, "cpu_0", "AArch64", "0x1000", "Cluster 0", ["ETM_0"]))
        self.assertEqual(info["sources"], [
            {"name": "ETM_0", "type": "ETM4.0", "protocol": "ETMv4", "trace_id": 0x12,
             "core": "cpu_0", "buffers": ["ETB_0"]}])
        self.assertEqual(info["buffers"], [
            {"id": "buffer0", "name": "ETB_0", "format": "coresight", "bytes": 32,
             "file": "trace.bin"}])
        self.assertEqual(info["images"], [])
        self.assertEqual([device["name"] for device in info["devices"]], ["cpu_0", "ETM_0"])
        self.assertEqual(info["devices"][0]["dumps"], [
            {"name": "dump0", "space": "EL1N", "address": "0x1000", "bytes": 16, "offset": 0,
             "file": "mem.bin"}])

    def test_info_text_is_aligned(self):
        done = self.run_csreplay("info")
        self.assertEqual(done.returncode, 0)
        self.assertIn("\ntrace sources\n"
                      "  name   type    protocol  id    core   buffers\n"
                      "  ETM_0  ETM4.0  ETMv4     0x12  cpu_0  ETB_0\n", done.stdout)
        self.assertIn("\ntrace buffers\n"
                      "  name   format     bytes  file\n"
                      "  ETB_0  coresight  32     trace.bin\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
