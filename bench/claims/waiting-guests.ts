import type { Section } from '../bench.ts';
import { measureNeighbour } from '../neighbour.ts';
import type { Server } from '../process.ts';

/** More than a node's slots, and nearly as many as one account may have by default. */
const VMS = 34;

export const waitingGuests: Section = {
  name: 'waiting-guests',
  about: `a neighbour while ${VMS} VMs of one customer ignore their shutdown`,
  run: (bench) =>
    measureNeighbour(bench, {
      name: `${VMS} stops that wait`,
      creates: true,
      async begin({ port }, { keys }) {
        const key = keys[0]!;
        const ids = await Promise.all(Array.from({ length: VMS }, () => buy(port, key)));
        for (const id of ids) await ask(port, key, 'POST', `/v1/vm/${id}/stop`, { timeout_seconds: 300 });
        return () => {};
      },
    }),
};

/** Returns the id of a running VM that will not shut down. */
async function buy(port: Server['port'], key: string): Promise<string> {
  const order = {
    plan: 's1',
    template: 'debian-12',
    hostname: 'sim-ignores-shutdown',
    password: 'correct-Horse-7',
  };
  const { vm } = await ask<{ vm: { id: string } }>(port, key, 'POST', '/v1/vm', order);
  for (;;) {
    const { status } = await ask<{ status: string }>(port, key, 'GET', `/v1/vm/${vm.id}?wait_seconds=30`);
    if (status === 'running') return vm.id;
  }
}

/** Returns the `data` of a 200; throws for any other status. */
async function ask<T>(port: number, key: string, method: string, path: string, body?: object): Promise<T> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
  };
  const url = `http://127.0.0.1:${port}${path}`;
  const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { data: T }).data;
}
