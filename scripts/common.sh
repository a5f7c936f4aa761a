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
libdw-dev       library:libdw        source lines
libinih-dev     library:inih         snapshot files
libcapstone-dev library:capstone     disassembly
libarchive-dev  library:libarchive   snapshots in archives
libroaring-dev  header:roaring/roaring.h  address index
libcmocka-dev   library:cmocka       unit tests
python3         command:python3      tests
gdb-multiarch   command:gdb-multiarch  debugger
'

is_there() {
	case $1 in
	command:*) command -v "${1#command:}" >/dev/null 2>&1 ;;
	header:*) echo "#include <${1#header:}>" | cc -E - >/dev/null 2>&1 ;;
	library:*) pkg-config --exists "${1#library:}" 2>/dev/null ;;
	esac
}

missing_packages() {
	local package check
	while read -r package check _; do
		[ -z "$package" ] || is_there "$check" || echo "$package"
	done <<<"$needs"
}

# Installs what is missing, saying what. Ends the script with what is to be done if it cannot.
install_needs() {
	local missing as_root=()
	mapfile -t missing < <(missing_packages)
	[ "${#missing[@]}" -gt 0 ] || return 0
	if ! command -v apt-get >/dev/null; then
		echo "There is no apt-get here. Please install what Debian calls: ${missing[*]}" >&2
		exit 1
	fi
	if [ "$(id -u)" -ne 0 ]; then
		if ! command -v sudo >/dev/null; then
			echo "Please install as root: apt-get install ${missing[*]}" >&2
			exit 1
		fi
		as_root=(sudo)
	fi
	echo "Installing with ${as_root[*]:+${as_root[*]} }apt-get: ${missing[*]}"
	"${as_root[@]}" apt-get update -q
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
		apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null
	mapfile -t missing < <(missing_packages)
	if [ "${#missing[@]}" -gt 0 ]; then
		echo "Still missing after the installation: ${missing[*]}" >&2
		exit 1
	fi
}
