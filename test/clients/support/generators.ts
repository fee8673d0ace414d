/** A client generator: its command for `openapi.json`, and a program that uses the generated client. */
export interface Generator {
  name: string;
  /** Its program below node_modules, with arguments. */
  command: [program: string, ...words: string[]];
  /** The generated file with the operations' types. */
  types: string;
  /** Places typed `any` in the part of the client that is the same for every description. */
  own?: RegExp;
  /** A program that reads the wallet and the VMs, and narrows an error by its code. */
  story: string;
}

const ORDER = "{ plan: 's99', template: 'debian-12', hostname: 'web-1' }";
const KEY = "'Idempotency-Key': crypto.randomUUID()";

/** The last lines of each story, which compile only with exact types. */
const ending = (wallet: string, vms: string, error: string) => `
const available: number = ${wallet}.available_minor;
const statuses: ('running' | 'stopped')[] = ${vms}.flatMap(({ status }) =>
  status === 'running' || status === 'stopped' ? [status] : []);
if (${error}.code === 'unknown_plan') console.log(available, statuses.join(), ${error}.code);
`;

export const GENERATORS: Generator[] = [
  {
    name: 'openapi-typescript',
    // By default the generator makes a field with a default value required.
    command: [
      'openapi-typescript/bin/cli.js',
      'openapi.json',
      ...['--output', 'made/openapi-typescript.ts', '--default-non-nullable=false'],
    ],
    types: 'made/openapi-typescript.ts',
    story: `
import createClient from 'openapi-fetch';
import type { paths } from './made/openapi-typescript.ts';
const headers = { Authorization: \`Bearer \${process.env.KEY}\` };
const client = createClient<paths>({ baseUrl: process.env.URL!, headers });
const { data: wallet } = await client.GET('/v1/billing/wallet');
const { data: vms } = await client.GET('/v1/vm', { params: { query: { limit: 10 } } });
const { error } = await client.POST('/v1/vm', { params: { header: { ${KEY} } }, body: ${ORDER} });
if (!wallet || !vms || !error) throw new Error('there is no answer');
${ending('wallet.data', 'vms.data', 'error.error')}`,
  },
  {
    name: 'hey-api',
    command: [
      '@hey-api/openapi-ts/bin/run.js',
      ...['--input', 'openapi.json', '--output', 'made/hey-api', '--client', '@hey-api/client-fetch'],
    ],
    types: 'made/hey-api/types.gen.ts',
    story: `
import { client } from './made/hey-api/client.gen.ts';
import { createVm, getWallet, listVms } from './made/hey-api/index.ts';
client.setConfig({ baseUrl: process.env.URL!, auth: () => process.env.KEY! });
const wallet = await getWallet({ throwOnError: true });
const vms = await listVms({ query: { limit: 10 }, throwOnError: true });
const { error } = await createVm({ headers: { ${KEY} }, body: ${ORDER} });
if (!error) throw new Error('there is no answer');
${ending('wallet.data.data', 'vms.data.data', 'error.error')}`,
  },
  {
    name: 'orval',
    command: [
      'orval/dist/bin/orval.mjs',
      ...['--input', 'openapi.json', '--output', 'made/orval.ts', '--client', 'fetch'],
    ],
    types: 'made/orval.ts',
    story: `
import { createVm, getWallet, listVms } from './made/orval.ts';
const headers = { Authorization: \`Bearer \${process.env.KEY}\` };
const wallet = await getWallet({ headers });
const vms = await listVms({ limit: 10 }, { headers });
const refused = await createVm(${ORDER}, { headers: { ...headers, ${KEY} } });
if (wallet.status !== 200 || vms.status !== 200 || refused.status !== 422) throw new Error('there is no answer');
${ending('wallet.data.data', 'vms.data.data', 'refused.data.error')}`,
  },
  {
    name: 'swagger-typescript-api',
    // By default sets of values become enums, to which a plain string cannot be assigned.
    command: [
      'swagger-typescript-api/dist/cli.mjs',
      ...['generate', '--path', 'openapi.json', '--output', 'made', '--name', 'swagger-typescript-api.ts'],
      '--generate-union-enums',
    ],
    types: 'made/swagger-typescript-api.ts',
    own: /^(QueryParamsType|HttpClient)\b|^Api\.(prototype|encodeQueryParam|addArrayQueryParam)\b/,
    story: `
import { Api } from './made/swagger-typescript-api.ts';
const headers = { Authorization: \`Bearer \${process.env.KEY}\` };
const { v1 } = new Api({ baseUrl: process.env.URL!, baseApiParams: { headers } });
const wallet = await v1.getWallet();
const vms = await v1.listVms({ limit: 10 });
type Refused = Awaited<ReturnType<typeof v1.createVm>>;
const refused = await v1.createVm(${ORDER}, { headers: { ${KEY} } }).catch((thrown: Refused) => thrown);
${ending('wallet.data.data', 'vms.data.data', 'refused.error.error')}`,
  },
];
