#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes csreplay-VERSION.vsix, the extension with all that it needs but csreplay and gdb. Needs Node.js, npm and the
# network.
set -euo pipefail
cd "$(dirname "$0")"

npm ci --omit=dev --no-audit --no-fund
mkdir csreplay_gdb
trap 'rm -rf gdbinit csreplay_gdb LICENSE' EXIT
cp ../../gdbinit ../../LICENSE .
cp ../../csreplay_gdb/*.py csreplay_gdb
npx --yes @vscode/vsce@3 package --allow-missing-repository
