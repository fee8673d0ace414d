import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { operate } from '../../test/chaos/support/customer.ts';
import { frameOf } from '../../test/edge/support/frames.ts';
import { EdgeNetwork, whyNot } from '../../test/edge/support/network.ts';
import { type Protected, protect } from '../../test/edge/support/protected.ts';
import { TestRouter, whyNoRouter } from '../../test/edge/support/router.ts';
import type { Lifetime } from '../../test/support/cleanup.ts';
import { type Service, startService } from '../../test/support/service.ts';
import { type Bench, makePlace, openPlace, type Place, type Section } from '../bench.ts';
import { during } from '../lifetime.ts';
import { atLeast, atMost, type Claim, leftOut } from '../report.ts';
import { compare, quantile } from '../statistics.ts';

const RULES_EACH = 10;
const MANY = 1_000;
const MOST = 10_000;
const ANNOUNCED_TARGETS = 100;
const SAMPLES = 100;
/** A service's first rules are slower, because its code is not compiled yet. */
const WARM_UP = 5;
/** Pause between checks whether a rule is in force: a tight loop would take one of two cores from the measurement. */
const LOOK_MS = 2;
const PACKETS = 400_000;
const ROUNDS = 7;
const WATCH_SECONDS = 10;
/** The kernel's clock ticks per second. */
const TICKS = 100;
const HAND = 'bench-hand';
const FIRST_PORT = 20_000;

export const edge: Section = {
  name: 'edge',
  about: 'the DDoS edge: packets dropped, rules by the API, the detector, routers',
  async run(bench) {
    const why = whyNot();
    if (why) return [leftOut('the DDoS edge', why)];
    const claims = await during((life) => onThisHost(bench, life));
    const whyNoRoutes = whyNoRouter();
    if (whyNoRoutes) return [...claims, leftOut('FlowSpec', whyNoRoutes)];
    return [...claims, ...(await during((life) => byRouters(bench, life)))];
  },
};

/** A service that can be restarted with more targets than an API would be asked to create. */
class Site {
  readonly #life: Lifetime;
  readonly #place: Place;
  readonly #env: Record<string, string>;
  service!: Service;
  first!: Protected;

  private constructor(life: Lifetime, place: Place, env: Record<string, string>) {
    [this.#life, this.#place, this.#env] = [life, place, env];
  }

  static async open(bench: Bench, life: Lifetime, env: Record<string, string>): Promise<Site> {
    const site = new Site(life, await makePlace(bench, bench.engines[0]!), env);
    await site.#start();
    site.first = await protect(site.service, { mbps: 1_000 });
    return site;
  }

  async #start(): Promise<void> {
    const env = { VAUBAN_RATE_LIMIT_KEY: '1000000', VAUBAN_RATE_LIMIT_ACCOUNT: '1000000', ...this.#env };
    const location = { env: { ...this.#place } } as never;
    this.service = await startService(this.#life as never, { location, env });
  }

  /** Writes this many targets with rules in addition to the first one, and waits until they are in force. */
  async fill(targets: number, rulesEach: number, from = 0): Promise<void> {
    await this.service.stop();
    const db = await openPlace(this.#place);
    const { targetId } = this.first;
    await db.script(`
      insert into shield_targets (id, account_id, tenant_id, vm_id, ip, mode, created_at)
      select 'tgt_bench' || lpad(n::text, 5, '0'), account_id, tenant_id, null, '100.66.0.0'::inet + n, 'always_on', now()
      from shield_targets, generate_series(${from + 1}, ${from + targets}) as n where id = '${targetId}';
      insert into shield_rules (id, account_id, target_id, origin, action, match, fingerprint, priority, enabled,
        status, generation, created_at)
      select 'rul_bench' || n || 'x' || k, account_id, 'tgt_bench' || lpad(n::text, 5, '0'), 'user', 'block', jsonb_build_object(
          'protocol', 'udp', 'source', null, 'sourcePorts', jsonb_build_array((${FIRST_PORT} + k)::text),
          'destinationPorts', '[]'::jsonb, 'packetLength', null, 'tcpFlags', null, 'fragments', 'any'),
        'bench' || k, 100, true, 'pending', 1, now()
      from shield_targets, generate_series(${from + 1}, ${from + targets}) as n, generate_series(1, ${rulesEach}) as k
      where id = '${targetId}'`);
    await db.close();
    await this.#start();
    this.first.customer.target = this.service;
    // Rules take effect in the order in which they were recorded, so the last target is in force last.
    const last = `tgt_bench${String(from + targets).padStart(5, '0')}`;
    while (!(await operate(this.service, `/targets/${last}`)).on_edge) await sleep(200);
  }

  /** Returns the milliseconds from the API request for a rule until it is in force, for each sample. */
  async rules(isInForce: (before: number) => Promise<boolean>): Promise<number[]> {
    const { customer, rules } = this.first;
    const took: number[] = [];
    for (let sample = -WARM_UP; sample < SAMPLES; sample++) {
      const body = { action: 'block', protocol: 'udp', source_ports: [`${1_000 + WARM_UP + sample}`] };
      const started = performance.now();
      const reply = await customer.send('POST', rules, { body, idempotencyKey: randomUUID() });
      const { id } = reply.json.data;
      while (!(await isInForce(1))) await sleep(LOOK_MS);
      if (sample >= 0) took.push(performance.now() - started);
      await customer.ask('DELETE', `${rules}/${id}`);
      while (!(await isInForce(0))) await sleep(LOOK_MS);
    }
    return took;
  }

  /** Returns whether this many rules of the first target are active, and the edge has no others for it. */
  async isSettled(count: number): Promise<boolean> {
    const all = await this.first.customer.ask('GET', this.first.rules);
    const active = all.filter(({ status }: { status: string }) => status === 'active').length;
    if (active !== count) return false;
    // A deleted rule is no longer listed although the edge may still have it.
    return count > 0 || (await operate(this.service, `/targets/${this.first.targetId}`)).on_edge;
  }
}

async function onThisHost(bench: Bench, life: Lifetime): Promise<Claim[]> {
  const network = await EdgeNetwork.open(life);
  const env = { VAUBAN_EDGE: 'nftables', VAUBAN_EDGE_HELPER: network.socket };
  const site = await Site.open(bench, life, env);
  await site.fill(MANY, RULES_EACH);
  const took = await site.rules((count) => site.isSettled(count));
  const [few, dropped] = [await detectorCpu(network, site), await drops(network)];
  await site.fill(MOST - MANY, 0, MANY);
  const many = await detectorCpu(network, site);
  const ms = (share: number) => quantile(took, share);
  return [
    atLeast(
      `packets dropped with ${MANY} targets × ${RULES_EACH} rules ÷ one nft rule by hand`,
      0.65,
      dropped.ratio,
      `${dropped.a} and ${dropped.b} packets/s on one core, sending included`,
    ),
    atMost(
      `rule by the API until active, p99 at ${MANY * RULES_EACH} rules`,
      100,
      ms(0.99),
      'ms',
      `p50 ${ms(0.5).toFixed(0)} ms`,
    ),
    ...[few, many].map(({ service, helper }, index) => ({
      claim: `detector, ${[MANY, MOST][index]} targets: CPU of service + helper`,
      target: 'told',
      measured: `${(100 * service).toFixed(1)} % + ${(100 * helper).toFixed(1)} % of a core`,
      passed: true,
    })),
  ];
}

/** Compares the packets dropped by the last of a target's rules with those dropped by a single hand-written rule. */
async function drops(network: EdgeNetwork) {
  const nft = (text: string) => network.edge.run('nft', text);
  const frame = (sourcePort: number) =>
    frameOf(
      {
        protocol: 17,
        source: '198.18.0.1',
        sourcePort,
        destinationPort: 9,
        length: 60,
        flags: [],
        fragment: 'none',
      },
      '100.66.1.244',
    );
  const byEdge = () => network.rush(frame(FIRST_PORT + RULES_EACH), PACKETS);
  const byHand = async () => {
    await nft(
      `table netdev ${HAND} { chain in { type filter hook ingress device "e0" priority -700; udp sport 9 drop; } ; }`,
    );
    const found = await network.rush(frame(9), PACKETS);
    await nft(`delete table netdev ${HAND}`);
    return found;
  };
  return compare(ROUNDS, byEdge, byHand);
}

/** Returns the share of a core that attack detection takes while there is no traffic. */
async function detectorCpu(network: EdgeNetwork, { service }: Site) {
  // Waits until the work after a start is over.
  await sleep(3_000);
  const pids = [service.pid, network.helperPid];
  const before = pids.map(cpuSeconds);
  const started = performance.now();
  await sleep(WATCH_SECONDS * 1_000);
  const seconds = (performance.now() - started) / 1_000;
  const [own, helper] = pids.map((pid, index) => (cpuSeconds(pid) - before[index]!) / seconds);
  return { service: own!, helper: helper! };
}

/** CPU time of a process and the programs that it has run. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
}

async function byRouters(bench: Bench, life: Lifetime): Promise<Claim[]> {
  const network = await EdgeNetwork.open(life);
  const router = await TestRouter.open(life, network);
  await router.connected();
  const site = await Site.open(bench, life, {
    VAUBAN_EDGE: 'flowspec',
    VAUBAN_FLOWSPEC_GOBGP: router.gobgp,
    VAUBAN_FLOWSPEC_PREFIXES: '100.64.0.0/14',
    VAUBAN_FLOWSPEC_MAX_ANNOUNCEMENTS: '2000',
  });
  await site.fill(ANNOUNCED_TARGETS, RULES_EACH);
  const others = ANNOUNCED_TARGETS * RULES_EACH;
  const took = await site.rules(async (count) => (await router.rules()) === others + count);
  return [
    atMost(
      `rule by the API until a router has it, p99 at ${others} rules`,
      250,
      quantile(took, 0.99),
      'ms',
      `p50 ${quantile(took, 0.5).toFixed(0)} ms`,
    ),
  ];
}
