import { componentName, type OpenApiDocument } from '../../server/http/openapi/document.ts';
import type { Entry } from './roster.ts';

/** Sample calls of an operation in every supported way. `test/docs/samples.full.test.ts` runs all of them unchanged. */
export interface Samples {
  curl: string;
  cli: string;
  typescript: string;
}

/** Sample queries, for operations that require one or whose reply shows too little without one. */
const QUERIES: Record<string, Record<string, string | number>> = {
  getCustomQuote: { vcpu: 2, ram_mb: 2048, disk_gb: 40 },
  getPlanQuote: { plan: 's2' },
  getVmBandwidth: { month: '2026-01' },
  getVmMetrics: { metrics: 'cpu,network' },
  listInvoices: { status: 'open' },
  listJobs: { status: 'all' },
  listVms: { status: 'running' },
};

const PREAMBLE = `import { createClient } from '@vauban/client';

const client = createClient({
  baseUrl: process.env.VAUBAN_URL ?? '',
  apiKey: process.env.VAUBAN_API_KEY ?? '',
});

`;

/** Returns calls of the operation with curl, `vauban` and the SDK; the ids are examples. */
export function samplesOf(document: OpenApiDocument, entry: Entry): Samples {
  return { curl: curl(entry), cli: entry.command, typescript: PREAMBLE + typescript(document, entry) };
}

export const queryOf = ({ id }: Entry): Record<string, string | number> | undefined => QUERIES[id];

/** Returns the body of the samples; undefined if none has to be sent. */
export function bodyOf({ body, operation }: Entry): object | undefined {
  const example = body?.example as object | undefined;
  const isNeeded = operation.requestBody?.required || Object.keys(example ?? {}).length > 0;
  return isNeeded ? example : undefined;
}

export const takesKey = ({ parameters }: Entry): boolean =>
  parameters.some(({ name }) => name === 'Idempotency-Key');

function curl(entry: Entry): string {
  const { method, path, kind } = entry;
  const query = queryOf(entry);
  const body = bodyOf(entry);
  const pairs = Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
  const target =
    filled(entry, path) + (query ? `?${String(new URLSearchParams(pairs)).replaceAll('%2C', ',')}` : '');
  const lines = [
    `curl ${kind === 'stream' ? '-N ' : ''}${verb(method, body)}"$VAUBAN_URL${target}"`,
    '-H "Authorization: Bearer $VAUBAN_API_KEY"',
    ...(takesKey(entry) ? ['-H "Idempotency-Key: $(openssl rand -hex 16)"'] : []),
    ...(body ? ['-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(body, null, 2))}`] : []),
  ];
  return lines.join(' \\\n  ');
}

/** By default curl sends GET, and POST if there is a body. */
function verb(method: string, body: object | undefined): string {
  return method === (body ? 'POST' : 'GET') ? '' : `-X ${method} `;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const exampleOf = ({ parameters }: Entry, variable: string) =>
  String(parameters.find(({ name }) => name === variable)?.schema.examples?.[0]);

const filled = (entry: Entry, path: string) =>
  path.replace(/\{(\w+)\}/g, (_, variable: string) => exampleOf(entry, variable));

function typescript(document: OpenApiDocument, entry: Entry): string {
  const { path, resource, name, kind } = entry;
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, variable]) => literal(exampleOf(entry, variable!)));
  const input = queryOf(entry) ?? bodyOf(entry);
  const call = `client.${resource}.${name}(${[...ids, ...(input ? [literal(input)] : [])].join(', ')})`;
  if (kind === 'stream')
    return `for await (const event of ${call}) {\n  if (event.type === 'message.completed') console.log(event.text);\n}\n`;
  const data = entry.success.content['application/json']!.schema.properties!.data!;
  if (kind === 'list') {
    const item = variableFor(data.items?.$ref);
    return `for await (const ${item} of ${call}) console.log(${item});\n`;
  }
  const parts = Object.keys(shapeOf(document, data.$ref));
  if (!parts.includes('job')) {
    const answer = variableFor(data.$ref);
    return `const ${answer} = await ${call};\nconsole.log(${answer});\n`;
  }
  const [shown] = parts.includes('password') ? ['password'] : parts.filter((part) => part !== 'job');
  return `const { ${[shown, 'job'].filter(Boolean).join(', ')} } = await ${call};\nawait client.waitForJob(job);\nconsole.log(${shown ?? 'job'});\n`;
}

const shapeOf = ({ components }: OpenApiDocument, ref: string | undefined) =>
  (ref && components.schemas[componentName(ref)]?.properties) || {};

/** "FirewallRule" becomes `firewallRule`. */
function variableFor(ref: string | undefined): string {
  const name = ref && componentName(ref);
  return name ? name[0]!.toLowerCase() + name.slice(1) : 'answer';
}

/** Formats a value the way a person writes it in TypeScript. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replace(/[\\']/g, '\\$&')}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([name, field]) => `${name}: ${literal(field)}`);
  const line = `{ ${fields.join(', ')} }`;
  return line.length <= 60
    ? line
    : `{\n${fields.map((field) => `  ${field.replaceAll('\n', '\n  ')},\n`).join('')}}`;
}
