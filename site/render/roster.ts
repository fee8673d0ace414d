import { COMMANDS } from '../../cli/src/commands/index.ts';
import { OPERATIONS } from '../../sdk/src/index.ts';
import {
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Response,
  resolve,
} from '../../server/http/openapi/document.ts';

type OperationId = keyof typeof OPERATIONS;

/**
 * One operation with everything that the pages show about it, from the API description, the SDK and the command line.
 */
export interface Entry {
  id: string;
  /** In capitals. */
  method: string;
  /** With `{name}` variables. */
  path: string;
  operation: Operation;
  parameters: Parameter[];
  /** Schema and example of the JSON in the request. The reply, `success`, also has both unless it is a stream. */
  body: { schema: JsonSchema; example: unknown } | undefined;
  success: Response;
  /** Place in the SDK, such as `vms` and `create`. */
  resource: string;
  name: string;
  kind: (typeof OPERATIONS)[OperationId][4];
  /** As typed at a prompt. */
  command: string;
}

/** The SDK's resources in the order of the table of contents, with their headings. */
export const RESOURCES: Record<string, string> = {
  catalog: 'Catalog',
  vms: 'Virtual machines',
  firewall: 'Firewall',
  portForwards: 'Port forwarding',
  snapshots: 'Snapshots',
  consoles: 'Consoles',
  consoleShares: 'Share links',
  agent: 'AI agent',
  sshKeys: 'SSH keys',
  billing: 'Billing',
  shield: 'DDoS Shield',
};

/** Returns every operation of the API description, in its order. */
export function rosterOf(document: OpenApiDocument): Entry[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => entryOf(document, { path, method, operation })),
  );
}

function entryOf(
  document: OpenApiDocument,
  { path, method, operation }: { path: string; method: string; operation: Operation },
): Entry {
  const id = operation.operationId;
  const [resource, name, , , kind] = OPERATIONS[id as OperationId];
  if (!RESOURCES[resource]) throw new Error(`the contents have no heading for ${resource}`);
  const body = operation.requestBody?.content['application/json'];
  return {
    id,
    method: method.toUpperCase(),
    path,
    operation,
    parameters: operation.parameters.map((parameter) => resolve(document, 'parameters', parameter)),
    body: body && { schema: resolve(document, 'schemas', body.schema), example: body.example },
    success: resolve(document, 'responses', operation.responses['200']!),
    resource,
    name,
    kind,
    command: COMMANDS[id as OperationId].example,
  };
}
