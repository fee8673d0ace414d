import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { test } from 'node:test';
import { parse } from 'yaml';
import { wordsOf } from '../../cli/src/command.ts';
import { COMMANDS } from '../../cli/src/commands/index.ts';
import { optionOf } from '../../cli/src/fields.ts';
import { INPUTS } from '../../cli/src/inputs.ts';
import { OPERATIONS } from '../../sdk/src/index.ts';
import { OPERATIONS as DOCUMENTED, match, operationOf } from '../acceptance/support/document.ts';
import { SCOPES } from '../acceptance/support/roster.ts';
import { start } from '../acceptance/support/start.ts';
import { validCall } from '../acceptance/support/valid-calls.ts';
import { equip, newSubject } from '../acceptance/support/world.ts';
import { cliAt } from './support/cli.ts';

type OperationId = keyof typeof OPERATIONS;

/** Operations that end something go last, because the others need it. */
const LAST = ['deleteShieldRule', 'deleteSshKey', 'deleteVm'];
/** Refused in this order of calls, because the VM already has that size; a refusal counts as a reply. */
const REFUSALS: Record<string, string> = { changeCustom: 'same_plan' };

/** Returns a call as a user types it. */
function wordsFor(operation: OperationId, ids: Record<string, string>): string[] {
  const { at = [], body, query } = validCall(operationOf(operation), ids);
  const [resource, method] = OPERATIONS[operation];
  const { positional = [] } = COMMANDS[operation];
  const given = { ...query, ...(body as object) } as Record<string, unknown>;
  const options = Object.entries(given)
    .filter(([name]) => !positional.includes(name))
    .flatMap(([name, value]) => [optionOf(name), ...typed(value)]);
  const words = positional.map((name) => given[name]).filter((value) => value !== undefined);
  const { question } = COMMANDS[operation];
  return [
    ...wordsOf(resource, method),
    ...at,
    ...words.map(String),
    ...options,
    ...(question ? ['--yes'] : []),
  ];
}

/** A flag has no value. */
function typed(value: unknown): string[] {
  if (value === true) return [];
  if (Array.isArray(value)) return [value.join(',')];
  return [typeof value === 'object' ? JSON.stringify(value) : String(value)];
}

test("every operation is a command with the operation's inputs", () => {
  assert.deepEqual(Object.keys(COMMANDS).sort(), DOCUMENTED.map(({ id }) => id).sort());
  for (const [operation, spec] of Object.entries(COMMANDS)) {
    const { fields, variables, scope } = INPUTS[operation as OperationId];
    const { scope: needed, query, body, variables: named } = operationOf(operation);
    assert.equal(scope, needed);
    assert.equal(variables.length, named.length, operation);
    const taken = [...query.map(({ name }) => name), ...Object.keys(body?.schema.properties ?? {})];
    const pages = ['limit', 'cursor'];
    assert.deepEqual(
      Object.keys(fields),
      taken.filter((name) => !pages.includes(name)),
      operation,
    );
    for (const name of spec.positional ?? []) assert.ok(fields[name], `${operation} has no ${name}`);
    const [resource, method] = OPERATIONS[operation as OperationId];
    const [group, name] = wordsOf(resource, method);
    const isDefault = spec.example.startsWith(`vauban ${group} web-1`);
    assert.ok(isDefault || spec.example.startsWith(`vauban ${group} ${name}`), spec.example);
  }
});

test('every operation through the command line at a service', async (t) => {
  const { operator, client: program, baseUrl } = await start(t);
  const subject = await newSubject(operator, program);
  subject.ids = await equip(subject, 'web-1');
  const { ids } = subject;
  const key = await operator.key(subject.account, SCOPES);
  const cli = cliAt(baseUrl(), key);
  const asked: string[] = [];
  const note = (message: unknown) => {
    const { request } = message as { request: ClientRequest };
    const operation = match(request.method, request.path);
    if (operation) asked.push(operation.id);
  };
  subscribe('http.client.request.start', note);
  t.after(() => unsubscribe('http.client.request.start', note));

  const idle = async () => {
    const { code } = await cli(['vm', 'get', ids.vm!, '--wait-seconds', '30', '-o', 'id']);
    assert.equal(code, 0);
  };
  const bringTo = async (status: string) => {
    const { stdout } = await cli(['vm', 'get', ids.vm!, '-o', 'json']);
    if (JSON.parse(stdout).status === status) return;
    const words = status === 'running' ? ['vm', 'start', ids.vm!] : ['vm', 'force-stop', ids.vm!, '--yes'];
    assert.equal((await cli([...words, '--wait'])).code, 0);
  };
  const order = (Object.keys(OPERATIONS) as OperationId[]).sort((a, b) => LAST.indexOf(a) - LAST.indexOf(b));
  for (const operation of order) {
    await bringTo(operation === 'startVm' ? 'stopped' : 'running');
    asked.length = 0;
    const words = wordsFor(operation, ids);
    const { code, stdout, stderr } = await cli([...words, '-o', 'json']);
    assert.equal(asked[0], operation, words.join(' '));
    if (REFUSALS[operation]) {
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(REFUSALS[operation]));
    } else {
      assert.equal(code, 0, `${words.join(' ')}: ${stderr}`);
      const documents = operation === 'runAgent' ? stdout.trim().split('\n') : [stdout];
      for (const document of documents) JSON.parse(document);
    }
    if (OPERATIONS[operation][4] === 'read' || OPERATIONS[operation][4] === 'list') {
      const table = await cli(words);
      assert.equal(table.code, 0, `${words.join(' ')}: ${table.stderr}`);
      assert.ok(table.stdout.length > 0);
      assert.doesNotMatch(table.stdout, /undefined|\[object|NaN/, words.join(' '));
      if (operation !== 'getConsole') {
        const yaml = await cli([...words, '-o', 'yaml']);
        assert.equal(typeof parse(yaml.stdout), 'object', yaml.stdout);
      }
    }
    if (operation !== 'deleteVm') await idle();
  }
});
