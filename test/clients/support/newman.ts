import { readDocument } from '../../../site/build.ts';
import { postmanCollection } from '../../../site/render/postman.ts';
import { rosterOf } from '../../../site/render/roster.ts';
import type { Operation } from '../../acceptance/support/document.ts';
import { operationOf } from '../../acceptance/support/document.ts';
import { type Customer, callOf, inOrder, isFollowedByWait } from './sequence.ts';
import type { Workshop } from './workshop.ts';

/** A request of a collection; only the fields used here. */
interface Item {
  name: string;
  item?: Item[];
  request: {
    method: string;
    url: { path: string[]; query?: object[]; variable?: { key: string; value: string }[] };
    header: { key: string; value: string }[];
    body?: { mode?: string; raw?: string };
  };
}

interface Execution {
  item: { name: string };
  response?: { code: number; stream: { data: number[] } };
}

/** Otherwise optional parameters are sent too, with meaningless values such as the cursor "string". */
const OPTIONS = 'parametersResolution=Example,enableOptionalParameters=false';

/**
 * Converts the description into a Postman collection, fills in the values that a person would (ids, a key), and runs
 * all of it with Newman. Returns the requests that did not succeed.
 */
export async function runCollection(workshop: Workshop, { url, key, ids }: Customer): Promise<string[]> {
  await workshop.run('openapi-to-postmanv2/bin/openapi2postmanv2.js', [
    ...['--spec', 'openapi.json', '--output', 'collection.json', '--options', OPTIONS],
  ]);
  const collection = JSON.parse(workshop.read('collection.json')) as { item: Item[]; variable: object[] };
  const items = leaves(collection.item);
  const wait = filled(items, operationOf('getVm'), { at: [ids.vm!], query: { wait_seconds: 30 } });
  collection.item = inOrder().flatMap((operation) => {
    const item = filled(items, operation, callOf(operation, ids));
    return isFollowedByWait(operation) ? [item, wait] : [item];
  });
  collection.variable = [
    { key: 'baseUrl', value: url },
    { key: 'bearerToken', value: key },
  ];
  return execute(workshop, collection);
}

/**
 * Runs the collection that the documentation offers, in an order in which every request finds its VM in the required
 * state. Like a person, it sets only the variables.
 */
export async function runOwnCollection(workshop: Workshop, { url, key, ids }: Customer): Promise<string[]> {
  const document = await readDocument();
  const collection = postmanCollection(document, rosterOf(document)) as { item: Item[]; variable: object[] };
  const summaries = new Map(rosterOf(document).map(({ id, operation }) => [id, operation.summary]));
  const items = leaves(collection.item);
  const itemOf = (id: string) => items.find(({ name }) => name === summaries.get(id))!;
  const wait = structuredClone(itemOf('getVm'));
  const waiting = { ...wait.request.url, query: [{ key: 'wait_seconds', value: '30' }] };
  // After a purchase the requests would be about the new VM: here they must be about the VM that has everything.
  const order = inOrder().filter(({ id }) => id !== 'createVm');
  collection.item = [
    ...order.flatMap((operation) => {
      const item = itemOf(operation.id);
      return isFollowedByWait(operation)
        ? [item, { ...wait, request: { ...wait.request, url: waiting } }]
        : [item];
    }),
    itemOf('createVm'),
  ];
  const values: Record<string, string | undefined> = {
    base_url: url,
    api_key: key,
    vm_id: ids.vm,
    firewall_rule_id: ids.firewall,
    port_forward_id: ids['port-forwarding'],
    snapshot_id: ids.snapshots,
    console_share_id: ids['console-shares'],
    ssh_key_id: ids.sshkeys,
    invoice_id: ids.invoices,
    tenant_id: ids.tenants,
    target_id: ids.targets,
    shield_rule_id: ids.rules,
  };
  collection.variable = Object.entries(values).map(([key, value]) => ({ key, value }));
  return execute(workshop, collection);
}

/** Returns how many requests of the documentation's collection Bruno executes. */
export async function throughBruno(workshop: Workshop): Promise<number> {
  const document = await readDocument();
  workshop.write('own.json', JSON.stringify(postmanCollection(document, rosterOf(document))));
  workshop.write(
    'bruno.mjs',
    `import { readFileSync } from 'node:fs';
import { postmanToBruno } from '@usebruno/converters';
const converted = await postmanToBruno(JSON.parse(readFileSync('own.json', 'utf8')));
const { items } = converted.collection ?? converted;
const count = (some) => some.reduce((sum, { items, request }) => sum + (items ? count(items) : request ? 1 : 0), 0);
console.log(count(items));
`,
  );
  return Number(await workshop.run(`${workshop.directory}/bruno.mjs`, []));
}

/** Runs a collection and returns the requests that did not succeed. */
async function execute(workshop: Workshop, collection: { item: Item[] }): Promise<string[]> {
  workshop.write('filled.json', JSON.stringify(collection));
  await workshop.run('newman/bin/newman.js', [
    ...['run', 'filled.json', '--reporters', 'json', '--reporter-json-export', 'run.json'],
  ]);
  const { run } = JSON.parse(workshop.read('run.json')) as { run: { executions: Execution[] } };
  const missing = collection.item.length - run.executions.length;
  return [
    ...(missing === 0 ? [] : [`${missing} requests were not sent`]),
    ...run.executions
      .filter(({ response }) => response?.code !== 200)
      .map(({ item, response }) => {
        const body = response && Buffer.from(response.stream.data).toString();
        return `${item.name}: ${response?.code} ${body}`;
      }),
  ];
}

const leaves = (items: Item[]): Item[] => items.flatMap((one) => (one.item ? leaves(one.item) : [one]));

/**
 * Returns the request of an operation with its ids, and with a body if the example names something that does not exist.
 */
function filled(
  items: Item[],
  operation: Operation,
  { at = [], query, body }: ReturnType<typeof callOf>,
): Item {
  const path = operation.path.slice(1).replace(/\{(\w+)\}/g, ':$1');
  const found = items.filter(
    ({ request }) => request.method === operation.method && request.url.path.join('/') === path,
  );
  const [item] = found;
  if (!item || found.length > 1)
    throw new Error(`${operation.id} is ${found.length} times in the collection`);
  const { request } = structuredClone(item);
  for (const [index, variable] of (request.url.variable ?? []).entries()) variable.value = at[index]!;
  if (query) request.url.query = Object.entries(query).map(([key, value]) => ({ key, value: `${value}` }));
  for (const header of request.header) if (header.key === 'Idempotency-Key') header.value = '{{$guid}}';
  if (body !== undefined) request.body = { ...request.body, raw: JSON.stringify(body) };
  return { name: operation.id, request };
}
