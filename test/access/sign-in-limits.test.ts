import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Attempts } from '../../server/access/attempts.ts';
import { MAILS_A_DAY, mayMail } from '../../server/access/mail-limits.ts';
import { GUESSES_A_DAY, giveSignInBack, takeSignIn } from '../../server/access/sign-in-limits.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { freshDatabase } from '../support/database.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const EMAIL = 'anna@example.com';

async function setUp(t: TestContext) {
  const clock = new ManualClock();
  const attempts = new Attempts(await freshDatabase(t), clock);
  const isTaken = async (network: string, device?: string, email = EMAIL) => {
    try {
      await takeSignIn(attempts, { email, network, device }, '');
      return true;
    } catch {
      return false;
    }
  };
  return { clock, attempts, isTaken };
}

test('the guesses per day against one account stay within the stated limit', async (t) => {
  const { clock, isTaken } = await setUp(t);
  const taken: number[] = [];
  // For two days, strangers guess, each time from a new network, and so does someone who has all ten devices.
  for (let at = 0; at < 2 * DAY_MS; at += 180 * MINUTE_MS) {
    const before = taken.length;
    for (let attempt = 0; attempt < 55 && (await isTaken(`network ${at} ${attempt}`)); attempt++)
      taken.push(clock.now().getTime());
    assert.ok(taken.length - before <= 50);
    for (let device = 0; device < 10; device++)
      while (await isTaken('theirs', `dev_${device}`)) taken.push(clock.now().getTime());
    clock.advance(180 * MINUTE_MS);
  }
  assert.equal(taken.length, 2 * GUESSES_A_DAY.all);
  assert.equal(GUESSES_A_DAY.all, 800);
  assert.equal(GUESSES_A_DAY.stranger, 300);
  const most = Math.max(
    ...taken.map((begin) => taken.filter((at) => at >= begin && at < begin + DAY_MS).length),
  );
  assert.ok(most <= 2 * GUESSES_A_DAY.all, `${most} in 24 hours`);
});

test('concurrent attempts are limited like sequential ones', async (t) => {
  const { isTaken } = await setUp(t);
  const count = async (tries: Promise<boolean>[]) => (await Promise.all(tries)).filter(Boolean).length;
  const many = <T>(one: (index: number) => T) => Array.from({ length: 120 }, (_, index) => one(index));
  assert.equal(await count(many((index) => isTaken(`network ${index}`))), 50);
  assert.equal(await count(many(() => isTaken('one network', undefined, 'bert@example.com'))), 10);
  assert.equal(await count(many(() => isTaken('one network', 'dev_1'))), 10);
});

test("a network is refused before it uses up an address's limit, and the owner's attempts do not count", async (t) => {
  const { clock, attempts, isTaken } = await setUp(t);
  for (let attempt = 0; attempt < 200; attempt++) await isTaken('one network');
  // Only ten of these were counted for the address, whatever its spelling.
  for (let network = 0; network < 40; network++)
    assert.equal(await isTaken(`network ${network}`, undefined, EMAIL.toUpperCase()), true, `${network}`);
  assert.equal(await isTaken('another network'), false);
  clock.advance(60 * MINUTE_MS);
  for (let time = 0; time < 60; time++)
    for (const device of [undefined, 'dev_1']) {
      const attempt = { email: EMAIL, network: 'home', device };
      await takeSignIn(attempts, attempt, '');
      await giveSignInBack(attempts, attempt);
    }
});

test('the windows of strangers end exactly on time', async (t) => {
  const { clock, isTaken } = await setUp(t);
  const use = async () => {
    let used = 0;
    while (await isTaken(`network ${clock.now().getTime()} ${used}`)) used++;
    return used;
  };
  assert.equal(await use(), 50);
  clock.advance(60 * MINUTE_MS - 1);
  assert.equal(await use(), 0);
  clock.advance(1);
  assert.equal(await use(), 50);
});

test('the mails per day to one address stay within the stated limit, and one link is always valid', async (t) => {
  const { clock, attempts } = await setUp(t);
  const asks = (network: string, device?: string) =>
    mayMail(attempts, { purpose: 'reset', email: EMAIL, network, device });
  let mails = 0;
  let last = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < DAY_MS; at += 5 * MINUTE_MS) {
    for (let network = 0; network < 10; network++)
      if (await asks(`network ${network}`)) {
        mails++;
        last = at;
      }
    assert.ok(at - last < 45 * MINUTE_MS, `a mail of the last 45 minutes after ${at / MINUTE_MS}`);
    clock.advance(5 * MINUTE_MS);
  }
  assert.ok(mails <= MAILS_A_DAY.strangers && mails > 30, `${mails}`);
  assert.equal(MAILS_A_DAY.strangers, 38);
  // Requests from a known device are counted separately, and so are requests from one network.
  for (let time = 0; time < 5; time++) assert.equal(await asks('home', 'dev_1'), true);
  const alone = { purpose: 'reset' as const, email: 'bert@example.com', network: 'one', device: undefined };
  const sent = await Promise.all(Array.from({ length: 20 }, () => mayMail(attempts, alone)));
  assert.equal(sent.filter(Boolean).length, 3 + 1);
  assert.equal(await mayMail(attempts, { ...alone, network: 'two' }), true);
});
