// SPDX-License-Identifier: Apache-2.0
// The debug adapter on the bundled example, with real gdb. `npm test`; CSREPLAY names the program csreplay.
"use strict";

const assert = require("node:assert");
const path = require("node:path");
const { test } = require("node:test");

const { Client } = require("./client");

const ROOT = path.join(__dirname, "..", "..", "..");
const EXAMPLE = path.join(ROOT, "examples", "sensorhub");
const SOURCE = path.join(EXAMPLE, "sensorhub.c");
const LAUNCH = {
    snapshot: EXAMPLE,
    program: path.join(EXAMPLE, "sensorhub.elf"),
    csreplay: process.env.CSREPLAY || path.join(ROOT, "build", "dev", "cli", "csreplay"),
    sourceFolders: [EXAMPLE],
};

async function start(configure = async () => {}) {
    const client = new Client();
    const capabilities = await client.request("initialize", { adapterID: "csreplay", linesStartAt1: true, columnsStartAt1: true, pathFormat: "path" });
    const initialized = client.event("initialized");
    await client.request("launch", LAUNCH);
    await initialized;
    await configure(client);
    const { stop } = await client.move("configurationDone", {});
    return { client, capabilities, stop, thread: stop.threadId };
}

async function leave(client) {
    await client.request("disconnect", {});
    client.child.stdin.end();
    await Promise.race([client.ended, new Promise((_, reject) => setTimeout(() => reject(new Error("the adapter stays")), 20000))]);
}

async function place(client, thread) {
    const { stackFrames } = await client.request("stackTrace", { threadId: thread });
    return stackFrames.map((frame) => `${frame.name}:${frame.line}`);
}

async function position(client) {
    return Number((await client.request("csreplay/ask", { command: "echo \\n" })).position);
}

test("a launch stands at the crash, and says that it goes backwards", async () => {
    const { client, capabilities, stop, thread } = await start();
    assert.strictEqual(capabilities.supportsStepBack, true);
    assert.strictEqual(capabilities.supportsSetVariable, false);
    assert.strictEqual(stop.reason, "entry");
    assert.deepStrictEqual(await place(client, thread), ["publish:167", "main:178"]);
    assert.strictEqual(await position(client), 40000);
    assert.match(client.output, /data fault at 0x400404: read of 0x322d7261/);
    const { threads } = await client.request("threads", {});
    assert.strictEqual(threads.length, 1);
    await leave(client);
});

test("step back, by line and by instruction, and forward again", async () => {
    const { client, thread } = await start();
    const byInstruction = await client.move("stepBack", { threadId: thread, granularity: "instruction" });
    assert.strictEqual(byInstruction.stop.threadId, thread);
    assert.strictEqual(await position(client), 39999);
    await client.move("stepBack", { threadId: thread });
    const back = await position(client);
    assert.ok(back < 39999);
    await client.move("next", { threadId: thread });
    assert.ok(await position(client) > back);
    await client.move("csreplay/ask", { command: "reverse-finish", moves: true });
    assert.deepStrictEqual(await place(client, thread), ["main:178"]);
    await leave(client);
});

test("breakpoints are met backwards, with variables as far as they are known", async () => {
    const { client, thread } = await start(async (one) => {
        const { breakpoints } = await one.request("setBreakpoints", { source: { path: SOURCE }, breakpoints: [{ line: 134 }] });
        assert.strictEqual(breakpoints[0].verified, true);
    });
    const { stop } = await client.move("reverseContinue", { threadId: thread });
    assert.strictEqual(stop.reason, "breakpoint");
    assert.strictEqual((await place(client, thread))[0], "set_label:134");
    const { stackFrames } = await client.request("stackTrace", { threadId: thread });
    const { scopes } = await client.request("scopes", { frameId: stackFrames[0].id });
    const { variables } = await client.request("variables", { variablesReference: scopes[0].variablesReference });
    const values = Object.fromEntries(variables.map((one) => [one.name, one.value]));
    assert.strictEqual(values.length, "12");
    assert.match(values.text, /0x400500/);
    await leave(client);
});

test("a watchpoint leads back to who wrote the pointer", async () => {
    const { client, thread } = await start();
    await client.request("csreplay/ask", { command: "monitor set possible-writes skip" });
    await client.request("csreplay/ask", { command: "watch sensors[2].driver" });
    await client.move("reverseContinue", { threadId: thread });
    assert.strictEqual((await place(client, thread))[0], "set_label:134");
    const said = await client.request("csreplay/ask", { command: "monitor why x1" });
    assert.match(said.output, /x1 at position 18175 is 0x400500, proved/);
    await leave(client);
});

test("memory and disassembly", async () => {
    const { client, thread } = await start();
    const memory = await client.request("readMemory", { memoryReference: "0x400500", count: 12 });
    assert.strictEqual(Buffer.from(memory.data, "base64").toString(), "winecellar-2");
    // Ten bytes of this name are known there, and what comes after is not.
    await client.move("csreplay/ask", { seek: "18170" });
    const some = await client.request("readMemory", { memoryReference: "0x401640", offset: 8, count: 16 });
    assert.strictEqual(Buffer.from(some.data, "base64").toString(), "winecellar");
    assert.deepStrictEqual([Number(some.address), some.unreadableBytes], [0x401648, 6]);
    const none = await client.request("readMemory", { memoryReference: "0x401652", count: 4 });
    assert.deepStrictEqual([none.data, none.unreadableBytes], [undefined, 4]);
    await client.request("csreplay/ask", { seek: "end" });
    const { instructions } = await client.request("disassemble", { memoryReference: "0x400404", instructionCount: 2 });
    assert.match(instructions[0].instruction, /ldr\s+w4, \[x2\]/);
    assert.strictEqual(thread, 1);
    await leave(client);
});

test("positions by every form, names, and a restart", async () => {
    const { client, thread } = await start();
    const { answer } = await client.move("csreplay/ask", { seek: "-10" });
    assert.strictEqual(Number(answer.position), 39990);
    assert.strictEqual((await place(client, thread))[0].split(":")[0], "sort_samples");
    const wrong = await client.move("csreplay/ask", { seek: "nowhere" });
    assert.match(wrong.answer.output, /not a position: "nowhere"/);
    assert.strictEqual(Number(wrong.answer.position), 39990);
    const restarted = await client.move("restart", {});
    assert.strictEqual(restarted.stop.reason, "restart");
    assert.strictEqual(await position(client), 40000);
    await leave(client);
});

test("what is wrong is said", async () => {
    const client = new Client();
    await client.request("initialize", { adapterID: "csreplay", pathFormat: "path" });
    const none = await client.tries("launch", { ...LAUNCH, snapshot: path.join(EXAMPLE, "none") });
    assert.strictEqual(none.success, false);
    client.child.kill();
    const other = new Client();
    await other.request("initialize", { adapterID: "csreplay", pathFormat: "path" });
    assert.match((await other.tries("launch", {})).message, /has no "snapshot"/);
    assert.match((await other.tries("attach", {})).message, /nothing to attach to/);
    other.child.kill();
});
