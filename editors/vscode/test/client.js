// SPDX-License-Identifier: Apache-2.0
// A client of the debug adapter protocol for tests: requests and their answers, events in their order.
"use strict";

const { spawn } = require("node:child_process");
const path = require("node:path");

const PATIENCE = 60000;

class Client {
    constructor() {
        this.child = spawn(process.execPath, [path.join(__dirname, "..", "adapter.js")], { stdio: ["pipe", "pipe", "inherit"] });
        this.rest = Buffer.alloc(0);
        this.sequence = 0;
        this.waiting = []; // {matches, resolve}
        this.events = []; // that nobody waited for
        this.output = "";
        this.ended = new Promise((resolve) => this.child.on("exit", resolve));
        this.child.stdout.on("data", (data) => this.take(data));
    }

    take(data) {
        this.rest = Buffer.concat([this.rest, data]);
        for (;;) {
            const head = this.rest.toString("latin1").match(/^Content-Length: (\d+)\r\n\r\n/);
            const end = head && head[0].length + Number(head[1]);
            if (!head || this.rest.length < end)
                return;
            this.message(JSON.parse(this.rest.subarray(head[0].length, end).toString()));
            this.rest = this.rest.subarray(end);
        }
    }

    message(message) {
        const index = this.waiting.findIndex((one) => one.matches(message));
        if (message.event === "output")
            this.output += message.body.output;
        if (index >= 0)
            this.waiting.splice(index, 1)[0].resolve(message);
        else if (message.type === "event")
            this.events.push(message);
    }

    wait(what, matches) {
        return new Promise((resolve, reject) => {
            const timer = setTimeout(() => reject(new Error(`no ${what}; said: ${this.output}`)), PATIENCE);
            this.waiting.push({ matches, resolve: (message) => { clearTimeout(timer); resolve(message); } });
        });
    }

    event(name) {
        const index = this.events.findIndex((message) => message.event === name);
        if (index >= 0)
            return Promise.resolve(this.events.splice(index, 1)[0]);
        return this.wait(`event ${name}`, (message) => message.event === name);
    }

    // The answer, whether it succeeded or not.
    async tries(command, args) {
        const seq = ++this.sequence;
        const answer = this.wait(`answer to ${command}`, (message) => message.type === "response" && message.request_seq === seq);
        const text = JSON.stringify({ seq, type: "request", command, arguments: args });
        this.child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
        return answer;
    }

    async request(command, args) {
        const answer = await this.tries(command, args);
        if (!answer.success)
            throw new Error(`${command}: ${answer.message}`);
        return answer.body;
    }

    // A request that moves, and the stop that it leads to.
    async move(command, args) {
        const stopped = this.event("stopped");
        const answer = await this.request(command, args);
        return { answer, stop: (await stopped).body };
    }
}

module.exports = { Client };
