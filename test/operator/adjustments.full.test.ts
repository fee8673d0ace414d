import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { placeOrder } from '../../server/domain/billing/ledger.ts';
import { orderOf, storedVm, withLedger } from '../billing/support.ts';
import { type Reply, startOperator, UNKNOWN_ACCOUNT } from './support.ts';
import { vaubanctl } from './vaubanctl.ts';

/** An operator with an account that paid 100.00. */
async function shop(t: TestContext) {
  const operator = await startOperator(t);
  const { db, post, newAccount, clock } = operator;
  const id = await newAccount();
  await post(`/accounts/${id}/credits`, { amount: '100.00' });
  const adjust = (body: object) => post(`/accounts/${id}/adjustments`, { reason: 'because', ...body });
  const available = async () =>
    (await operator.get(`/accounts/${id}`)).json().data.wallet.available_minor as number;
  const sound = async () => assert.deepEqual(await auditNow(db), []);
  return { ...operator, id, adjust, available, sound, vm: () => storedVm(db, clock, id) };
}

function assertRefused(reply: Reply, status: number, code: string, message?: RegExp): void {
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.json().error.code, code);
  if (message) assert.match(reply.text, message);
}

test("a credit and a debit are orders with a reason and an author, at today's tax", async (t) => {
  const { adjust, available, catalog, clock, db, get, id, sound, vm } = await shop(t);
  catalog.tax_rate = '0.19';
  const { id: vm_id } = await vm();
  const credit = await adjust({ type: 'credit', amount: '11.90', vm_id, reason: 'slow support' });
  assert.equal(credit.status, 200, credit.text);
  const made = credit.json().data;
  assert.deepEqual(
    [made.type, made.amount_minor, made.reason, made.vm_id, made.wallet.available_minor],
    ['credit', -1190, 'slow support', vm_id, 11190],
  );
  assert.match(made.actor, /^\S/);
  clock.advance(1000);
  const debit = (await adjust({ type: 'debit', amount_minor: 190 })).json().data;
  assert.deepEqual([debit.amount_minor, debit.vm_id], [190, null]);
  assert.equal(await available(), 11000);

  const lines = await db.query(sql`
    select description, order_lines.amount_minor::text as amount, tax_rate::text as rate, order_lines.tax_minor::text as tax, type
    from order_lines join orders on orders.id = order_id join invoices on invoices.id = invoice_id order by orders.id`);
  assert.deepEqual(lines, [
    { description: 'Credit: slow support', amount: '-1190', rate: '0.19', tax: '-190', type: 'credit_note' },
    { description: 'Debit: because', amount: '190', rate: '0.19', tax: '30', type: 'invoice' },
  ]);
  const events = await db.query<{ message: string }>(
    sql`select message from events where vm_id = ${vm_id} and type = 'billing.adjusted'`,
  );
  assert.deepEqual(events, [{ message: 'The operator credited 11.90 EUR: slow support' }]);
  const list = (await get(`/accounts/${id}/adjustments?limit=1`)).json();
  assert.deepEqual([list.data[0].id, list.pagination.has_more], [debit.id, true]);
  const log = (await get('/log')).json().data;
  assert.deepEqual(
    [log[0].request, log[0].input.type, log[0].status],
    [`POST /accounts/${id}/adjustments`, 'debit', 200],
  );
  await sound();
});

test('an invalid correction is refused and changes nothing', async (t) => {
  const { adjust, available, db, post, newAccount, clock, sound } = await shop(t);
  assertRefused(await adjust({ type: 'debit', amount: '100.01' }), 402, 'insufficient_funds');
  assertRefused(await adjust({ type: 'debit' }), 422, 'validation_failed', /either amount/);
  assertRefused(
    await adjust({ type: 'credit', amount: '1', reason: '\u202eevil' }),
    422,
    'validation_failed',
  );
  assertRefused(await adjust({ type: 'gift', amount: '1' }), 422, 'validation_failed', /type/);
  assertRefused(
    await adjust({ type: 'credit', amount: '0.001' }),
    422,
    'validation_failed',
    /more decimal places/,
  );
  assertRefused(
    await adjust({ type: 'credit', amount_minor: Number.MAX_SAFE_INTEGER }),
    422,
    'validation_failed',
    /at most/,
  );
  const foreign = await storedVm(db, clock, await newAccount());
  assertRefused(
    await adjust({ type: 'credit', amount: '1', vm_id: foreign.id }),
    422,
    'validation_failed',
    /vm_id/,
  );
  const unknown = await post(`/accounts/${UNKNOWN_ACCOUNT}/adjustments`, {
    type: 'credit',
    amount: '1',
    reason: 'x',
  });
  assertRefused(unknown, 404, 'not_found');
  assertRefused(await post('/orders/ord_0/refund', { reason: 'x' }), 404, 'not_found');
  assertRefused(await post('/orders/ord_0/void', {}), 422, 'validation_failed', /reason/);
  assert.equal(await available(), 10_000);
  await sound();
});

test('a key makes a request happen once, and stands for nothing else', async (t) => {
  const { adjust, available, db, id, post, sound } = await shop(t);
  const wish = { type: 'credit', amount: '5.00', key: 'ticket-1' };
  const [first, twin] = await Promise.all([adjust(wish), adjust(wish)]);
  const answers = [first, twin].filter(({ status }) => status === 200);
  for (const { status, text } of [first, twin])
    assert.ok(status === 200 || /idempotency_in_progress/.test(text), text);
  const again = await adjust(wish);
  assert.deepEqual(again.json(), answers[0]!.json());
  assert.equal(await available(), 10_500);
  assertRefused(await adjust({ ...wish, amount: '6.00' }), 422, 'idempotency_key_reused');
  assertRefused(
    await post(`/accounts/${id}/credits`, { amount: '5.00', key: 'ticket-1' }),
    422,
    'idempotency_key_reused',
  );

  // Payments from outside take keys too; a refused one has used no key.
  const pay = (path: string, amount: string) =>
    post(`/accounts/${id}/${path}`, { amount, key: `pay-${path}` });
  assertRefused(await pay('debits', '1000'), 402, 'insufficient_funds');
  for (const path of ['credits', 'debits']) {
    const paid = await pay(path, '7.00');
    assert.deepEqual((await pay(path, '7.00')).json(), paid.json());
    assertRefused(await pay(path, '8.00'), 422, 'idempotency_key_reused');
  }
  assert.equal(await available(), 10_500);
  assertRefused(await adjust({ ...wish, key: 'two words' }), 422, 'validation_failed', /key/);
  await assert.rejects(db.query(sql`delete from operator_keys`), /append-only/);
  await sound();
});

test('refunds never exceed the payment, in parts or whole, and a void refunds the rest', async (t) => {
  const { adjust, available, catalog, post, sound } = await shop(t);
  catalog.tax_rate = '0.19';
  const debit = (await adjust({ type: 'debit', amount: '10.00' })).json().data;
  catalog.tax_rate = '0.25';
  const refund = (body: object) => post(`/orders/${debit.id}/refund`, { reason: 'a mistake', ...body });
  const part = (await refund({ amount: '3.33' })).json().data;
  assert.deepEqual(
    [part.type, part.amount_minor, part.corrects_order_id, part.wallet.available_minor],
    ['refund', -333, debit.id, 9333],
  );
  assertRefused(await refund({ amount: '6.68' }), 422, 'validation_failed', /at most 6\.67 EUR/);
  // The refund is undone, so the whole amount is left again.
  const undone = (await post(`/orders/${part.id}/void`, { reason: 'wrong account' })).json().data;
  assert.deepEqual([undone.amount_minor, undone.corrects_order_id], [333, part.id]);
  assertRefused(
    await post(`/orders/${part.id}/void`, { reason: 'again' }),
    409,
    'invalid_state',
    /Nothing is left/,
  );
  assertRefused(
    await post(`/orders/${undone.id}/void`, { reason: 'x' }),
    409,
    'invalid_state',
    /void cannot/,
  );
  assertRefused(await post(`/orders/${undone.id}/refund`, { reason: 'x' }), 409, 'invalid_state');
  assertRefused(
    await post(`/orders/${part.id}/refund`, { reason: 'x' }),
    409,
    'invalid_state',
    /charged nothing/,
  );
  await refund({ amount: '0.01' });
  const rest = (await post(`/orders/${debit.id}/void`, { reason: 'all of it' })).json().data;
  assert.equal(rest.amount_minor, -999);
  assertRefused(await refund({}), 409, 'invalid_state', /Nothing is left/);
  assert.equal(await available(), 10_000);
  await sound();
});

test('a credit is voided exactly, and only if the wallet covers it', async (t) => {
  const { adjust, available, id, post, sound } = await shop(t);
  const credit = (await adjust({ type: 'credit', amount: '5.55' })).json().data;
  await post(`/accounts/${id}/debits`, { amount: '100.01' });
  const undo = () => post(`/orders/${credit.id}/void`, { reason: 'by mistake', key: 'undo' });
  assertRefused(await undo(), 402, 'insufficient_funds');
  await post(`/accounts/${id}/credits`, { amount: '0.01' });
  assert.equal((await undo()).json().data.amount_minor, 555);
  assert.equal((await undo()).json().data.amount_minor, 555, 'once, by its key');
  assert.equal(await available(), 0);
  await sound();
});

test('a pending order is not refunded: the answer says what to do instead', async (t) => {
  const { clock, db, post, vm, available } = await shop(t);
  const wish = orderOf(clock, await vm(), 399n);
  const order = await withLedger(db, clock, (ledger) => placeOrder(ledger, wish));
  for (const action of ['refund', 'void'])
    assertRefused(
      await post(`/orders/${order.id}/${action}`, { reason: 'x' }),
      409,
      'invalid_state',
      /job abandon/,
    );
  assert.equal(await available(), 9601);
});

test('vaubanctl adjusts, repeats by key, and lists corrections with author and reason', async (t) => {
  const { clock, dataDir, id, available } = await shop(t);
  const ctl = (...args: string[]) => {
    clock.advance(1000);
    return vaubanctl(dataDir, 'adjustment', ...args);
  };
  const credit = ['credit', id, '4.90', '--reason', 'kept waiting', '--key', 'k1'];
  const done = await ctl(...credit);
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /amount: +-4\.90 EUR\n/);
  assert.equal((await ctl(...credit)).stdout, done.stdout);
  const order = /ord_\w+/.exec(done.stdout)![0];
  const voided = await ctl('void', order, '--reason', 'not them', '--json');
  assert.equal(JSON.parse(voided.stdout).amount_minor, 490);
  const debit = await ctl('debit', id, '2', '--reason', 'a cable', '--json');
  const refund = await ctl('refund', JSON.parse(debit.stdout).id, '--amount', '0.50', '--reason', 'too much');
  assert.equal(refund.code, 0, refund.stderr);
  const list = await ctl('list', id);
  assert.match(
    list.stdout,
    /^AT +ORDER +TYPE +AMOUNT +VM +CORRECTS +WHO +REASON\n.* refund +-0\.50 EUR .* too much\n/,
  );
  assert.equal(list.stdout.trimEnd().split('\n').length, 5);
  const unreasoned = await ctl('credit', id, '1');
  assert.equal(unreasoned.code, 1);
  assert.match(unreasoned.stderr, /--reason/);
  const large = await ctl('credit', id, '1000', '--reason', 'x');
  assert.deepEqual([large.code, await available()], [1, 9850]);
  const paid = ['account', 'credit', id, '1', '--key', 'p'];
  for (let time = 0; time < 2; time++) assert.equal((await vaubanctl(dataDir, ...paid)).code, 0);
  assert.equal(await available(), 9950);
});
