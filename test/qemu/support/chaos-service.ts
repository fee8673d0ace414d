// Runs the service as a process that dies on command and whose clock can jump ahead. A Unix socket next to the
// operator's takes the commands; chaos.ts sends them.
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { loadConfig } from '../../../server/config/config.ts';
import { systemClock } from '../../../server/platform/clock.ts';
import { startService } from '../../../server/start/compose.ts';
import { openState } from '../../../server/start/state.ts';
import { places } from '../../chaos/support/places.ts';
import { ledgerProblems, vmProblems } from '../../support/invariants.ts';
import type { Death } from './chaos.ts';

const config = loadConfig(process.env);
const db = await openState(config);
let ahead = 0;
const clock = { ...systemClock, now: () => new Date(Date.now() + ahead) };
let death: Death | undefined;

const orders: Record<string, (input: never) => unknown> = {
  '/die': (at: Death) => {
    death = at;
  },
  '/jump': ({ ms }: { ms: number }) => {
    ahead += ms;
  },
  // Null if the engine reports nothing about its hosts.
  '/unreachable': () =>
    service.services.compute.hosts().then(
      (hosts) => hosts.filter(({ reachable }) => !reachable).map(({ name }) => name),
      () => null,
    ),
  '/places': () => places(service.services.compute, db),
  '/problems': async () => [...(await ledgerProblems(db)), ...(await vmProblems(db))],
};
const control = createServer(async (request, response) => {
  const result = await orders[request.url!]!((await json(request)) as never);
  response.end(JSON.stringify({ result: result ?? null }));
});
const socket = join(config.dataDir, 'control.sock');
// A killed predecessor has left its own behind.
await rm(socket, { force: true });
control.listen(socket);
// Before the service reports that it listens, which the test waits for.
await once(control, 'listening');

const die = () => process.kill(process.pid, 'SIGKILL');
const service = await startService(config, db, {
  clock,
  stepHook({ kind, step, phase }) {
    if (!death || death.kind !== kind || death.step !== step) return;
    if (death.phase === phase) die();
    if (typeof death.phase === 'number' && phase === 'before') setTimeout(die, death.phase);
  },
});

process.once('SIGTERM', async () => {
  control.close();
  await service.stop();
});
