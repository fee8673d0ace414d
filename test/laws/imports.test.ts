import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf, importsWith, projectFiles, sources } from '../support/source.ts';

/** Rules apply to folders of the service; these nested folders have their own. */
const INNER_ROOMS = [
  'server/compute/incus',
  'server/compute/inside',
  'server/compute/qemu',
  'server/compute/simulator/guest-os',
  'server/compute/simulator',
  'server/endpoints/customer',
  'server/endpoints/operator',
  'server/endpoints/panel',
  'server/endpoints/shared',
  'server/http/docs-site',
  'server/http/operator',
  'server/http/operator-panel',
  'server/http/panel',
  'server/http/panel-site',
  'server/screens/rfb',
  'server/screens/spice',
  'server/screens/text-console',
];

/**
 * The names of the service's folders that a folder may import in addition to itself: `value` at run time, `type` only
 * as types.
 */
interface Allowed {
  value: string;
  type?: string;
}

/**
 * The imports that each folder may have, from the bottom to the top: at run time, a folder imports only those listed
 * before it. `server/start/` and the entries of the service are not listed: they compose everything and may import
 * anything; no folder imports them.
 */
const ROOMS: Record<string, Allowed> = {
  platform: { value: '' },
  config: { value: 'platform' },
  // Types only: the drivers that perform the operations of the privileged helpers.
  helpers: { value: 'platform', type: 'compute compute/qemu edge gateway' },
  // The protocol through which viewers get a screen, and its content: a terminal, or a machine's SPICE display.
  'screens/rfb': { value: '' },
  'screens/text-console': { value: '', type: 'screens/rfb' },
  'screens/spice': { value: 'screens/rfb' },
  // Types only: data stored for drivers.
  db: { value: 'platform', type: 'compute/incus compute/simulator compute/simulator/guest-os edge' },
  access: { value: 'db platform' },
  // The interface of drivers and its calls.
  compute: { value: 'platform' },
  // Access into guests for engines with real guests.
  'compute/inside': { value: 'compute platform' },
  'compute/incus': {
    value: 'compute compute/inside platform screens/rfb screens/spice screens/text-console',
    type: 'config',
  },
  'compute/qemu': { value: 'compute compute/inside helpers platform', type: 'config' },
  'compute/simulator/guest-os': { value: 'platform screens/text-console' },
  'compute/simulator': {
    value: 'compute compute/simulator/guest-os platform screens/rfb screens/text-console',
  },
  // The choice of a driver, for the composing code.
  'compute/select.ts': {
    value: 'compute/incus compute/qemu compute/simulator platform',
    type: 'compute compute/inside config',
  },
  edge: { value: 'helpers platform', type: 'config' },
  gateway: { value: 'helpers platform', type: 'compute config' },
  domain: { value: 'access compute db platform' },
  documents: { value: 'domain platform', type: 'config' },
  metering: { value: 'db domain platform', type: 'compute' },
  cluster: { value: 'compute db domain platform' },
  mail: { value: 'db domain platform', type: 'config documents' },
  payments: { value: 'access config db domain mail platform', type: 'http' },
  shield: { value: 'cluster db domain edge metering platform' },
  'guest-ssh': { value: 'db domain platform', type: 'compute' },
  agent: { value: 'cluster config db domain guest-ssh platform', type: 'access compute' },
  jobs: { value: 'access cluster compute db domain mail platform', type: 'config gateway guest-ssh' },
  // Types only: the parameters of endpoint handlers.
  http: {
    value: 'access db platform',
    type: 'agent compute config documents domain edge guest-ssh http/panel jobs payments shield',
  },
  'http/panel-site': { value: 'http platform', type: 'config' },
  // Reading and sending of files that were built beforehand.
  'http/docs-site': { value: 'http http/panel-site platform', type: 'config' },
  consoles: {
    value: 'access db domain guest-ssh http platform screens/text-console',
    type: 'compute config',
  },
  'endpoints/shared': { value: 'domain http platform' },
  'endpoints/customer': {
    value:
      'agent cluster compute consoles db domain endpoints/shared guest-ssh http metering platform shield',
    type: 'documents edge',
  },
  'http/operator': { value: 'config db http platform', type: 'compute' },
  'endpoints/operator': {
    value:
      'access cluster compute compute/qemu config db domain edge endpoints/customer endpoints/shared guest-ssh http jobs mail payments platform shield',
  },
  'http/panel': { value: 'access db http platform', type: 'config' },
  'endpoints/panel': {
    value:
      'access compute db domain endpoints/customer endpoints/shared http http/panel mail payments platform',
  },
  'http/operator-panel': { value: 'http/operator http/panel platform', type: 'http' },
};

const words = (text = '') => text.split(' ').filter(Boolean);

/** The only files of a driver's folder that other folders may import: its interface, and for compute also its calls. */
const INTERFACES: Record<string, RegExp> = {
  compute: /^server\/compute\/(driver|ask|network-policy)\.ts$/,
  edge: /^server\/edge\/(driver|simulator\/store)\.ts$/,
  gateway: /^server\/gateway\/driver\.ts$/,
};

/** Imports across folders that their folder does not allow. */
const OTHER_LAWS: { name: string; from: string; never: RegExp; except?: RegExp }[] = [
  {
    name: "the operator's endpoints share nothing with the customers' but the shapes of the same resources",
    from: 'server/endpoints/operator/',
    never: /^server\/endpoints\/customer\//,
    except: /-shape\.ts$/,
  },
  {
    name: "the panel's endpoints share nothing with the customers' but the shapes of the same resources",
    from: 'server/endpoints/panel/',
    never: /^server\/endpoints\/customer\//,
    // And the look-up of a VM in a path, for its account only.
    except: /(-shape|\/load-vm)\.ts$/,
  },
  {
    name: 'the service stands alone',
    from: 'server/',
    never: /^(test|site|sdk|cli|vaubanctl|scripts|bench)\//,
  },
  {
    name: 'the SDK is a package of its own, which takes nothing of the others',
    from: 'sdk/',
    never: /^(server|panel|site|cli|vaubanctl|test|scripts|bench)\//,
  },
  {
    name: 'the command line knows the SDK, and nothing else of the project',
    from: 'cli/',
    never: /^(server|panel|site|vaubanctl|test|scripts|bench)\//,
  },
  {
    name: 'vaubanctl talks to the service and shares no code with it',
    from: 'vaubanctl/',
    never: /^server\//,
  },
  {
    name: 'what the service and its commands share takes nothing of them',
    from: 'shared/',
    never: /./,
  },
  {
    name: 'the host helper runs as root, and is made of its driver and what helpers share alone',
    from: 'server/hostd.ts',
    never: /^server\//,
    except: /^server\/(compute|helpers|platform)\//,
  },
  {
    name: 'the edge helper has a privilege, and is made of its driver and what helpers share alone',
    from: 'server/edged.ts',
    never: /^server\//,
    except: /^server\/(edge\/nftables|helpers|platform)\//,
  },
  {
    name: 'the gateway helper has a privilege, and is made of its driver and what helpers share alone',
    from: 'server/gatewayd.ts',
    never: /^server\//,
    except: /^server\/(gateway\/nftables|helpers|platform)\//,
  },
  { name: 'acceptance tests see what a customer sees', from: 'test/acceptance/', never: /^server\// },
  {
    name: 'the oracle works money out by itself',
    from: 'test/oracle/',
    never: /^server\//,
    except: /^server\/(db\/database|jobs\/timers\/[a-z-]+|platform\/(clock|failures))\.ts$/,
  },
];

/** Returns the listed folder of a file of the service; undefined for a file outside of them. */
function roomOf(path: string): string | undefined {
  if (path === 'server/compute/select.ts') return 'compute/select.ts';
  const inner = INNER_ROOMS.find((room) => path.startsWith(`${room}/`));
  if (inner) return inner.slice('server/'.length);
  const [, room] = /^server\/([^/]+)\//.exec(path) ?? [];
  return room === 'start' ? undefined : room;
}

/** Files that every folder may import. */
const FREE = ['server/package.json'];

/** Returns imports of one file of the service by another in a different folder. */
function crossings() {
  return sources('server').flatMap((path) => {
    const from = roomOf(path);
    return importsWith(path)
      .filter(({ target }) => target.startsWith('server/') && roomOf(target) !== from)
      .map((found) => ({ path, from, to: roomOf(found.target), ...found }));
  });
}

test('a folder imports only what is listed', () => {
  const offences = crossings()
    .filter(({ from, to, by, target }) => {
      if (from === undefined || FREE.includes(target)) return false;
      const { value, type } = ROOMS[from] ?? { value: '' };
      return !(to && (words(value).includes(to) || (by === 'type' && words(type).includes(to))));
    })
    .map(({ path, target, by }) => `${path} imports ${target} by ${by}`);
  assert.deepEqual(offences, []);
});

test('no folder imports upward at run time, so that folders form no circle', () => {
  const order = Object.keys(ROOMS);
  const upward = Object.entries(ROOMS).flatMap(([room, { value }]) =>
    words(value)
      .filter((other) => order.indexOf(other) >= order.indexOf(room))
      .map((other) => `${room} imports ${other}`),
  );
  assert.deepEqual(upward, []);
});

test('a folder lists only imports that it uses', () => {
  const all = crossings();
  const useless = Object.entries(ROOMS).flatMap(([room, { value, type }]) => {
    const own = all.filter(({ from }) => from === room);
    return [
      ...words(value).filter((other) => !own.some(({ to, by }) => to === other && by !== 'type')),
      ...words(type).filter((other) => !own.some(({ to }) => to === other)),
    ].map((other) => `${room} imports nothing of ${other} so`);
  });
  assert.deepEqual(useless, []);
});

for (const [driver, isInterface] of Object.entries(INTERFACES)) {
  test(`of ${driver}, others see the interface`, () => {
    const offences = crossings()
      .filter(({ from, to }) => to === driver && from !== undefined && !from.startsWith(driver))
      .filter(({ target }) => !isInterface.test(target))
      .map(({ path, target }) => `${path} imports ${target}`);
    assert.deepEqual(offences, []);
  });
}

test('no files of the project import each other in a circle at run time', () => {
  const graph = new Map(
    projectFiles()
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => [
        path,
        importsWith(path)
          .filter(({ by }) => by === 'value')
          .map(({ target }) => target),
      ]),
  );
  assert.deepEqual(circles(graph), []);
});

for (const { name, from, never, except } of OTHER_LAWS) {
  test(name, () => {
    const paths = from.endsWith('.ts') ? [from] : sources(from.replace(/\/$/, ''));
    const offences = paths.flatMap((path) =>
      importsOf(path)
        .filter((target) => never.test(target) && !except?.test(target))
        .map((target) => `${path} imports ${target}`),
    );
    assert.deepEqual(offences, []);
  });
}

test('every import of the project names a file with its extension', () => {
  const offences = ['server', 'cli', 'vaubanctl', 'test', 'scripts'].flatMap((directory) =>
    sources(directory).flatMap((path) =>
      importsOf(path)
        .filter(
          (target) =>
            /^(server|sdk|cli|vaubanctl|test|scripts)\//.test(target) && !/\.(ts|json)$/.test(target),
        )
        .map((target) => `${path} imports ${target}`),
    ),
  );
  assert.deepEqual(offences, []);
});

/** Returns one cycle through each file that is in one, listed from the first file to the same file again. */
function circles(graph: Map<string, string[]>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      found.push([...trail.slice(start), path].join(' -> '));
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}
