#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Snapshots in archives, whole program: an archive shows what the folder shows, whatever its kind,
its name and the folder in it; a hostile or damaged one has its exact message; nothing is left
after.

The archives are made here of the bundled example.
"""
import gzip
import io
import json
import os
import stat
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

CSREPLAY = os.environ["CSREPLAY"]
EXAMPLE = os.path.join(os.environ["CSREPLAY_SOURCE"], "examples", "sensorhub")
NAMES = sorted(os.listdir(EXAMPLE))
LIMIT = 8 << 30


def content(name):
    with open(os.path.join(EXAMPLE, name), "rb") as file:
        return file.read()


class Packages(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.temporary = os.path.join(self.folder, "tmp")
        os.mkdir(self.temporary)

    def run_on(self, command, archive, *options):
        """The program's exit code and output; what it left in any folder is a failure."""
        before = {folder: sorted(names + files) for folder, names, files in os.walk(self.folder)}
        done = subprocess.run([CSREPLAY, command, *options, archive], capture_output=True,
                              text=True, timeout=60, cwd=self.folder,
                              env={**os.environ, "TMPDIR": self.temporary}, check=False)
        after = {folder: sorted(names + files) for folder, names, files in os.walk(self.folder)}
        self.assertEqual(before, after)
        return done.returncode, done.stdout, done.stderr

    def path(self, name):
        return os.path.join(self.folder, name)

    def make_zip(self, name, folder="", without=(), **options):
        with zipfile.ZipFile(self.path(name), "w", zipfile.ZIP_DEFLATED, **options) as archive:
            for member in NAMES:
                if member not in without:
                    archive.write(os.path.join(EXAMPLE, member), folder + member)
        return name

    def make_tar(self, name, mode="w", folder="", extra=(), **options):
        with tarfile.open(self.path(name), mode, **options) as archive:
            for member in NAMES:
                archive.add(os.path.join(EXAMPLE, member), folder + member)
            for info, data in extra:
                archive.addfile(info, io.BytesIO(data))
        return name

    def assert_same(self, archive):
        """Elements and instructions are those of the folder."""
        for command in ("decode", "history"):
            self.assertEqual(self.run_on(command, archive), self.run_on(command, EXAMPLE))
        self.assertEqual(self.run_on("check", archive), (0, "0 errors, 0 warnings\n", ""))

    def check_says(self, archive, *errors):
        code, _, err = self.run_on("check", archive)
        self.assertEqual(code, 1)
        self.assertEqual(err.splitlines(), [f"{archive}: error: {error}" for error in errors])

    def test_each_kind_is_the_folder(self):
        self.assert_same(self.make_zip("a.zip"))
        self.assert_same(self.make_tar("a.tar"))
        self.assert_same(self.make_tar("a.tar.gz", "w:gz"))
        self.assert_same(self.make_tar("a.tar.xz", "w:xz"))

    def test_name_says_nothing(self):
        self.assert_same(self.make_zip("snapshot"))
        self.assert_same(self.make_tar("b.zip", "w:gz"))

    def test_folder_in_the_archive(self):
        self.assert_same(self.make_zip("a.zip", folder="sensorhub/"))
        self.assert_same(self.make_tar("a.tar", folder="./a/b c/"))

    def test_names_beyond_ascii(self):
        self.assert_same(self.make_zip("a.zip", folder="Übung/"))
        for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
            self.assert_same(self.make_tar("a.tar", folder="Übung/", format=form))
        with tarfile.open(self.path("latin.tar"), "w", encoding="latin-1",
                          format=tarfile.GNU_FORMAT) as archive:
            for member in NAMES:
                archive.add(os.path.join(EXAMPLE, member), "Übung/" + member)
        self.assert_same("latin.tar")

    def test_highest_snapshot_counts(self):
        """What lies deeper is data of the snapshot."""
        with zipfile.ZipFile(self.path(self.make_zip("a.zip")), "a") as archive:
            archive.writestr("old/snapshot.ini", "[snapshot]\nversion=9\n")
        self.assert_same("a.zip")

    def test_image_is_named_in_the_archive(self):
        self.make_zip("a.zip", folder="sensorhub/")
        code, out, _ = self.run_on("info", "a.zip", "--format", "json")
        self.assertEqual(code, 0)
        images = json.loads(out)["images"]
        self.assertEqual([image["file"] for image in images],
                         [os.path.realpath(self.path("a.zip")) + "/sensorhub/sensorhub.elf"])

    def test_no_place_on_disk_is_needed(self):
        self.make_zip("a.zip")
        self.temporary = self.path("nowhere")
        self.assertEqual(self.run_on("decode", "a.zip"), self.run_on("decode", EXAMPLE))

    def test_allow_outside_does_not_open_the_folder_of_the_archive(self):
        with open(self.path("stack.bin"), "wb") as file:
            file.write(content("stack.bin"))
        self.make_zip("a.zip", without=("stack.bin",))
        for options in ((), ("--allow-outside",)):
            code, _, err = self.run_on("check", "a.zip", *options)
            self.assertEqual(code, 1)
            self.assertRegex(err, r'\Acpu_0.ini:\d+: error: cannot open "stack.bin": the archive has '
                                  r'no member "stack.bin"\n'
                                  r'cpu_0.ini:\d+: warning: core "cpu_0": sp at the halt is 0x[0-9a-f]+, where the '
                                  r'snapshot has no memory, though it has data: sp is wrong, or no stack was dumped\n\Z')

    def test_hostile_members_are_left_out(self):
        def member(name, kind=tarfile.REGTYPE, target="", data=b""):
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = kind, target, len(data)
            return info, data

        self.make_tar("a.tar", extra=[
            member("../up.bin", data=b"x"), member("/" + self.folder[1:] + "/abs.bin", data=b"x"),
            member("a/../../up.bin", data=b"x"), member("trace.bin", data=b"x"),
            member("soft", tarfile.SYMTYPE, "/etc/passwd"), member("soft/x.bin", data=b"x"),
            member("hard", tarfile.LNKTYPE, "../../etc/passwd"), member("fifo", tarfile.FIFOTYPE),
            member("device", tarfile.CHRTYPE)])
        leads = "has a name that leads out of the archive; it is left out"
        self.check_says(
            "a.tar", f'member "../up.bin" {leads}', f'member "{self.folder}/abs.bin" {leads}',
            f'member "a/../../up.bin" {leads}',
            'member "trace.bin" is there already; it is left out',
            'member "soft" is a link; it is left out', 'member "hard" is a link; it is left out',
            'member "fifo" is not a regular file; it is left out',
            'member "device" is not a regular file; it is left out')
        self.assertEqual(self.run_on("decode", "a.tar")[:2], self.run_on("decode", EXAMPLE)[:2])

    def test_link_in_a_zip_is_left_out(self):
        with zipfile.ZipFile(self.path(self.make_zip("a.zip")), "a") as archive:
            info = zipfile.ZipInfo("link.bin")
            info.create_system = 3
            info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, "/etc/passwd")
        self.check_says("a.zip", 'member "link.bin" is a link; it is left out')

    def test_archive_in_an_archive_is_data(self):
        with zipfile.ZipFile(self.path(self.make_zip("a.zip")), "a") as archive:
            archive.write(self.path(self.make_tar("inner.tar")), "inner.tar")
        self.assert_same("a.zip")

    def test_bomb_is_refused_by_what_it_says(self):
        info = tarfile.TarInfo("bomb.bin")
        info.size = LIMIT + 1
        with gzip.open(self.path("a.tar.gz"), "wb") as file:
            file.write(info.tobuf(tarfile.GNU_FORMAT))
        self.check_says("a.tar.gz", f'with member "bomb.bin" the archive unpacks to {LIMIT + 1} '
                                    f'bytes or more, the limit is {LIMIT}')

    def test_bomb_of_members_is_refused(self):
        with tarfile.open(self.path("a.tar.gz"), "w:gz") as archive:
            for number in range(10001):
                archive.addfile(tarfile.TarInfo(f"{number}.bin"))
        self.check_says("a.tar.gz", "the archive has more members than the limit of 10000")

    def test_member_that_is_larger_than_said_is_left_out(self):
        """Both places of a zip that say a size lie."""
        self.make_zip("a.zip")
        with zipfile.ZipFile(self.path("a.zip")) as archive:
            local = archive.getinfo("stack.bin").header_offset
        with open(self.path("a.zip"), "r+b") as file:
            data = file.read()
            for offset in (local + 22, data.rindex(b"stack.bin") - 46 + 24):
                file.seek(offset)
                file.write(struct.pack("<I", 100))
        code, _, err = self.run_on("check", "a.zip")
        self.assertEqual(code, 1)
        lines = err.splitlines()
        self.assertRegex(lines[0], r'^a\.zip: error: member "stack\.bin" (is damaged: .*|has more '
                                   r'bytes than the 100 that the archive says); .* left out$')
        self.assertRegex(lines[1], r'cannot open "stack.bin": the archive has no member')

    def test_cut_archives_end_in_an_error(self):
        """The reason is libarchive's and changes with its version."""
        for name in (self.make_zip("a.zip"), self.make_tar("a.tar"),
                     self.make_tar("a.tar.gz", "w:gz"), self.make_tar("a.tar.xz", "w:xz")):
            with open(self.path(name), "rb") as file:
                whole = file.read()
            for part in (300, len(whole) // 3, len(whole) // 2):
                with open(self.path("cut"), "wb") as file:
                    file.write(whole[:part])
                for command in ("check", "decode", "info"):
                    code, _, err = self.run_on(command, "cut")
                    self.assertEqual(code, 1, (name, part, err))
                    self.assertRegex(err, r'^cut: error: (member "[^"]+" is damaged|cannot read the '
                                          r'archive|the archive (is damaged|holds neither))')

    def test_cut_behind_the_snapshot_is_whole_enough(self):
        extra = tarfile.TarInfo("z.bin")
        extra.size = 100000
        self.make_tar("a.tar", extra=[(extra, bytes(100000))])
        with open(self.path("a.tar"), "r+b") as file:
            file.truncate(os.path.getsize(self.path("a.tar")) - 50000)
        code, out, err = self.run_on("decode", "a.tar")
        self.assertEqual((code, out), self.run_on("decode", EXAMPLE)[:2])
        self.assertRegex(err, r'^a\.tar: error: member "z\.bin" is damaged: .*; it and all after it '
                              r'are left out\n$')

    def test_what_is_no_archive_of_a_snapshot(self):
        with zipfile.ZipFile(self.path("none.zip"), "w") as archive:
            archive.writestr("x.bin", "x")
        with zipfile.ZipFile(self.path("empty.zip"), "w"):
            pass
        with zipfile.ZipFile(self.path("two.zip"), "w") as archive:
            archive.writestr("a/snapshot.ini", "")
            archive.writestr("b/contents.ini", "")
        with open(self.path("text.gz"), "wb") as file:
            file.write(gzip.compress(b"text"))
        neither = "the archive holds neither a snapshot.ini nor a contents.ini"
        self.check_says("none.zip", neither)
        self.check_says("empty.zip", neither)
        self.check_says("two.zip", 'the archive holds several snapshots, such as "a/snapshot.ini" '
                                   'and "b/contents.ini"; expected one')
        code, _, err = self.run_on("check", "text.gz")
        self.assertEqual(code, 1)
        self.assertRegex(err, r"^text\.gz: error: cannot read the archive: .*\n$")

    def test_encrypted_member_is_left_out(self):
        """The bit alone: Python does not encrypt."""
        self.make_zip("a.zip")
        with zipfile.ZipFile(self.path("a.zip")) as archive:
            local = archive.getinfo("truth.gz").header_offset
        with open(self.path("a.zip"), "r+b") as file:
            data = file.read()
            for offset in (local + 6, data.rindex(b"truth.gz") - 46 + 8):
                flags = struct.unpack_from("<H", data, offset)[0]
                file.seek(offset)
                file.write(struct.pack("<H", flags | 1))
        self.check_says("a.zip", 'member "truth.gz" is encrypted; it is left out')


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=sys.argv[:1])
