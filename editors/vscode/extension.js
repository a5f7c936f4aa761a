// SPDX-License-Identifier: Apache-2.0
// The extension: the debug type `csreplay`, and commands that ask the snapshot. The adapter is a process of its own
// (adapter.js); commands go to it as requests.
"use strict";

const path = require("path");
const vscode = require("vscode");

class Adapters {
    createDebugAdapterDescriptor() {
        // VS Code's own Node.js, so that none need be installed.
        return new vscode.DebugAdapterExecutable(process.execPath, [path.join(__dirname, "adapter.js")],
            { env: { ELECTRON_RUN_AS_NODE: "1" } });
    }
}

async function pickSnapshot() {
    const picked = await vscode.window.showOpenDialog({
        canSelectFiles: true, canSelectFolders: true, canSelectMany: false, openLabel: "Replay",
        title: "A crash snapshot: its folder or snapshot.ini, an archive, a core file or a Tarmac text",
    });
    return picked && picked[0].fsPath;
}

class Configurations {
    async resolveDebugConfiguration(_folder, configuration) {
        if (!configuration.type)
            Object.assign(configuration, { type: "csreplay", request: "launch", name: "Crash snapshot" });
        configuration.snapshot = configuration.snapshot || await pickSnapshot();
        return configuration.snapshot ? configuration : undefined;
    }
}

function session() {
    const active = vscode.debug.activeDebugSession;
    if (active && active.type === "csreplay")
        return active;
    void vscode.window.showInformationMessage("csreplay: no snapshot is being replayed");
    return undefined;
}

// {command}, {command, moves} or {seek}: see session.js.
async function ask(request) {
    const active = session();
    if (!active)
        return undefined;
    try {
        return await active.customRequest("csreplay/ask", request);
    } catch (error) {
        void vscode.window.showErrorMessage(`csreplay: ${error.message}`);
        return undefined;
    }
}

async function show(command) {
    const answer = await ask({ command });
    if (answer)
        vscode.debug.activeDebugConsole.appendLine(answer.output.trimEnd());
}

// What is selected in the editor, or what the user says.
async function subject(prompt) {
    const editor = vscode.window.activeTextEditor;
    const selected = editor ? editor.document.getText(editor.selection).trim() : "";
    return vscode.window.showInputBox({ prompt, value: selected, placeHolder: "x0, 0x401650+8, a variable" });
}

async function askAbout(command, prompt) {
    const word = await subject(prompt);
    if (word)
        await show(`monitor ${command} ${word}`);
}

// What is wrong with a position is said in the answer.
async function goTo(seek) {
    const answer = await ask({ seek });
    if (answer)
        vscode.debug.activeDebugConsole.appendLine(answer.output.trimEnd());
}

const POSITIONS = "N, -N from the halt, +N, begin, end, 50%, @TIME, @10us-before-end, FUNCTION#N, exception, gap, crash, or a mark";

async function seek() {
    const where = await vscode.window.showInputBox({ prompt: "Go to a position", placeHolder: POSITIONS });
    if (where)
        await goTo(where);
}

async function mark() {
    const name = await vscode.window.showInputBox({ prompt: "A name for this position" });
    if (name)
        await show(`monitor mark ${name}`);
}

async function marks() {
    const answer = await ask({ command: "monitor marks" });
    if (!answer)
        return;
    const rows = answer.output.split("\n").map((line) => line.match(/: (\S+) is (position \d+.*)$/)).filter(Boolean);
    const picked = await vscode.window.showQuickPick(rows.map((row) => ({ label: row[1], description: row[2] })),
        { placeHolder: rows.length > 0 ? "Go to a name" : "No position has a name yet" });
    if (picked)
        await goTo(picked.label);
}

const commands = {
    "csreplay.pickSnapshot": pickSnapshot,
    "csreplay.seek": seek,
    "csreplay.mark": mark,
    "csreplay.marks": marks,
    "csreplay.why": () => askAbout("why", "Why is this value known, or not?"),
    "csreplay.origin": () => askAbout("origin", "Where was this value made?"),
    "csreplay.lastWrite": () => askAbout("last-write", "Who wrote this last?"),
    "csreplay.crash": () => show("monitor crash"),
    "csreplay.reverseStepIn": () => ask({ command: "reverse-step", moves: true }),
    "csreplay.reverseStepOut": () => ask({ command: "reverse-finish", moves: true }),
};

function activate(context) {
    context.subscriptions.push(
        vscode.debug.registerDebugAdapterDescriptorFactory("csreplay", new Adapters()),
        vscode.debug.registerDebugConfigurationProvider("csreplay", new Configurations()),
        ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run)));
}

module.exports = { activate };
