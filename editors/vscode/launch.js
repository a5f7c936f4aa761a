// SPDX-License-Identifier: Apache-2.0
// What a launch configuration of csreplay is for cdt-gdb-adapter: the server to start, the gdb to connect, and the
// commands that gdb gets. In: the configuration's keys (package.json). Out: arguments of its GDBTargetDebugSession.
"use strict";

const fs = require("fs");
const path = require("path");

// The script lies beside this file in the package, and at the root of the project in its sources.
function findScript() {
    const places = [path.join(__dirname, "gdbinit"), path.join(__dirname, "..", "..", "gdbinit")];
    return places.find((place) => fs.existsSync(place));
}

// A word of a gdb command in which blanks are not between words.
function quoted(word) {
    return `"${word.replace(/(["\\])/g, "\\$1")}"`;
}

function serverArguments(configuration) {
    const images = [...(configuration.program ? [configuration.program] : []), ...(configuration.images || [])];
    return ["serve", "--listen", "127.0.0.1:0", "--once", ...images.flatMap((image) => ["--image", image]),
        ...(configuration.arguments || []), configuration.snapshot];
}

function targetArguments(configuration) {
    const script = configuration.gdbinit || findScript();
    if (!configuration.snapshot)
        throw new Error("csreplay: the launch configuration has no \"snapshot\"");
    if (!script)
        throw new Error("csreplay: its script for gdb is not there: set \"gdbinit\" in the launch configuration");
    return {
        ...configuration,
        gdb: configuration.gdb || "gdb-multiarch",
        preConnectCommands: [
            // A program that is not the snapshot's is told by the server, with the place.
            "set exec-file-mismatch off",
            `source ${script}`,
            ...(configuration.sourceFolders || []).map((folder) => `directory ${quoted(folder)}`),
        ],
        // MI connects past the hook of the script's `target remote`.
        initCommands: ["csreplay-front-end", "csreplay-trust", ...(configuration.initCommands || [])],
        target: {
            type: "remote",
            host: "127.0.0.1",
            server: configuration.csreplay || "csreplay",
            serverParameters: serverArguments(configuration),
            serverPortRegExp: "listening on [^\\n]*:([0-9]+)\\r?\\n",
            portDetectionTimeout: 600000, // a long trace is decoded first
        },
    };
}

module.exports = { targetArguments };
