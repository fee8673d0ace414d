import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '../../acceptance/support/document.ts';
import { VERSION } from '../../support/source.ts';
import type { Customer } from './sequence.ts';
import type { Workshop } from './workshop.ts';

const exec = promisify(execFile);
const { arch } = process;

/** Paths of the programs in their npm packages: install scripts, which would link them, are not run. */
export const RUNTIMES: Record<string, { program: string; words: string[] }> = {
  Deno: {
    program: `@deno/linux-${arch}-glibc/deno`,
    words: ['run', '--no-config', '--node-modules-dir=manual', '--allow-net', '--allow-env'],
  },
  Bun: { program: `@oven/bun-linux-${arch === 'arm64' ? 'aarch64' : arch}/bin/bun`, words: ['run'] },
};

const STORY = `
import { createClient, UnknownPlanError } from '@vauban/client';
const env = (name) => globalThis.Deno?.env.get(name) ?? globalThis.process.env[name];
const client = createClient({ baseUrl: env('VAUBAN_URL'), apiKey: env('VAUBAN_API_KEY') });
const order = { plan: 's1', template: 'debian-12', hostname: 'runtime-1' };
const { vm, job } = await client.vms.create(order);
await client.waitForJob(job);
const refused = await client.vms.create({ ...order, plan: 's99' }).catch((error) => error instanceof UnknownPlanError);
const statuses = [];
for await (const { status } of client.vms.list({ hostname: 'runtime-1' })) statuses.push(status);
const events = [];
for await (const { type } of client.agent.run(vm.id, { message: 'How full is the disk?' })) events.push(type);
const terminal = await client.openTerminal(vm.id);
const writer = terminal.writable.getWriter();
await writer.write(new TextEncoder().encode('echo an""swer; exit\\r'));
let text = '';
for await (const bytes of terminal.readable) text += new TextDecoder().decode(bytes);
await client.vms.delete(vm.id);
console.log(JSON.stringify({ refused, statuses, last: events.at(-1), shell: text.includes('answer') }));
`;

/** The story's result on every runtime. */
export const TOLD = { refused: true, statuses: ['running'], last: 'run.completed', shell: true };

/** Installs the packed SDK without network access. */
export async function installSdk({ directory, write }: Workshop): Promise<void> {
  await exec('npm', ['pack', '--pack-destination', directory], { cwd: join(REPOSITORY, 'sdk') });
  const options = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--no-save'];
  await exec('npm', ['install', ...options, `./vauban-client-${VERSION}.tgz`], { cwd: directory });
  write('runtime.mjs', STORY);
}

/** Runs the story on a runtime and returns its result. */
export async function tellOn(
  name: string,
  { directory }: Workshop,
  { url, key }: Customer,
): Promise<unknown> {
  const { program, words } = RUNTIMES[name]!;
  const { stdout } = await exec(join(directory, 'node_modules', program), [...words, 'runtime.mjs'], {
    cwd: directory,
    env: { HOME: directory, VAUBAN_URL: url, VAUBAN_API_KEY: key },
  });
  return JSON.parse(stdout);
}
