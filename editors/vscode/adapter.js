#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The debug adapter: DAP on standard input and output. `session.js` has what it does.
"use strict";

const { ReplaySession } = require("./session");

ReplaySession.run(ReplaySession);
