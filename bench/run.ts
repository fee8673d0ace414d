// Measures every performance claim and prints the results with the machine; fails if one is missed.
//   npm run bench                     everything, about half an hour; as root, with what docs/performance.md names, real guests too
//   npm run bench -- get-vm memory    only these sections
//   npm run bench -- --db pglite      on one engine only
//   VAUBAN_BENCH_GUESTS=32 npm run bench -- idle-guests      with this many real guests instead of 200
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findPostgres, startPostgres } from '../test/support/postgres-server.ts';
import type { Engine, Section } from './bench.ts';
import { bodyCost } from './claims/body-cost.ts';
import { clients } from './claims/clients.ts';
import { cluster } from './claims/cluster.ts';
import { consoles } from './claims/consoles.ts';
import { createVm } from './claims/create-vm.ts';
import { edge } from './claims/edge.ts';
import { getVm } from './claims/get-vm.ts';
import { guestNeighbours } from './claims/guest-neighbours.ts';
import { guests } from './claims/guests.ts';
import { idleGuests } from './claims/idle-guests.ts';
import { jobPickup } from './claims/job-pickup.ts';
import { ledger } from './claims/ledger.ts';
import { listVms } from './claims/list-vms.ts';
import { memory } from './claims/memory.ts';
import { mitigation } from './claims/mitigation.ts';
import { nodes } from './claims/nodes.ts';
import { panel } from './claims/panel.ts';
import { placement } from './claims/placement.ts';
import { rules } from './claims/rules.ts';
import { shares } from './claims/shares.ts';
import { start } from './claims/start.ts';
import { unknownKeys } from './claims/unknown-keys.ts';
import { vnc } from './claims/vnc.ts';
import { waitingGuests } from './claims/waiting-guests.ts';
import { endAll } from './lifetime.ts';
import { startLoadGenerator } from './load.ts';
import { Others } from './others.ts';
import { type Claim, printMachine, printTable } from './report.ts';

const SECTIONS: Section[] = [
  getVm,
  createVm,
  listVms,
  ledger,
  jobPickup,
  placement,
  nodes,
  start,
  memory,
  clients,
  consoles,
  bodyCost,
  shares,
  unknownKeys,
  waitingGuests,
  vnc,
  panel,
  rules,
  edge,
  mitigation,
  cluster,
  idleGuests,
  guestNeighbours,
  guests,
];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { db: { type: 'string' } } });
const unknown = positionals.filter((name) => !SECTIONS.some((section) => section.name === name));
if (unknown.length > 0) {
  console.error(`no such section: ${unknown.join(', ')}; there are:`);
  for (const { name, about } of SECTIONS) console.error(`  ${name.padEnd(12)}${about}`);
  process.exit(2);
}
if (values.db !== undefined && values.db !== 'postgres' && values.db !== 'pglite') {
  console.error('--db must be postgres or pglite');
  process.exit(2);
}
const chosen = SECTIONS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

const workspace = mkdtempSync(join(tmpdir(), 'vauban-bench-'));
process.on('exit', () => rmSync(workspace, { recursive: true, force: true }));
const bin = values.db === 'pglite' ? undefined : findPostgres();
const postgres = bin ? await startPostgres(bin, { durable: true }) : undefined;
const engines: Engine[] = [];
if (postgres) engines.push('postgres');
if (values.db !== 'postgres') engines.push('pglite');

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await endAll();
    await postgres?.stop(false);
    process.exit(1);
  });
}

const claims: Claim[] = [];
const others = new Others();
try {
  using load = startLoadGenerator();
  printMachine(
    bin ? execFileSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' }).trim() : 'no PostgreSQL',
  );
  for (const { name, about, run } of chosen) {
    const startedAt = performance.now();
    process.stderr.write(`${name}: ${about} …`);
    claims.push(...(await run({ engines, load, workspace, postgresUrl: postgres?.url })));
    process.stderr.write(` ${((performance.now() - startedAt) / 1000).toFixed(0)} s\n`);
  }
} finally {
  await postgres?.stop(false);
}
printTable(claims);
console.log(`\n${others.end()}`);
if (claims.some(({ passed }) => !passed)) process.exitCode = 1;
