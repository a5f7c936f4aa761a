# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts/demo and scripts/test: where the project is, and what it needs installed.
# shellcheck shell=bash disable=SC2034

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# One line a need: Debian/Ubuntu package, how to see that it is there, and for what.
needs='
gcc             command:cc           C compiler
libc6-dev       header:stdio.h       C library headers
cmake           command:cmake        build
ninja-build     command:ninja        build
pkg-config      command:pkg-config   build
libelf-dev      library:libelf       ELF images
zlib1g-dev      library:zlib         compressed debug information
libinih-dev     library:inih         snapshot files
libcapstone-dev library:capstone     disassembly
libarchive-dev  library:libarchive   snapshots in archives
libedit-dev     library:libedit      lines of the shell
libseccomp-dev  library:libseccomp   what a server gives up
libroaring-dev  header:roaring/roaring.h  address index
libcmocka-dev   library:cmocka       unit tests
python3         command:python3      tests
gdb-multiarch   command:gdb-multiarch  debugger
'

# The same, of what some tests are skipped without.
wants='
qemu-user               command:qemu-aarch64            truth of A64, A32 and T32
qemu-system-arm         command:qemu-system-arm         truth of the M profile
gcc-aarch64-linux-gnu   command:aarch64-linux-gnu-gcc   A64 programs
libc6-dev-arm64-cross   file:/usr/aarch64-linux-gnu/include/stdio.h  theirs
gcc-arm-linux-gnueabihf command:arm-linux-gnueabihf-gcc A32 and T32 programs
libc6-dev-armhf-cross   file:/usr/arm-linux-gnueabihf/include/stdio.h  theirs
gcc-arm-none-eabi       command:arm-none-eabi-gcc       M-profile programs
lldb-22                 command:lldb-22                 debugger
valgrind                command:valgrind                instruction counts
strace                  command:strace                  which files are opened
clang-format-14         command:clang-format-14         the format of sources
clang-tidy-14           command:clang-tidy-14           what is suspicious in them
cppcheck                command:cppcheck                the same
shellcheck              command:shellcheck              the same of scripts
zsh                     command:zsh                     its completion script
fish                    command:fish                    the same
'

is_there() {
	case $1 in
	command:*) command -v "${1#command:}" >/dev/null 2>&1 ;;
	header:*) echo "#include <${1#header:}>" | cc -E - >/dev/null 2>&1 ;;
	file:*) [ -e "${1#file:}" ] ;;
	library:*) pkg-config --exists "${1#library:}" 2>/dev/null ;;
	esac
}

# Of a list like those above, the packages that are not there.
missing_of() {
	local package check
	while read -r package check _; do
		[ -z "$package" ] || is_there "$check" || echo "$package"
	done <<<"$1"
}

# Runs apt-get as root. Fails, saying why, if it cannot.
run_apt() {
	local as_root=()
	if ! command -v apt-get >/dev/null; then
		echo "There is no apt-get here." >&2
		return 1
	fi
	if [ "$(id -u)" -ne 0 ]; then
		if ! command -v sudo >/dev/null; then
			echo "Only root can install." >&2
			return 1
		fi
		as_root=(sudo)
	fi
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" </dev/null
}

install_packages() {
	echo "Installing with apt-get: $*"
	run_apt install -y --no-install-recommends "$@"
}

# Installs what is missing. Ends the script with what is to be done if it cannot.
install_needs() {
	local missing
	mapfile -t missing < <(missing_of "$needs")
	[ "${#missing[@]}" -gt 0 ] || return 0
	if run_apt update; then
		install_packages "${missing[@]}" || true
	fi
	mapfile -t missing < <(missing_of "$needs")
	if [ "${#missing[@]}" -gt 0 ]; then
		echo "Please install what Debian calls: ${missing[*]}" >&2
		exit 1
	fi
}

# Installs what some tests want, one by one, since not every distribution has all of it.
install_wants() {
	local missing package
	mapfile -t missing < <(missing_of "$wants")
	[ "${#missing[@]}" -gt 0 ] || return 0
	if run_apt update; then
		for package in "${missing[@]}"; do
			install_packages "$package" || true
		done
	fi
	mapfile -t missing < <(missing_of "$wants")
	[ "${#missing[@]}" -eq 0 ] || echo "Tests that want these are skipped: ${missing[*]}" >&2
}
