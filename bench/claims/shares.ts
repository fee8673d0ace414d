import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Database, sql } from '../../server/db/database.ts';
import type { Section } from '../bench.ts';
import { type Customer, storedVmId, storeVms } from '../customers.ts';
import { type Disturbance, measureNeighbour } from '../neighbour.ts';
import { startShellService } from '../process.ts';
import type { Claim } from '../report.ts';
import type { Mischief, ViewersOrder } from '../share-viewers.ts';

const NAMES: Record<Mischief, string> = {
  resizes: 'a shared shell that is resized all the time',
  joins: 'joins of a shared shell with a painted screen',
  deaf: 'viewers of a painted screen that do not read',
};

/** A customer publishes a share link, and its viewers do whatever they like. */
const mischief = (kind: Mischief): Disturbance => ({
  name: NAMES[kind],
  start: startShellService,
  async prepare(db: Database, { accountId }: Customer) {
    await storeVms(db, accountId, 0, 1);
    await db.query(sql`update vms set status = 'running' where id = ${storedVmId(0)}`);
  },
  async begin({ port }, { keys }) {
    const reply = await fetch(`http://127.0.0.1:${port}/v1/vm/${storedVmId(0)}/console-shares`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ mode: 'read_write', max_viewers: 50 }),
    });
    if (reply.status !== 200) throw new Error(`no link: ${reply.status} ${await reply.text()}`);
    const { data } = (await reply.json()) as { data: { url: string } };
    const [page, secret] = data.url.split('#') as [string, string];
    const viewers = fork(join(import.meta.dirname, '../share-viewers.ts'));
    const url = `${page.replace(/^http/, 'ws')}/socket`;
    viewers.send({ mischief: kind, url, protocols: ['vauban.share', secret] } satisfies ViewersOrder);
    await once(viewers, 'message');
    return () => viewers.disconnect();
  },
});

export const shares: Section = {
  name: 'shares',
  about: "a neighbour's requests while viewers of another customer's share link do their worst",
  async run(bench) {
    const claims: Claim[] = [];
    for (const kind of ['resizes', 'joins', 'deaf'] as const)
      claims.push(...(await measureNeighbour(bench, mischief(kind))));
    return claims;
  },
};
