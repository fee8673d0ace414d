import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type Client, createClient, ERROR_CLASSES, OPERATIONS } from '../../sdk/src/index.ts';
import { OPERATIONS as DOCUMENTED, match, operationOf } from '../acceptance/support/document.ts';
import { SCOPES } from '../acceptance/support/roster.ts';
import { start } from '../acceptance/support/start.ts';
import { validCall } from '../acceptance/support/valid-calls.ts';
import { equip, newSubject } from '../acceptance/support/world.ts';

/** Operations that end something go last, because the others need it. */
const LAST = ['deleteShieldRule', 'deleteSshKey', 'deleteVm'];
/** Refused in this order of calls, because the VM already has that size; a refusal counts as a reply. */
const REFUSALS: Record<string, string> = { changeCustom: 'same_plan' };

function methodOf(client: Client, operation: keyof typeof OPERATIONS): (...given: unknown[]) => unknown {
  const [resource, name] = OPERATIONS[operation];
  const methods = client[resource] as unknown as Record<string, (...given: unknown[]) => unknown>;
  return methods[name]!;
}

async function outcomeOf(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  const items: unknown[] = [];
  for await (const item of result as AsyncIterable<unknown>) items.push(item);
  return items;
}

test('the client at a service', async (t) => {
  const { operator, client: program, baseUrl } = await start(t);
  const subject = await newSubject(operator, program);
  subject.ids = await equip(subject, 'web-1');
  const vmId = subject.ids.vm!;
  const asked: string[] = [];
  const client = createClient({
    baseUrl: baseUrl(),
    apiKey: await operator.key(subject.account, SCOPES),
    requestsPerMinute: 100_000,
    fetch: (url, init) => {
      const target = url.slice(baseUrl().length);
      asked.push(match(init.method!, target)?.id ?? `${init.method} ${target}`);
      return fetch(url, init);
    },
  });

  /** Most of the VM's operations need a running one. */
  const bringTo = async (status: 'running' | 'stopped') => {
    const vm = await client.vms.get(vmId);
    if (vm.status === status) return;
    await (status === 'running' ? client.vms.start(vmId) : client.vms.forceStop(vmId));
    await client.waitUntilIdle(vmId);
  };

  await t.test('a terminal is a pair of streams', async () => {
    const terminal = await client.openTerminal(vmId, { cols: 100, rows: 30 });
    terminal.resize(120, 40);
    const writer = terminal.writable.getWriter();
    await writer.write(new TextEncoder().encode('echo an""swer\r'));
    const reader = terminal.readable.getReader();
    let text = '';
    while (!text.includes('answer')) {
      const { done, value } = await reader.read();
      assert.ok(!done, `the shell has ended: ${text}`);
      text += new TextDecoder().decode(value);
    }
    terminal.close();
    await terminal.closed;
  });

  await t.test('a screen speaks VNC', async () => {
    const screen = await client.openScreen(vmId);
    const reader = screen.readable.getReader();
    const { value } = await reader.read();
    assert.match(new TextDecoder().decode(value), /^RFB 003\.00\d\n/);
    screen.close();
    await screen.closed;
  });

  await t.test('a run of the agent continues after an approval', async () => {
    const types: string[] = [];
    const decided: string[] = [];
    const run = client.converse(
      vmId,
      { message: 'How full is the disk?', approval_mode: 'all' },
      ({ command }) => {
        decided.push(command);
        return 'approve';
      },
    );
    for await (const event of run) types.push(event.type);
    assert.ok(decided.length > 0);
    assert.equal(types.filter((type) => type === 'approval.required').length, decided.length);
    assert.ok(types.includes('command.completed'));
    assert.equal(types.at(-1), 'run.completed');
  });

  await t.test('an invoice that is not issued yet is no file', async () => {
    for (const format of ['pdf', 'xml'] as const)
      await assert.rejects(client.invoiceFile(subject.ids.invoices!, format), {
        code: 'document_unavailable',
      });
  });

  await t.test('every operation is a method, and asks for itself', async () => {
    assert.deepEqual(Object.keys(OPERATIONS).sort(), DOCUMENTED.map(({ id }) => id).sort());
    const order = Object.keys(OPERATIONS).sort(
      (a, b) => LAST.indexOf(a) - LAST.indexOf(b),
    ) as (keyof typeof OPERATIONS)[];
    let answered = 0;
    for (const operation of order) {
      await bringTo(operation === 'startVm' ? 'stopped' : 'running');
      asked.length = 0;
      const { at = [], body, query } = validCall(operationOf(operation), subject.ids);
      const [, , , , , takes] = OPERATIONS[operation];
      const given = [...at, ...(takes === 'nothing' ? [] : [takes === 'body' ? body : query])];
      try {
        await outcomeOf(methodOf(client, operation)(...given));
        answered += 1;
      } catch (error) {
        assert.ok(error instanceof ApiError, `${operation}: ${error}`);
        assert.equal(error.code, REFUSALS[operation], `${operation}: ${error.message}`);
        assert.equal(error.constructor, ERROR_CLASSES[error.code as keyof typeof ERROR_CLASSES]);
      }
      assert.equal(asked[0], operation);
      if (operation !== 'deleteVm') await client.waitUntilIdle(vmId);
    }
    assert.equal(answered, order.length - Object.keys(REFUSALS).length);
  });

  await t.test('a job is waited for to its end', async () => {
    const { vm, job } = await client.vms.create({ plan: 's1', template: 'debian-12', hostname: 'web-2' });
    const made = await client.waitForJob(job);
    assert.equal(made?.status, 'running');
    const gone = await client.vms.delete(vm.id);
    assert.equal(await client.waitForJob(gone.job), undefined);
  });
});
