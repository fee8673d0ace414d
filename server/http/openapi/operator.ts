import type { ErrorCode } from '../../platform/error-codes.ts';
import { VERSION } from '../../platform/version.ts';
import type { OperatorTag } from '../endpoint.ts';
import { type Description, NO_REPLY_KEPT } from './description.ts';
import type { JsonSchema } from './document.ts';

/** The groups of operations, in display order. */
const TAGS: Record<OperatorTag, { title: string; description: string }> = {
  account: { title: 'Accounts', description: 'The customers, their states and their quotas.' },
  key: { title: 'Keys', description: 'List the API keys of the accounts.' },
  money: {
    title: 'Money',
    description: 'Payments, corrections, promotional credit, outages, invoices and the books.',
  },
  vm: { title: 'VMs', description: 'The VMs of all accounts.' },
  job: { title: 'Jobs', description: 'Long-running operations on VMs, and recovery if they fail.' },
  shield: { title: 'DDoS Shield', description: 'Tenants, protected addresses and simulated attacks.' },
  host: {
    title: 'Host',
    description: 'The infrastructure of guests: the engine, images, capacity, orphans.',
  },
  service: { title: 'Service', description: 'Installation keys, the ops key, and the log of operators.' },
};

/** The rules that apply to every operation, in Markdown. */
const CONVENTIONS = `
HTTP over the Unix socket \`vauban.sock\` in the data directory of the service. Only the user that runs the service, and root, may open it; there is no other key. \`vaubanctl\` is a client of it.

If \`VAUBAN_OPERATOR_PANEL\` is on, the operator's pages use the same operations below \`/operator/api\`, with the session of an operator with a second factor; some are only available on the socket (\`docs/panel.md\`).

A GET reads. A POST changes something and is logged: the caller, as identified by the kernel or their session, the action and its result.

Bodies are JSON; send \`Content-Type: application/json\`. A success returns 200 with the result under \`data\`. Fields and query parameters that an operation does not know are refused. All errors have the same format: \`{"error": {"code", "message", "details"}}\`, where \`details\` may be absent.

Lists that can grow are paged, newest first: while \`pagination.has_more\` is true, send \`pagination.next_cursor\` as \`cursor\` to get the next page.

Amounts are integers in minor units of \`currency\` and end in \`_minor\`. Times are RFC 3339 in UTC.
`.trim();

const DETAILS: JsonSchema = {
  type: 'object',
  description: 'Details of an error, depending on its code.',
  properties: {
    fields: {
      type: 'array',
      description: 'validation_failed: the invalid fields',
      items: { $ref: '#/components/schemas/FieldProblem' },
    },
  },
};

/** Refusals that many operations share, by the name of their component. */
const SHARED: Record<string, ErrorCode[]> = {
  NotFound: ['not_found'],
  InvalidRequest: ['invalid_request'],
  InvalidRequestOrCursor: ['invalid_cursor', 'invalid_request'],
  InvalidRequestOrJson: ['invalid_json', 'invalid_request'],
  BodyTooLarge: ['body_too_large'],
  UnsupportedMediaType: ['unsupported_media_type'],
  ValidationFailed: ['validation_failed'],
  InternalError: ['internal_error'],
  ServiceUnavailable: ['service_unavailable'],
};

/** The operator API: `operator-openapi.json`. */
export const OPERATOR_DESCRIPTION: Description = {
  audience: 'operator',
  paths: '/',
  title: 'Vauban Operator API',
  version: VERSION,
  summary: 'Accounts, money, VMs, jobs and the host, for those who run the service.',
  conventions: CONVENTIONS,
  server: { url: '/', description: 'The Unix socket `vauban.sock` in the data directory.' },
  security: [],
  securitySchemes: {},
  tags: TAGS,
  everyOperation: ['invalid_request', 'validation_failed', 'internal_error', 'service_unavailable'],
  everyResponse: ['Cache-Control'],
  statusHeaders: {},
  everyParameter: [],
  ownHeaders: NO_REPLY_KEPT,
  details: DETAILS,
  shared: SHARED,
};
