import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { type Catalog, shippedCatalog, writeCatalog } from '../../acceptance/support/catalog.ts';
import { Namespace } from '../../compute/routed/support/namespace.ts';
import { defer } from '../../support/cleanup.ts';
import { startService } from '../../support/service.ts';
import { REPOSITORY } from '../../support/source.ts';
import type { Names, Told } from './story.ts';

/** Properties that other tests hold constant, with the values they have here. The first of each is the usual one. */
export const VALUES = {
  zone: ['UTC', 'Pacific/Kiritimati', 'Pacific/Niue'],
  language: ['C.UTF-8', 'de_DE.UTF-8', 'C'],
  catalog: ['as shipped', 'one of each', 'forty of each'],
  names: ['plain', 'Arabic and emoji'],
  ipv6: ['there', 'absent'],
  processor: ['whole', 'a quarter'],
  node: ['own', 'lowest', 'newest'],
} as const;

export type World = { [Key in keyof typeof VALUES]: (typeof VALUES)[Key][number] };

export const ORDINARY = Object.fromEntries(
  Object.entries(VALUES).map(([name, [first]]) => [name, first]),
) as World;

/** Returns the world of a seed: one value of each property, limited to `choices`. */
export function worldOf(seed: number, choices: Partial<Record<keyof World, readonly string[]>> = {}): World {
  let left = seed;
  const chosen = Object.entries(VALUES).map(([name, all]) => {
    const values = choices[name as keyof World] ?? all;
    const value = values[left % values.length]!;
    left = Math.floor(left / values.length);
    return [name, value];
  });
  return Object.fromEntries(chosen) as World;
}

/** The number of worlds: the seeds below it are all combinations. */
export const COMBINATIONS = Object.values(VALUES).reduce((product, all) => product * all.length, 1);

const NAMES: Record<World['names'], Names> = {
  plain: {
    account: 'Example Ltd',
    key: 'deploy',
    sshKey: 'laptop',
    notes: 'The web server',
    snapshot: 'before',
  },
  'Arabic and emoji': {
    account: 'شركة المثال 🐪 Ltd',
    key: 'مفتاح النشر 🔑',
    sshKey: 'حاسوب 💻',
    notes: 'خادم الويب 🚀\nالسطر الثاني 👩‍💻',
    snapshot: 'قبل الترقية 📸',
  },
};

const MANY = 40;

async function catalogOf(which: World['catalog']): Promise<Catalog> {
  const catalog = (await shippedCatalog()) as Catalog & { templates: { code: string }[] };
  const [region] = catalog.regions;
  const [template] = catalog.templates;
  if (which === 'one of each') {
    catalog.regions = [region!];
    catalog.templates = [template!];
    catalog.plans = catalog.plans
      .filter(({ regions }) => regions.includes('eu-central'))
      .map((plan) => ({ ...plan, regions: ['eu-central'] }));
  }
  if (which === 'forty of each') {
    for (let n = catalog.regions.length; n < MANY; n++) {
      catalog.regions.push({
        ...region!,
        code: `region-${n}`,
        name: `Region ${n}`,
        zones: [`region-${n}-a`],
        ipv4_pool: `100.${72 + n}.0.0/16`,
        ipv6_pool: `2001:db8:${n.toString(16)}00::/48`,
        port_forward_address: `198.51.100.${n}`,
      });
    }
    for (let n = catalog.templates.length; n < MANY; n++)
      catalog.templates.push({ ...template!, code: `template-${n}` });
    for (const plan of catalog.plans) plan.regions = catalog.regions.map(({ code }) => String(code));
  }
  return catalog;
}

/**
 * Returns the directory of control groups with a share of the processor; undefined if this process may not create one.
 */
function groups(): { directory: string; limit: Record<string, string> } | undefined {
  const v1 = { 'cpu.cfs_period_us': '100000', 'cpu.cfs_quota_us': '25000' };
  const places = [
    { directory: '/sys/fs/cgroup/cpu', limit: v1, proof: 'cpu.cfs_quota_us' },
    { directory: '/sys/fs/cgroup', limit: { 'cpu.max': '25000 100000' }, proof: 'cgroup.subtree_control' },
  ];
  return places.find(({ directory, proof }) => {
    try {
      accessSync(directory, constants.W_OK);
      return existsSync(join(directory, proof));
    } catch {
      return false;
    }
  });
}

export const isRoot = process.getuid?.() === 0;
/** Values that are impossible on this machine, with the reason. */
export const IMPOSSIBLE: Partial<Record<string, string>> = {
  ...(!isRoot && { absent: 'only root makes a network without IPv6' }),
  ...((!isRoot || !groups()) && { 'a quarter': 'this process may make no control group' }),
};

/** Runs a program with a quarter of a processor. */
function withQuarter(t: TestContext): (words: string[]) => string[] {
  const { directory, limit } = groups()!;
  const group = join(directory, `vauban-test-${process.pid}-${Date.now()}`);
  mkdirSync(group);
  // The group's processes have ended by then.
  defer(t, () => rmdirSync(group));
  for (const [file, value] of Object.entries(limit)) writeFileSync(join(group, file), value);
  return (words) => ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group, ...words];
}

async function withoutIpv6(t: TestContext): Promise<(words: string[]) => string[]> {
  const space = await Namespace.make(t);
  await space.run('sysctl', '-qw', 'net.ipv6.conf.all.disable_ipv6=1');
  assert.doesNotMatch(await space.run('ip', 'address'), /inet6/);
  return (words) => {
    const [program, args] = space.command(...words);
    return [program, ...args];
  };
}

/** Returns the path of another Node: the lowest version that package.json allows, or the newest packaged one. */
async function nodeOf(t: TestContext, which: World['node'], engines: string): Promise<string> {
  if (which === 'own') return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const wanted = which === 'newest' ? 'latest' : `${engines.replace('>=', '')}.0`;
  const directory = mkdtempSync(join(tmpdir(), 'vauban-node-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', directory];
  await promisify(execFile)('npm', ['install', ...options, `${name}@${wanted}`], { cwd: directory });
  const path = join(directory, 'node_modules', name, 'bin/node');
  const { stdout } = await promisify(execFile)(path, ['--version']);
  t.diagnostic(`Node ${stdout.trim()}`);
  return path;
}

/** Starts a service in a world, runs the story against it, and returns the result. */
export async function tellIn(t: TestContext, world: World, engines: string): Promise<unknown> {
  const quarter = world.processor === 'a quarter' ? withQuarter(t) : (words: string[]) => words;
  const network = world.ipv6 === 'absent' ? await withoutIpv6(t) : (words: string[]) => words;
  const split = ([program, ...args]: string[]): [string, string[]] => [program!, args];
  const env = { TZ: world.zone, LANG: world.language, LC_ALL: world.language };
  const service = await startService(t, {
    node: await nodeOf(t, world.node, engines),
    namespace: { command: (...words) => split(quarter(network(words))) },
    env: {
      ...env,
      VAUBAN_CATALOG: await writeCatalog(t, await catalogOf(world.catalog)),
      VAUBAN_SIMULATOR_BOOT_SECONDS: '0',
    },
  });
  const { baseUrl, operatorSocket } = service;
  const told: Told = { baseUrl, operatorSocket, names: NAMES[world.names] };
  const story = join(REPOSITORY, 'test/world/support/story.ts');
  // The customer is not part of the world, except for the network that leads to the service.
  const [program, args] = split(network([process.execPath, story, JSON.stringify(told)]));
  const { stdout } = await promisify(execFile)(program, args, { cwd: REPOSITORY });
  const complaints = service
    .output()
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"/.test(line));
  assert.deepEqual(complaints, []);
  await service.stop();
  return JSON.parse(stdout);
}
