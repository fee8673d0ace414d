import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { JOBS } from '../../../server/jobs/definitions/index.ts';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import type { Reply } from '../../chaos/support/customer.ts';
import { call } from '../../operator/support.ts';
import { defer } from '../../support/cleanup.ts';
import { Chaos, type Death } from '../support/chaos.ts';

type Kind = keyof typeof JOBS;

const POLL_MS = 200;

/**
 * Delay into a step: most steps are over by then, and the next has begun; a start has just created its interface or its
 * process.
 */
const DURING_MS = 50;
/** A boot takes longer than this, a shutdown does not: the guest is in the middle of it. */
const LATER_MS = 1_000;
const WAITING = /start|power_on|reboot/;

/**
 * Returns the points at which to die in a job of this kind: before it, in the middle of each step, after each. New
 * steps are included automatically.
 */
function deaths(kind: Kind): Death[] {
  return JOBS[kind].steps.flatMap(({ name: step }, index) => [
    ...(index === 0 ? [{ kind, step, phase: 'before' as const }] : []),
    { kind, step, phase: DURING_MS },
    ...(WAITING.test(step) ? [{ kind, step, phase: LATER_MS }] : []),
    { kind, step, phase: 'after' as const },
  ]);
}

test('a service that is killed at any step of any job takes it up again', async (t) => {
  const nonsense = join(tmpdir(), `no-kernel-${process.pid}`);
  writeFileSync(nonsense, 'not a kernel');
  defer(t, () => rmSync(nonsense));
  const chaos = await Chaos.start(t, {
    env: { VAUBAN_QEMU_NETWORK: 'routed' },
    templates: { broken: ({ directBoot }) => ({ directBoot: { ...directBoot!, kernel: nonsense } }) },
  });
  const sweep = new KillSweep(t, chaos);
  await sweep.pairs('create', 'delete');
  await sweep.ensure('running');
  for (const [stop, start] of [
    ['stop', 'start'],
    ['force_stop', 'start'],
    ['snapshot_create', 'snapshot_delete'],
  ] as const) {
    await sweep.pairs(stop, start);
  }
  for (const kind of ONE_AFTER_ANOTHER) {
    for (const death of sweep.left(kind)) await sweep.kill(death);
  }
  await t.test('a creation that fails is undone by the next process', async () => {
    await sweep.ensure('gone');
    for (const { name: step } of JOBS.create.steps) await sweep.undo({ kind: 'create', step, phase: 'undo' });
  });
  await t.test('the result', (t) => {
    // The only omitted kind has the steps of another.
    assert.equal(JOBS.change_custom, JOBS.change_plan);
    assert.deepEqual(sweep.unvisited(), ['change_custom']);
    chaos.print(t);
  });
});

/** Kinds that leave their VM in a state in which they can be requested again. */
const ONE_AFTER_ANOTHER = [
  'reboot',
  'change_plan',
  'reset_password',
  'attach_ssh_key',
  'snapshot_restore',
  'rebuild',
] as const;

/** The state in which a job of the kind leaves its VM. */
const AFTER: Partial<Record<Kind, string>> = { stop: 'stopped', force_stop: 'stopped', delete: 'gone' };

class KillSweep {
  readonly #t: TestContext;
  readonly #chaos: Chaos;
  readonly #left = new Map<Kind, Death[]>();

  constructor(t: TestContext, chaos: Chaos) {
    this.#t = t;
    this.#chaos = chaos;
  }

  /** Returns the deaths of a kind that have not happened yet. */
  left(kind: Kind): Death[] {
    if (!this.#left.has(kind)) this.#left.set(kind, deaths(kind));
    return [...this.#left.get(kind)!];
  }

  unvisited(): string[] {
    const kinds = Object.keys(JOBS) as Kind[];
    return kinds.filter((kind) => this.left(kind).length > 0);
  }

  /** Kills in both kinds in turn, the second of which undoes the first; a kind without deaths left just runs. */
  async pairs(first: Kind, second: Kind): Promise<void> {
    while (this.left(first).length + this.left(second).length > 0) {
      for (const kind of [first, second]) {
        const [death] = this.left(kind);
        if (death) await this.kill(death);
        else await this.#do(kind);
      }
    }
  }

  async ensure(state: 'running' | 'gone'): Promise<void> {
    const vm = await this.#chaos.settled();
    if (state === 'gone' && vm) await this.#do('delete');
    if (state === 'running' && !vm) await this.#do('create');
  }

  async kill(death: Death): Promise<void> {
    const kind = death.kind as Kind;
    this.#left.set(
      kind,
      this.left(kind).filter((other) => other.step !== death.step || other.phase !== death.phase),
    );
    await this.#t.test(`${kind}: ${nameOf(death)}`, async () => {
      await this.#chaos.killAt(death, await this.#request(kind));
      const vm = await this.#chaos.settled();
      const state = AFTER[kind] ?? 'running';
      assert.equal(vm?.status ?? 'gone', state, JSON.stringify(vm?.last_job));
      if (vm) assert.deepEqual([vm.last_job.kind, vm.last_job.status], [kind, 'succeeded']);
      await this.#chaos.assertSound(vm);
      this.#chaos.note(`service killed: ${kind}, ${nameOf(death)}`, 1, `done, ${state}`);
    });
  }

  /** A creation that cannot succeed, with the service killed during undo. */
  async undo(death: Death): Promise<void> {
    const order = { plan: 'small', template: 'broken', hostname: 'broken' };
    await this.#chaos.killAt(death, () => this.#send('POST', '/v1/vm', order));
    const vm = await this.#chaos.settled();
    assert.deepEqual([vm.status, vm.last_job.error.code], ['error', 'compute_unavailable']);
    await this.#chaos.assertSound(vm);
    this.#chaos.note(`service killed: failed create, ${nameOf(death)}`, 1, 'error, all undone');
    await this.#do('delete');
  }

  async #do(kind: Kind): Promise<void> {
    const reply = await (await this.#request(kind))();
    assert.equal(reply.status, 200, reply.text);
    await this.#chaos.assertSound(await this.#chaos.settled());
  }

  #send(method: string, path: string, body?: object): Promise<Reply> {
    return this.#chaos.customer.send(method, path, { body, idempotencyKey: crypto.randomUUID() });
  }

  async #operate(path: string, body: object): Promise<Reply> {
    const reply = await call(this.#chaos.real.service().operatorSocket, 'POST', path, body);
    return { ...reply, headers: new Headers(), json: reply.json() };
  }

  /** Returns the request of a job of the kind. */
  async #request(kind: Kind): Promise<() => Promise<Reply>> {
    const { customer } = this.#chaos;
    const vm = await this.#chaos.settled();
    const at = `/v1/vm/${vm?.id}`;
    const post = (path: string, body = {}) => this.#send('POST', `${at}${path}`, body);
    /** Repeats the request until the guest has booted. */
    const inside = async (path: string, body = {}) => {
      let reply = await post(path, body);
      while (reply.json?.error?.code === 'guest_agent_unavailable') {
        await sleep(POLL_MS);
        reply = await post(path, body);
      }
      return reply;
    };
    const other = vm?.plan === 'small' ? 'large' : 'small';
    switch (kind) {
      case 'create':
        return () => this.#send('POST', '/v1/vm', { plan: 'small', template: 'tiny', hostname: 'web' });
      case 'delete':
        return () => this.#send('DELETE', at);
      case 'change_plan':
        return () => post('/change-plan', { plan: other, allow_reboot: true, resize_disk: false });
      case 'snapshot_create':
        return () => post('/snapshots');
      case 'snapshot_delete': {
        const [snapshot] = await customer.ask('GET', `${at}/snapshots`);
        return () => this.#send('DELETE', `${at}/snapshots/${snapshot.id}`);
      }
      case 'snapshot_restore': {
        const [snapshot] = await customer.ask('GET', `${at}/snapshots`);
        if (!snapshot) await this.#do('snapshot_create');
        const [{ id: snapshot_id }] = await customer.ask('GET', `${at}/snapshots`);
        return () => this.#operate(`/vms/${vm.id}/restore`, { snapshot_id });
      }
      case 'rebuild':
        return () => this.#operate(`/vms/${vm.id}/rebuild`, { template: 'tiny', delete_snapshots: true });
      case 'attach_ssh_key':
        return () => inside('/ssh-key', { public_key: freshKeyPair().public });
      case 'force_stop':
        return () => post('/force-stop');
      case 'reset_password':
        return () => inside('/reset-password');
      default:
        return () => post(`/${kind}`);
    }
  }
}

function nameOf({ step, phase }: Death): string {
  if (phase === 'undo') return `undoing ${step}`;
  return typeof phase === 'number' ? `${phase} ms into ${step}` : `${phase} ${step}`;
}
