import { SCOPES } from '../../access/scopes.ts';
import { SPECIFICATION_VERSION } from '../../platform/version.ts';
import type { CustomerTag } from '../endpoint.ts';
import { CUSTOMER_ERRORS } from './customer-errors.ts';
import type { Description } from './description.ts';

/** The groups of operations, in display order. */
const TAGS: Record<CustomerTag, { title: string; description: string }> = {
  catalog: { title: 'Catalog', description: 'Plans, regions, OS images and prices.' },
  vm: {
    title: 'Virtual machines',
    description: 'Create, run, resize and delete VMs; their network rules, snapshots, consoles and AI agent.',
  },
  sshkey: {
    title: 'SSH keys',
    description: 'The stored SSH public keys of the account, which can be installed on VMs.',
  },
  billing: { title: 'Billing', description: 'The wallet and its charges. Read only.' },
  shield: {
    title: 'DDoS Shield',
    description: 'DDoS protection of the addresses of the account: rules, attacks and traffic.',
  },
};

const scopeList = Object.entries(SCOPES).map(([scope, grants]) => `- \`${scope}\`: ${grants}`);

/** The rules that apply to every operation, in Markdown. */
const CONVENTIONS = `
An HTTP API over one account's virtual machines. It is made for servers: there are no CORS headers, so a browser cannot call it, and a key must never appear in code that runs in one.

## Keys

Send an API key with every request, as \`Authorization: Bearer vk_…\`. You create keys in the control panel, which shows each one once. A missing, unknown, revoked or expired key gets 401, and so does a call from an address that the key does not allow.

No key can move money into or out of the wallet, change how the account signs in, delete the account or create other keys.

## Scopes

Each operation requires one scope. A valid key without it gets 403 \`scope_required\`, and the message names the scope.

${scopeList.join('\n')}

## Requests and replies

Bodies are JSON; send \`Content-Type: application/json\`. Every success returns 200 with the result under \`data\`. Fields and query parameters that an operation does not know are refused, so that a mistyped name is never ignored. Every documented field is present in a response, and \`null\` means that there is no value. In a PATCH, absent fields stay as they are, and \`null\` clears a field; in other requests, an optional field that is \`null\` counts as absent.

Every response carries \`X-Request-Id\`. To use your own, send it with up to 64 letters, digits, dots, dashes and underscores.

## Errors

All errors have the same format: \`{"error": {"code", "message", "details"}}\`, where \`details\` may be absent. Base decisions on \`code\`; the wording of \`message\` may change. A resource of another account returns 404, exactly as if it did not exist. A 503 guarantees that nothing was done or charged.

An unknown path returns 404 \`not_found\`, and an unsupported method 405 \`method_not_allowed\` with the supported ones in \`Allow\`. HEAD behaves like GET without a body; where a GET issues a ticket, it is 405. More than 8 KiB of path and query return 414 \`uri_too_long\`, and more than 16 KiB of headers 431 \`headers_too_large\`.

## Lists

Lists that can grow are paged, newest first. \`limit\` sets the size of a page, from 1 to 100 (50 by default). While \`pagination.has_more\` is true, send \`pagination.next_cursor\` as \`cursor\` to get the next page. A cursor is opaque and belongs to its list: elsewhere it is refused with 400 \`invalid_cursor\`.

## Jobs

Long-running operations return at once with the VM and a job. Follow the job with \`GET /v1/vm/{id}?wait_seconds=30\`, which responds when the VM has no active job, or after that time at the latest. A VM has one job at a time; others are refused with 409 \`vm_locked\`.

## Idempotency

Operations that cost or refund money require the header \`Idempotency-Key\`: a value of your choice, 1 to 200 printable ASCII characters, new for each operation. If you receive no response, send the same request with the same key: it is not executed or charged twice, and you get the first response again, marked \`Idempotent-Replayed: true\`.

- Keys belong to the account, the method and the path, and are kept for 7 days.
- The same key with another body is refused with 422 \`idempotency_key_reused\`; while the first request is still running, with 409 \`idempotency_in_progress\`.
- A refusal before any money moved is not stored. After a top-up, for example, you can retry with the same key.
- Other operations ignore the header.

## Rate limits

A key may send 120 requests per minute, and all keys of an account together 300. Every response shows the tighter of the two limits: \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`, the end of the current minute in epoch seconds. Beyond a limit, the response is 429 with \`Retry-After\`, in seconds. Refused requests count as well.

## Units and time

- Times are RFC 3339 in UTC, and their names end in \`_at\`; names of durations end in \`_seconds\`.
- Names include their units: \`ram_mb\`, \`disk_gb\`, \`*_bytes\`, \`*_bps\` (bits per second), \`*_bytes_per_second\`, \`*_pps\` (packets per second).
- Identifiers are opaque strings with a prefix for their type, such as \`vm_\` or \`job_\`.

## Money

Amounts are integers in minor units of \`currency\` (cents, for EUR) and end in \`_minor\`. Unit prices, which can be smaller than that, are decimal strings such as \`"0.00744"\`. No amount is ever a floating-point number. A VM is paid a month in advance from the prepaid wallet; changes and deletions are settled to the second.
`.trim();

/** The customers' API as published: `openapi.json`. */
export const CUSTOMER_DESCRIPTION: Description = {
  audience: 'customer',
  paths: '/v1/',
  title: 'Cloud VM and DDoS Shield Customer API',
  version: SPECIFICATION_VERSION,
  summary: 'Virtual machines, SSH keys, billing and DDoS protection of one account.',
  conventions: CONVENTIONS,
  server: {
    url: '{base_url}',
    description: "Your provider's service, or your own.",
    variables: { base_url: { default: 'http://127.0.0.1:8080', description: 'Base address, without /v1' } },
  },
  security: [{ bearer: [] }],
  securitySchemes: {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'vk_…',
      description: 'An API key of the account.',
    },
  },
  tags: TAGS,
  everyResponse: ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  everyParameter: ['RequestId'],
  ...CUSTOMER_ERRORS,
};
