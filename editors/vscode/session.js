// SPDX-License-Identifier: Apache-2.0
// A debug session on a crash snapshot: cdt-gdb-adapter's session with a remote target, which also goes backwards.
// In: requests of the debug adapter protocol. Out: commands for gdb, and events.
"use strict";

const { GDBTargetDebugSession } = require("cdt-gdb-adapter");
const { targetArguments } = require("./launch");

const CONFIGURATION_DONE = 4; // its enum ConfiguringState: DONE

const CAPABILITIES = {
    supportsStepBack: true,
    supportsRestartRequest: true,
    // The past is what it was.
    supportsSetVariable: false,
    supportsWriteMemoryRequest: false,
    supportsTerminateRequest: false,
};

class ReplaySession extends GDBTargetDebugSession {
    // The base class sends its capabilities where it makes them.
    sendResponse(response) {
        if (response.command === "initialize" && response.success)
            Object.assign(response.body, CAPABILITIES);
        super.sendResponse(response);
    }

    async launchRequest(response, args) {
        try {
            await super.launchRequest(response, targetArguments(args));
        } catch (error) {
            this.sendErrorResponse(response, 1, String(error.message || error));
        }
    }

    attachRequest(response) {
        this.sendErrorResponse(response, 1, "csreplay: there is nothing to attach to; use \"request\": \"launch\"");
    }

    // The base class lets the program run when breakpoints are set. A replay stands at the halt, and stays there.
    async configurationDoneRequest(response) {
        this.configuringState = CONFIGURATION_DONE;
        this.pauseCount = 0;
        this.sendResponse(response);
        await this.tellStop("entry");
    }

    async tellStop(reason) {
        const thread = await this.gdb.queryCurrentThreadId();
        this.sendStoppedEvent(reason, thread, true);
    }

    // Runs a command of gdb that moves; gdb tells the stop by itself.
    async move(response, command) {
        try {
            await this.gdb.sendCommand(command);
            this.sendResponse(response);
        } catch (error) {
            this.sendErrorResponse(response, 1, String(error.message || error));
        }
    }

    async stepBackRequest(response, args) {
        const what = args.granularity === "instruction" ? "-exec-next-instruction" : "-exec-next";
        await this.move(response, `${what} --thread ${args.threadId} --reverse`);
    }

    async reverseContinueRequest(response, args) {
        response.body = { allThreadsContinued: false };
        await this.move(response, `-exec-continue --thread ${args.threadId} --reverse`);
    }

    // The bytes from a place on that are known, and how many after them are not. Where that is less than was asked for, gdb 13
    // has one byte more than it has read at the end.
    async readMemoryRequest(response, args) {
        const offset = args.offset || 0;
        const read = async (at, count) =>
            (await this.gdb.sendCommand(`-data-read-memory-bytes -o ${at} "${args.memoryReference}" ${count}`)).memory[0];
        const isKnown = (at) => read(at, 1).then(() => true, () => false);
        try {
            const { value } = await this.gdb.sendCommand(`-data-evaluate-expression "(unsigned long long)(${args.memoryReference})"`);
            const block = args.count ? await read(offset, args.count).catch(() => undefined) : undefined;
            let bytes = Buffer.from(block && Number(block.offset) === 0 ? block.contents : "", "hex");
            if (bytes.length > 0 && bytes.length < args.count && !(await isKnown(offset + bytes.length - 1)))
                bytes = bytes.subarray(0, -1);
            const unknown = block && Number(block.offset) > 0 ? Number(block.offset) : args.count - bytes.length;
            response.body = { address: `0x${(BigInt(value) + BigInt(offset)).toString(16)}`, unreadableBytes: unknown };
            if (bytes.length > 0)
                response.body.data = bytes.toString("base64");
            this.sendResponse(response);
        } catch (error) {
            this.sendErrorResponse(response, 1, String(error.message || error));
        }
    }

    // Once more from the crash.
    async restartRequest(response) {
        try {
            await this.gdb.sendCommand("crash");
            this.sendResponse(response);
            await this.tellStop("restart");
        } catch (error) {
            this.sendErrorResponse(response, 1, String(error.message || error));
        }
    }

    // A command line of gdb; what it prints.
    async ask(command) {
        const lines = [];
        const listen = (text) => lines.push(text);
        this.gdb.addListener("consoleStreamOutput", listen);
        try {
            await this.gdb.sendCommand(command);
        } finally {
            this.gdb.removeListener("consoleStreamOutput", listen);
        }
        return lines.join("");
    }

    async position() {
        const { value } = await this.gdb.sendCommand("-data-evaluate-expression $trace_pos");
        return value;
    }

    // "csreplay/ask" {command}, or {seek}: a position as `monitor seek` takes it. After {seek}, and with `moves`, the
    // editor looks anew at what is there.
    async askRequest(response, args) {
        const moves = args.moves || args.seek !== undefined;
        try {
            const output = await this.ask(args.seek === undefined ? args.command : `monitor seek ${args.seek}`);
            if (moves)
                await this.gdb.sendCommand("maintenance flush register-cache");
            response.body = { output, position: await this.position() };
            this.sendResponse(response);
            if (moves)
                await this.tellStop("goto");
        } catch (error) {
            this.sendErrorResponse(response, 1, String(error.message || error));
        }
    }

    customRequest(command, response, args) {
        if (command === "csreplay/ask")
            return this.askRequest(response, args);
        return super.customRequest(command, response, args);
    }
}

module.exports = { ReplaySession };
