// On a real cluster: the time from requesting a guest to a login in it, and reads of one, through the API and through
// Incus itself.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { join } from 'node:path';
import { freshKeyPair } from '../../server/platform/ssh-key-pair.ts';
import { Cloud } from '../../test/compute/incus/cloud.ts';
import { NETWORK, POOL } from '../../test/support/incus/cluster.ts';
import { incusIdentity } from '../../test/support/incus/identity.ts';
import { type ClusterInfo, environmentOf, incus, instanceOf } from '../../test/support/incus/layout.ts';
import { CLUSTER_FILE } from '../claims/cluster.ts';
import { httpRequest, startLoadGenerator, throughput } from '../load.ts';
import { atLeast, type Claim } from '../report.ts';
import { compare } from '../statistics.ts';
import { atMostTimes, inTurn, type Racer } from './contenders.ts';
import { carryOut, makePlaceInside } from './inside.ts';
import { untilLogin } from './login.ts';

const ROUNDS = 7;
const MAXIMUM_OVER_INCUS = 1.15;
const READ_SECONDS = 2;
const IN_FLIGHT = 32;
/** The number at which a member performs best. */
const IN_FLIGHT_AT_INCUS = 8;
const MINIMUM_READS = 10;

const KEY = freshKeyPair('bench');

carryOut(async (life, order) => {
  const info: ClusterInfo = JSON.parse(await readFile(join(order.workspace, CLUSTER_FILE), 'utf8'));
  const location = { env: { ...(await makePlaceInside(life, order)) } };
  const cloud = await Cloud.start(life as never, info, location as never);
  const racers = [await byApi(cloud), byIncus(info)];
  // Does not count, because everything is read for the first time.
  await inTurn(1, racers);
  const [mine, theirs] = await inTurn(ROUNDS, racers);
  const claims: Claim[] = [
    atMostTimes('create to SSH by the API ÷ incus launch to SSH', MAXIMUM_OVER_INCUS, mine!, theirs!),
  ];
  using load = startLoadGenerator();
  const [vm] = await cloud.buy(1);
  const requests = [httpRequest('GET', `/v1/vm/${vm.id}`, cloud.customer.key)];
  const byService = async () =>
    throughput(
      await load.send({
        port: Number(new URL(cloud.service.baseUrl).port),
        requests,
        inFlight: IN_FLIGHT,
        seconds: READ_SECONDS,
      }),
    );
  const { ratio, a, b } = await compare(ROUNDS, byService, () => readsOfIncus(info, instanceOf(vm.id)));
  claims.push(atLeast('GET of a VM ÷ GET of its instance', MINIMUM_READS, ratio, `${a}/s ÷ ${b}/s`));
  return claims;
});

async function byApi(cloud: Cloud): Promise<Racer> {
  const { id } = await cloud.customer.ask('POST', '/v1/vm/sshkeys', {
    name: 'bench',
    public_key: KEY.public,
  });
  const body = { plan: 'small', template: 'tiny', hostname: 'web', ssh_key_ids: [id] };
  return async () => {
    const startedAt = performance.now();
    const reply = await cloud.customer.send('POST', '/v1/vm', { body, idempotencyKey: randomUUID() });
    const { vm } = reply.json.data;
    await untilLogin(vm.ipv4, KEY.private);
    const seconds = (performance.now() - startedAt) / 1_000;
    await cloud.settled(vm.id, 'running');
    return { seconds, remove: () => cloud.remove([vm.id]) };
  };
}

/** Incus's own client, with the same configuration for the guest. */
function byIncus(info: ClusterInfo): Racer {
  let made = 0;
  return async () => {
    made++;
    const [name, address] = [`launched-${made}`, `203.0.113.${200 + made}`];
    const settings = {
      config: {
        'limits.cpu': '1',
        'limits.memory': '64MiB',
        'cloud-init.user-data': `hostname: web\nssh_authorized_keys:\n  - ${KEY.public}\n`,
      },
      devices: {
        eth0: {
          type: 'nic',
          name: 'eth0',
          network: NETWORK,
          'ipv4.address': address,
          'ipv4.routes.external': `${address}/32`,
        },
        root: { type: 'disk', path: '/', pool: POOL, size: '1GB' },
      },
    };
    const startedAt = performance.now();
    await launch(info, name, settings);
    await untilLogin(address, KEY.private);
    const seconds = (performance.now() - startedAt) / 1_000;
    return { seconds, remove: async () => void (await incus(info, 'delete', '--force', name)) };
  };
}

/** Runs `incus launch`, which reads an instance's configuration as YAML, and therefore also as JSON. */
async function launch(info: ClusterInfo, name: string, settings: object): Promise<void> {
  const child = spawn('incus', ['launch', 'tiny', name, '--target', 'm1', '-q'], {
    env: { ...process.env, ...environmentOf(info, 1) },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin!.end(JSON.stringify(settings));
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`incus launch ended with ${code}`);
}

/** Returns how many GETs of an instance a member answers per second over HTTPS. */
async function readsOfIncus({ directory, endpoints }: ClusterInfo, name: string): Promise<number> {
  const { certificate: cert, key, serverCertificate: ca } = await incusIdentity(directory);
  const agent = new Agent({ cert, key, ca, checkServerIdentity: () => undefined, keepAlive: true });
  const read = () =>
    new Promise<void>((resolve, reject) => {
      const request = get(`${endpoints[0]}/1.0/instances/${name}`, { agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${response.statusCode}`));
        response.resume().once('end', resolve);
      });
      request.once('error', reject);
    });
  await read();
  const startedAt = performance.now();
  let count = 0;
  const readOn = async () => {
    for (; performance.now() - startedAt < READ_SECONDS * 1_000; count++) await read();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT_AT_INCUS }, readOn));
  agent.destroy();
  return count / ((performance.now() - startedAt) / 1_000);
}
