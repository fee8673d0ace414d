import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { emitClient } from '../../scripts/emit-client.ts';
import { ENDPOINTS } from '../../server/endpoints/customer/index.ts';
import { buildOpenApi } from '../../server/http/openapi/build-openapi.ts';
import { CUSTOMER_DESCRIPTION } from '../../server/http/openapi/customer.ts';
import { defer } from '../support/cleanup.ts';
import { REPOSITORY, VERSION } from '../support/source.ts';

test('the client has the operations and types of the description', () => {
  const file = readFileSync(join(REPOSITORY, 'sdk/src/api.ts'), 'utf8');
  const isCurrent = file === emitClient(buildOpenApi(CUSTOMER_DESCRIPTION, ENDPOINTS));
  assert.ok(isCurrent, 'sdk/src/api.ts is out of date: run `npm run generate` and commit the result');
});

test('the package installs in an empty project without a network, and is used from there', (t) => {
  const place = mkdtempSync(join(tmpdir(), 'vauban-sdk-'));
  defer(t, () => rmSync(place, { recursive: true }));
  const run = (command: string, args: string[], cwd: string) =>
    execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  run('npm', ['pack', '--pack-destination', place], join(REPOSITORY, 'sdk'));
  t.diagnostic(`the package: ${statSync(join(place, `vauban-client-${VERSION}.tgz`)).size} bytes`);
  const project = join(place, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"private": true, "type": "module"}');
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', `../vauban-client-${VERSION}.tgz`], project);
  writeFileSync(
    join(project, 'story.ts'),
    `import { type CreatedVm, createClient, InsufficientFundsError } from '@vauban/client';
import { type FakeVauban, fakeVauban } from '@vauban/client/testing';
const client = createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'vk_x' });
export const made: Promise<CreatedVm> = client.vms.create({ plan: 's1', template: 'debian-12', hostname: 'web-1' });
made.catch((error) => console.log(error instanceof InsufficientFundsError ? error.details.shortfall_minor : error));
export const own = (): Promise<FakeVauban> => fakeVauban({ server: '/opt/vauban' });
export const first = async () => {
  for await (const vm of client.vms.list()) if (vm.status === 'running') return vm.id;
  return undefined;
};
`,
  );
  const types = join(REPOSITORY, 'node_modules/@types');
  const options = [
    '--strict',
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--typeRoots',
    types,
    '--types',
    'node',
  ];
  run(join(REPOSITORY, 'node_modules/.bin/tsc'), [...options, 'story.ts'], project);
  const program =
    "const { createClient } = await import('@vauban/client'); console.log(typeof createClient({ baseUrl: 'http://x', apiKey: 'k' }).vms.create)";
  assert.equal(run(process.execPath, ['--input-type=module', '-e', program], project), 'function\n');
});
