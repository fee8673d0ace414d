// Installs the routes that GoBGP learns from the members into the kernel of this namespace.
import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

interface Path {
  nlri: { prefix: string };
  attrs?: { type: number; nexthop?: string }[];
  withdrawal?: boolean;
  'neighbor-ip': string;
}

const NEXT_HOP = 3;
const PAUSE_MS = 500;
/** For each prefix, the next hop by the member that announces it. */
const ways = new Map<string, Map<string, string>>();

async function follow(): Promise<void> {
  const monitor = spawn('gobgp', ['-p', '50051', '-j', 'monitor', 'global', 'rib', '--current'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for await (const line of createInterface(monitor.stdout)) {
    for (const path of JSON.parse(line) as Path[]) await enter(path).catch(() => {});
  }
}

async function enter({ nlri: { prefix }, attrs, withdrawal, 'neighbor-ip': neighbor }: Path): Promise<void> {
  // A network in which all members have guests belongs to no single member.
  if (!prefix.endsWith('/32')) return;
  const of = ways.get(prefix) ?? new Map<string, string>();
  ways.set(prefix, of);
  const next = attrs?.find(({ type }) => type === NEXT_HOP)?.nexthop;
  of.delete(neighbor);
  if (!withdrawal && next) of.set(neighbor, next);
  const way = [...of.values()].at(-1);
  await promisify(execFile)('ip', way ? ['route', 'replace', prefix, 'via', way] : ['route', 'del', prefix]);
}

// The monitor exits while GoBGP is not running yet.
for (;;) {
  await follow().catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
