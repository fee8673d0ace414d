// Baseline for the service: the select of `GET /v1/vm/{id}` and its JSON behind a single Fastify route, without keys,
// limits, scopes, metrics or logs.
import Fastify from 'fastify';
import { findVm } from '../server/db/queries/vms/vms.ts';
import { presentVm } from '../server/endpoints/customer/vms/vm-shape.ts';
import { openPlace } from './bench.ts';

const { VAUBAN_DATA_DIR, DATABASE_URL, VAUBAN_LISTEN, BENCH_ACCOUNT } = process.env;
const db = await openPlace({ VAUBAN_DATA_DIR: VAUBAN_DATA_DIR!, DATABASE_URL });
const app = Fastify();

app.get('/readyz', async () => 'ready');
app.get<{ Params: { id: string } }>('/v1/vm/:id', async (request, reply) => {
  const vm = await findVm(db, BENCH_ACCOUNT!, request.params.id);
  reply.header('content-type', 'application/json; charset=utf-8');
  return JSON.stringify({ data: presentVm(vm!) });
});

const [host, port] = VAUBAN_LISTEN!.split(':');
await app.listen({ host, port: Number(port) });
process.once('SIGTERM', async () => {
  await app.close();
  await db.close();
});
