import type { OpenApiDocument } from '../../server/http/openapi/document.ts';
import { type Entry, RESOURCES } from './roster.ts';
import { bodyOf, queryOf, takesKey } from './samples.ts';

interface Variable {
  key: string;
  value: string;
}

/** The source of each id: the path segment before it, the operation that creates it and the field of its reply. */
const IDS: Record<string, { variable: string; madeBy?: string; at?: string }> = {
  vm: { variable: 'vm_id', madeBy: 'createVm', at: 'vm.id' },
  firewall: { variable: 'firewall_rule_id', madeBy: 'addFirewallRule', at: 'id' },
  'port-forwarding': { variable: 'port_forward_id', madeBy: 'addPortForward', at: 'id' },
  snapshots: { variable: 'snapshot_id', madeBy: 'createSnapshot', at: 'snapshot.id' },
  'console-shares': { variable: 'console_share_id', madeBy: 'createConsoleShare', at: 'id' },
  sshkeys: { variable: 'ssh_key_id', madeBy: 'addSshKey', at: 'id' },
  invoices: { variable: 'invoice_id' },
  tenants: { variable: 'tenant_id' },
  targets: { variable: 'target_id' },
  rules: { variable: 'shield_rule_id', madeBy: 'addShieldRule', at: 'id' },
};

/**
 * Returns every operation as a Postman collection (v2.1), which Bruno can also import. Ids are variables of the
 * collection; a request that creates something stores its id there, so that requests about it can be sent next.
 */
export function postmanCollection({ info }: OpenApiDocument, roster: Entry[]): object {
  const folders = Object.entries(RESOURCES).map(([resource, name]) => ({
    name,
    item: roster.filter((entry) => entry.resource === resource).map(requestOf),
  }));
  const ids = Object.values(IDS).map(({ variable }): Variable => ({ key: variable, value: '' }));
  return {
    info: {
      name: info.title,
      description: `${info.summary} Set base_url and api_key in the variables of the collection.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [{ key: 'base_url', value: 'http://127.0.0.1:8080' }, { key: 'api_key', value: '' }, ...ids],
    item: folders,
  };
}

function requestOf(entry: Entry): object {
  const { id, method, path, operation } = entry;
  const target = path.replace(
    /([^/]+)\/\{\w+\}/g,
    (_, segment: string) => `${segment}/{{${variableOf(segment)}}}`,
  );
  const query = Object.entries(queryOf(entry) ?? {}).map(([key, value]) => ({ key, value: String(value) }));
  const search = query.map(({ key, value }) => `${key}=${value}`).join('&');
  const body = bodyOf(entry);
  const keep = Object.values(IDS).find(({ madeBy }) => madeBy === id);
  return {
    name: operation.summary,
    request: {
      method,
      description: operation.description,
      url: {
        raw: `{{base_url}}${target}${search && `?${search}`}`,
        host: ['{{base_url}}'],
        path: target.slice(1).split('/'),
        ...(query.length > 0 && { query }),
      },
      header: [
        ...(takesKey(entry) ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
        ...(body ? [{ key: 'Content-Type', value: 'application/json' }] : []),
      ],
      ...(body && {
        body: { mode: 'raw', raw: withVariables(body), options: { raw: { language: 'json' } } },
      }),
    },
    ...(keep && { event: [{ listen: 'test', script: { type: 'text/javascript', exec: keeping(keep) } }] }),
    response: [],
  };
}

function variableOf(segment: string): string {
  const known = IDS[segment];
  if (!known) throw new Error(`the collection has no variable for an id after ${segment}/`);
  return known.variable;
}

const keeping = ({ variable, at }: { variable: string; at?: string }) => [
  'if (pm.response.code === 200)',
  `  pm.collectionVariables.set('${variable}', pm.response.json().data.${at});`,
];

/** Ids in a body also come from the collection's variables. */
const withVariables = (body: object) =>
  JSON.stringify(body, null, 2).replace(/"key_[0-9a-z]{26}"/g, '"{{ssh_key_id}}"');
