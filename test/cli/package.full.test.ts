import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { emitCli } from '../../scripts/emit-cli.ts';
import { ENDPOINTS } from '../../server/endpoints/customer/index.ts';
import { buildOpenApi } from '../../server/http/openapi/build-openapi.ts';
import { CUSTOMER_DESCRIPTION } from '../../server/http/openapi/customer.ts';
import { defer } from '../support/cleanup.ts';
import { REPOSITORY, VERSION } from '../support/source.ts';

test('the commands have the fields of the description', () => {
  const file = readFileSync(join(REPOSITORY, 'cli/src/inputs.ts'), 'utf8');
  const isCurrent = file === emitCli(buildOpenApi(CUSTOMER_DESCRIPTION, ENDPOINTS));
  assert.ok(isCurrent, 'cli/src/inputs.ts is out of date: run `npm run generate` and commit the result');
});

test('the package installs in an empty project without a network, and needs nothing else', async (t) => {
  const place = mkdtempSync(join(tmpdir(), 'vauban-cli-package-'));
  defer(t, () => rmSync(place, { recursive: true }));
  const run = (command: string, args: string[], cwd: string) =>
    execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  run('npm', ['pack', '--pack-destination', place], join(REPOSITORY, 'cli'));
  const project = join(place, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"private": true}');
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', `../vauban-cli-${VERSION}.tgz`], project);
  assert.deepEqual(
    readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['@vauban'],
  );
  t.diagnostic(
    `the program: ${statSync(join(project, 'node_modules/@vauban/cli/dist/vauban.js')).size} bytes`,
  );
  const bin = join(project, 'node_modules/.bin/vauban');
  assert.equal(run(process.execPath, [bin, '--version'], project), `${VERSION}\n`);
  const alone = spawnSync(process.execPath, [bin, 'vm', 'list'], { env: { HOME: place }, encoding: 'utf8' });
  assert.equal(alone.status, 2);
  assert.match(alone.stderr, /vauban context create/);

  // The part for assistants is a separate file, which must exist and load.
  const refusing = createServer((_, response) => response.writeHead(401).end()).listen(0, '127.0.0.1');
  defer(t, () => refusing.close());
  await once(refusing, 'listening');
  const { port } = refusing.address() as AddressInfo;
  const env = { VAUBAN_URL: `http://127.0.0.1:${port}`, VAUBAN_API_KEY: 'vk_none_none' };
  const stderr = await new Promise((resolve) => {
    execFile(process.execPath, [bin, 'mcp'], { env }, (_error, _stdout, text) => resolve(text));
  });
  assert.match(String(stderr), /^vauban: The service answered with status 401 \(http_401\)/);
});
