import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { SCOPES } from '../acceptance/support/roster.ts';
import { start } from '../acceptance/support/start.ts';
import { newSubject } from '../acceptance/support/world.ts';
import { defer } from '../support/cleanup.ts';
import { REPOSITORY, VERSION } from '../support/source.ts';

const exec = promisify(execFile);

/** The path of a local Node as old as the SDK allows. */
const OLD = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
  try {
    return /^v2[0-3]\./.test(execFileSync(path, ['--version'], { encoding: 'utf8' }));
  } catch {
    return false;
  }
});

const STORY = `
import { createClient, UnknownPlanError } from '@vauban/client';
const { VAUBAN_URL: baseUrl, VAUBAN_API_KEY: apiKey } = process.env;
const client = createClient({ baseUrl, apiKey });
const order = { plan: 's1', template: 'debian-12', hostname: 'web-1' };
const { vm, job } = await client.vms.create(order);
await client.waitForJob(job);
const refused = await client.vms.create({ ...order, plan: 's99' }).catch((error) => error instanceof UnknownPlanError);
const statuses = [];
for await (const { status } of client.vms.list()) statuses.push(status);
const events = [];
for await (const { type } of client.agent.run(vm.id, { message: 'How full is the disk?' })) events.push(type);
// Which this Node has not, and later ones have.
const terminal = globalThis.WebSocket ? 'TypeError' : await client.openTerminal(vm.id).catch(({ name }) => name);
console.log(JSON.stringify({ refused, statuses, last: events.at(-1), terminal }));
`;

test('the packed SDK and command line run on the oldest Node that they may', {
  skip: OLD ? false : 'no Node 20 to 23 is installed',
}, async (t) => {
  const place = mkdtempSync(join(tmpdir(), 'vauban-older-node-'));
  defer(t, () => rmSync(place, { recursive: true }));
  const quiet = { cwd: place, stdio: 'ignore' } as const;
  for (const workspace of ['sdk', 'cli'])
    execFileSync('npm', ['pack', '--pack-destination', place], {
      ...quiet,
      cwd: join(REPOSITORY, workspace),
    });
  writeFileSync(join(place, 'package.json'), '{"private": true, "type": "module"}');
  const files = [`./vauban-client-${VERSION}.tgz`, `./vauban-cli-${VERSION}.tgz`];
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', ...files], quiet);
  writeFileSync(join(place, 'story.js'), STORY);

  const { operator, client: program, baseUrl } = await start(t);
  const { account } = await newSubject(operator, program);
  const env = { HOME: place, VAUBAN_URL: baseUrl(), VAUBAN_API_KEY: await operator.key(account, SCOPES) };
  const run = async (words: string[]) => (await exec(OLD!, words, { cwd: place, env })).stdout;
  const told = { refused: true, statuses: ['running'], last: 'run.completed', terminal: 'TypeError' };
  assert.deepEqual(JSON.parse(await run(['story.js'])), told);
  // It requires 22 for the WebSockets of ssh and screens, but the rest runs with this version.
  const bin = 'node_modules/@vauban/cli/bin/vauban.js';
  assert.match(await run([bin, 'vm', 'list']), /^\S+ +web-1 +running/m);
  assert.equal(JSON.parse(await run([bin, 'billing', 'wallet', '-o', 'json'])).currency, 'EUR');
  const assistant = new Client({ name: 'test', version: '1' });
  await assistant.connect(new StdioClientTransport({ command: OLD!, args: [bin, 'mcp'], cwd: place, env }));
  defer(t, () => assistant.close());
  const { content } = await assistant.callTool({ name: 'list_vms', arguments: {} });
  assert.match(JSON.stringify(content), /web-1/);
});
