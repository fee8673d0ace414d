import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '../../server/platform/clock.ts';
import { type Pauses, Reconciler } from '../../server/platform/reconciler.ts';

/** A reconciler whose runs end when the test says so. */
class Probe {
  readonly failures: unknown[] = [];
  readonly reconciler: Reconciler;
  runs = 0;
  look = () => {};
  #end: { resolve(): void; reject(error: Error): void } | undefined;

  constructor(pauses?: Pauses) {
    this.reconciler = new Reconciler({
      run: (_, look) => {
        this.runs++;
        this.look = look;
        return new Promise<void>((resolve, reject) => {
          this.#end = { resolve, reject };
        });
      },
      onFailure: (error) => this.failures.push(error),
      ...(pauses && { pauses }),
    });
  }

  /** Ends the current run, and lets everything follow that needs no time to pass. */
  async end(error?: Error): Promise<void> {
    await turn();
    const end = this.#end;
    this.#end = undefined;
    assert.ok(end, 'no run is in progress');
    if (error) end.reject(error);
    else end.resolve();
    await turn();
  }

  get isRunning(): boolean {
    return this.#end !== undefined;
  }
}

const FAILURE = new Error('it failed');

test('many kicks in one turn are one run', async () => {
  const probe = new Probe();
  for (let n = 0; n < 10; n++) probe.reconciler.kick();
  await probe.end();
  assert.deepEqual([probe.runs, probe.isRunning], [1, false]);
});

test('kicks during a run are exactly one more run, after it', async () => {
  const probe = new Probe();
  probe.reconciler.kick();
  await turn();
  for (let n = 0; n < 10; n++) probe.reconciler.kick();
  await turn();
  assert.equal(probe.runs, 1, 'never two at once');
  await probe.end();
  assert.equal(probe.runs, 2);
  await probe.end();
  assert.deepEqual([probe.runs, probe.isRunning], [2, false]);
});

test('a caller waits for a run that began after the call, and gets its error', async () => {
  const probe = new Probe();
  const outcomes: string[] = [];
  const ask = (name: string) =>
    probe.reconciler.run().then(
      () => outcomes.push(`${name} succeeded`),
      ({ message }) => outcomes.push(`${name}: ${message}`),
    );
  void ask('first');
  await turn();
  void ask('second');
  void ask('third');
  await probe.end();
  assert.deepEqual(outcomes, ['first succeeded']);
  await probe.end(FAILURE);
  assert.deepEqual(outcomes.slice(1), ['second: it failed', 'third: it failed']);
  assert.deepEqual([probe.runs, probe.failures], [2, []], 'they know of the failure');
});

test('a run that looks again counts for everyone who asked before', async () => {
  const probe = new Probe();
  const [before, after] = [{ isDone: false }, { isDone: false }];
  const ask = (whose: { isDone: boolean }) =>
    void probe.reconciler.run().then(() => {
      whose.isDone = true;
    });
  probe.reconciler.kick();
  await turn();
  ask(before);
  probe.look();
  ask(after);
  await probe.end();
  assert.deepEqual([before.isDone, after.isDone, probe.runs], [true, false, 2]);
  await probe.end();
  assert.deepEqual([after.isDone, probe.runs], [true, 2]);
});

test('the error of a kicked run is reported once, and the next kick runs again', async () => {
  const probe = new Probe();
  probe.reconciler.kick();
  probe.reconciler.kick();
  await probe.end(FAILURE);
  assert.deepEqual(probe.failures, [FAILURE]);
  probe.reconciler.kick();
  await probe.end();
  assert.deepEqual([probe.runs, probe.failures.length], [2, 1]);
});

test('a run that throws synchronously is a failure like any other', async () => {
  const failures: unknown[] = [];
  let runs = 0;
  const reconciler = new Reconciler({
    run() {
      if (++runs < 3) throw FAILURE;
      return Promise.resolve();
    },
    onFailure: (error) => failures.push(error),
  });
  reconciler.kick();
  await reconciler.idle();
  assert.deepEqual(failures, [FAILURE]);
  await assert.rejects(reconciler.run(), FAILURE);
  await reconciler.run();
  assert.equal(runs, 3);
});

test('failures back off, twice as long each time up to a limit, until a run succeeds', async () => {
  const clock = new ManualClock();
  const probe = new Probe({ clock, retry: { firstMs: 1_000, longestMs: 3_000 } });
  probe.reconciler.kick();
  for (const ms of [1_000, 2_000, 3_000, 3_000]) {
    await probe.end(FAILURE);
    clock.advance(ms - 1);
    await turn();
    assert.ok(!probe.isRunning, `runs before ${ms} ms have passed`);
    clock.advance(1);
    await turn();
    assert.ok(probe.isRunning, `does not run after ${ms} ms`);
  }
  await probe.end();
  assert.equal(clock.sleeping, 0, 'no run follows a success by itself');
  probe.reconciler.kick();
  await probe.end(FAILURE);
  clock.advance(1_000);
  await probe.end();
  assert.deepEqual([probe.runs, probe.failures.length], [7, 5]);
});

test('a kick cuts a pause short, and leaves no timer of it', async () => {
  const clock = new ManualClock();
  const probe = new Probe({ clock, everyMs: 60_000, retry: { firstMs: 1_000, longestMs: 1_000 } });
  probe.reconciler.kick();
  await probe.end(FAILURE);
  assert.equal(clock.sleeping, 1);
  probe.reconciler.kick();
  await turn();
  assert.deepEqual([probe.runs, clock.sleeping], [2, 0]);
  await probe.end();
  clock.advance(59_999);
  await turn();
  assert.equal(probe.runs, 2, 'the interval applies after a success');
  const run = probe.reconciler.run();
  await probe.end();
  await run;
  clock.advance(60_000);
  await turn();
  assert.equal(probe.runs, 4);
});

test('it is idle only when no run is in progress or asked for', async () => {
  const clock = new ManualClock();
  const probe = new Probe({ clock, everyMs: 1_000 });
  await probe.reconciler.idle();
  let isIdle = false;
  probe.reconciler.kick();
  const idle = probe.reconciler.idle().then(() => {
    isIdle = true;
  });
  await turn();
  probe.reconciler.kick();
  await probe.end();
  assert.ok(!isIdle, 'one more has been asked for');
  await probe.end();
  await idle;
  assert.equal(probe.runs, 2);
});

test('closing ends a run that would never end, by its signal, and waits for it', async () => {
  let hasEnded = false;
  const failures: unknown[] = [];
  const reconciler = new Reconciler({
    run: (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', async () => {
          await turn();
          hasEnded = true;
          reject(signal.reason);
        });
      }),
    onFailure: (error) => failures.push(error),
  });
  reconciler.kick();
  await turn();
  const next = reconciler.run();
  const refused = assert.rejects(next, /closed/);
  await reconciler.close();
  assert.ok(hasEnded);
  await refused;
  assert.deepEqual(failures, [], 'that it was closed is no failure');
});

test('once closed it runs no more, and no timer stays', async () => {
  const clock = new ManualClock();
  const probe = new Probe({ clock, everyMs: 1_000 });
  probe.reconciler.kick();
  await probe.end();
  assert.equal(clock.sleeping, 1);
  await probe.reconciler.close();
  assert.equal(clock.sleeping, 0);
  probe.reconciler.kick();
  await assert.rejects(probe.reconciler.run(), /closed/);
  clock.advance(60_000);
  await turn();
  assert.equal(probe.runs, 1);
  await probe.reconciler.close();

  const unbegun = new Probe();
  unbegun.reconciler.kick();
  await unbegun.reconciler.close();
  assert.equal(unbegun.runs, 0);
});
