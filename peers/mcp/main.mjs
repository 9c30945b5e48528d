// `noli mcp` before the official tools of the Model Context Protocol: its conformance tests, its inspector, and the client
// of its SDK, which compares every answer with the schema that the server gives for it.
//
//   npm install --prefix peers/mcp
//   node peers/mcp/main.mjs NOLI        # NOLI is the program; Node 22 or later
//
// The conformance tests know servers by address only: a bridge passes messages between HTTP and one process for each session.
// Of their scenarios those run that ask for no tool, prompt or resource of a certain name.
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

const SCENARIOS = ["server-initialize", "ping", "tools-list"];
const SCENE = `units = 'mm'
[[body]]
name = 'case'
box = [100, 60, 40]
[[body]]
name = 'bracket'
box = [30, 10, 60]
pose = { xyz = [0, 0, 10] }
[[body]]
name = 'knob'
box = [10, 10, 10]
pose = { xyz = [0, 0, 60] }
`;
const ARM = `<robot name="arm"><link name="base"/><link name="arm"><collision><origin xyz="0.6 0 0"/>
<geometry><box size="0.8 0.1 0.1"/></geometry></collision></link>
<link name="post"><collision><origin xyz="0 1 0"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<joint name="fixed" type="fixed"><parent link="base"/><child link="post"/></joint>
<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="1" velocity="1"/></joint></robot>`;
/** A call of every tool, and what its answer must hold. */
const CALLS = [
  ["list_files", {}, (found) => found.files.length === 2],
  ["info", { file: "case.toml" }, (found) => found.parts.length === 3],
  ["check_files", { files: ["case.toml"] }, (found) => found.outcome === "touching"],
  ["clearance", { files: ["case.toml"], a: "case", b: "knob" }, ({ clearance }) => clearance.at_least <= 35 && 35 <= clearance.at_most],
  ["sweep", { files: ["case.toml"], part: "knob", translate: [0, 0, -50] }, (found) => found.outcome === "touching"],
  ["can_remove", { files: ["case.toml"], part: "knob" }, (found) => found.verdict === "found"],
  ["robot_check", { robot: "arm.urdf", configuration: { turn: 0 }, to: { turn: 3 } }, (found) => found.outcome === "touching"],
];
const WRONG = [
  ["clearance", { files: ["case.toml"], a: "case", b: "nob" }],
  ["info", { file: "../../etc/passwd" }],
];

const program = process.argv[2];
if (!program) throw new Error("give the program noli");
const tool = (name) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));
const run = promisify(execFile);
const folder = mkdtempSync(path.join(tmpdir(), "noli-mcp-"));
const failures = [];
const report = (name, passed, why = "") => {
  console.log(`${passed ? "passed" : "FAILED"}  ${name}${passed ? "" : `: ${why}`}`);
  if (!passed) failures.push(name);
};

/** The server behind HTTP, on a free port of this machine. */
async function bridge() {
  const sessions = new Map();
  const open = async () => {
    const ours = new StdioClientTransport({ command: program, args: ["mcp", folder] });
    const theirs = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => sessions.set(id, theirs),
    });
    ours.onmessage = (message) => theirs.send(message).catch((error) => console.error(error.message));
    theirs.onmessage = (message) => ours.send(message);
    theirs.onclose = () => ours.close();
    await ours.start();
    return theirs;
  };
  const server = createServer(async (request, response) => {
    const id = request.headers["mcp-session-id"];
    const transport = sessions.get(id) ?? (id === undefined ? await open() : undefined);
    if (transport === undefined) response.writeHead(404).end("there is no such session");
    else await transport.handleRequest(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    for (const transport of sessions.values()) await transport.close();
    server.close();
    server.closeAllConnections();
  };
  return { address: `http://127.0.0.1:${server.address().port}/`, close };
}

async function conformance() {
  const { address, close } = await bridge();
  for (const scenario of SCENARIOS) {
    const found = await run(tool("conformance"), ["server", "--url", address, "--scenario", scenario]).catch((error) => error);
    const text = `${found.stdout}${found.stderr}`;
    const passed = /Passed: ([1-9]\d*)\/\1, 0 failed/.test(text);
    report(`conformance ${scenario}`, passed, text);
  }
  await close();
}

async function inspector() {
  const found = await run(tool("mcp-inspector"), ["--cli", program, "mcp", folder, "--method", "tools/list"]);
  const names = JSON.parse(found.stdout).tools.map(({ name }) => name);
  report("inspector tools/list", CALLS.every(([name]) => names.includes(name)) && names.length === CALLS.length, names);
  const call = ["--method", "tools/call", "--tool-name", "info", "--tool-arg", "file=case.toml"];
  const answer = await run(tool("mcp-inspector"), ["--cli", program, "mcp", folder, ...call]);
  report("inspector tools/call", JSON.parse(answer.stdout).structuredContent.parts.length === 3, answer.stdout);
}

async function client() {
  const client = new Client({ name: "noli-peer", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ command: program, args: ["mcp", folder] }));
  // With the list the client has the schemas of answers; it refuses an answer that breaks one.
  const { tools } = await client.listTools();
  report("every tool has a schema of its answer", tools.every(({ outputSchema }) => outputSchema !== undefined), "");
  for (const [name, given, holds] of CALLS) {
    const found = await client.callTool({ name, arguments: given }).catch((error) => ({ error: error.message }));
    const answer = found.structuredContent;
    report(`client ${name}`, answer !== undefined && !found.isError && holds(answer), JSON.stringify(found));
  }
  for (const [name, given] of WRONG) {
    const found = await client.callTool({ name, arguments: given });
    report(`client error of ${name}`, found.isError === true, JSON.stringify(found));
  }
  await client.close();
}

try {
  writeFileSync(path.join(folder, "case.toml"), SCENE);
  writeFileSync(path.join(folder, "arm.urdf"), ARM);
  for (const part of [conformance, inspector, client]) await part();
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;
