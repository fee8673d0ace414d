import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { type Call, toRequest } from '../../acceptance/support/client.ts';
import { type Operation, operationOf } from '../../acceptance/support/document.ts';
import { Transport } from '../../acceptance/support/transport.ts';
import { defer } from '../../support/cleanup.ts';
import { type Customer, callOf, inOrder, isFollowedByWait } from './sequence.ts';
import type { Workshop } from './workshop.ts';

interface Violation {
  /** For example: request, query, limit. */
  location: string[];
  message: string;
}

/** Sends a call and returns the problems of the call and its reply; empty if there are none. */
export type Validated = (operation: Operation, call: Call) => Promise<string[]>;

/**
 * Calls through Prism's proxy, which checks request and reply against the description in the file. For a stream of
 * events, OpenAPI 3.1 describes a single event, as client generators read it, but Prism applies that to the whole body:
 * such streams are omitted here, and `test/acceptance` checks each event.
 */
export async function throughPrism(
  t: TestContext,
  { directory }: Workshop,
  { url, key }: Customer,
  file: string,
): Promise<Validated> {
  const program = join(directory, 'node_modules/@stoplight/prism-cli/dist/index.js');
  const prism = spawn(process.execPath, [program, 'proxy', file, url, '--port', '0'], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  defer(t, async () => {
    prism.kill();
    await once(prism, 'close');
  });
  const transport = new Transport(await addressOf(prism.stdout));
  defer(t, () => transport.close());
  return async (operation, call) => {
    const request = toRequest(operation, call);
    const headers = { ...request.headers, authorization: `Bearer ${key}` };
    const answer = await transport.send({ ...request, headers });
    const told = JSON.parse(String(answer.headers['sl-violations'] ?? '[]')) as Violation[];
    const isStream = answer.headers['content-type']?.startsWith('text/event-stream');
    const violations = told.filter(({ location }) => !(isStream && location.join('/') === 'response/body'));
    return [
      ...violations.map(({ location, message }) => `${operation.id}: ${location.join('/')} ${message}`),
      ...(answer.status === 200 ? [] : [`${operation.id}: ${answer.status} ${answer.text}`]),
    ];
  };
}

/** Returns the problems that Prism finds in a successful call of each operation. */
export async function validateAll(t: TestContext, workshop: Workshop, customer: Customer): Promise<string[]> {
  const { ids } = customer;
  const call = await throughPrism(t, workshop, customer, 'openapi.json');
  const wrong: string[] = [];
  for (const operation of inOrder()) {
    wrong.push(...(await call(operation, callOf(operation, ids))));
    if (isFollowedByWait(operation))
      wrong.push(...(await call(operationOf('getVm'), { at: [ids.vm!], query: { wait_seconds: 30 } })));
  }
  return wrong;
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: output })) {
    lines.push(line);
    const [, address] = /listening on (http:\/\/[\d.]+:\d+)/.exec(line) ?? [];
    if (!address) continue;
    output.resume();
    return address;
  }
  throw new Error(`Prism has ended:\n${lines.join('\n')}`);
}
