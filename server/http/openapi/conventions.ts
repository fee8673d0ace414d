import { SCOPES } from '../../access/scopes.ts';
import type { Tag } from '../endpoint.ts';

export const TITLE = 'Cloud VM and DDoS Shield Customer API';
export const SUMMARY = 'Virtual machines, SSH keys, billing and DDoS protection of one account.';

/** The groups of operations, in display order. */
export const TAGS: Record<Tag, { title: string; description: string }> = {
  catalog: { title: 'Catalog', description: 'Plans, regions, OS images and prices.' },
  vm: {
    title: 'Virtual machines',
    description: 'Create, run, resize and delete VMs; their network rules, snapshots, consoles and AI agent.',
  },
  sshkey: { title: 'SSH keys', description: 'The SSH public keys that the account keeps, to be put on VMs.' },
  billing: { title: 'Billing', description: 'The wallet and what was charged to it. Read only.' },
  shield: {
    title: 'DDoS Shield',
    description: 'DDoS protection of the addresses of the account: rules, attacks and traffic.',
  },
};

const scopeList = Object.entries(SCOPES).map(([scope, grants]) => `- \`${scope}\`: ${grants}`);

/** The rules that apply to every operation, in Markdown. */
export const CONVENTIONS = `
An HTTP API over one account's virtual machines. It is made for servers: there are no CORS headers, so a browser cannot call it, and a key must never stand in code that reaches one.

## Keys

Send an API key with every request, as \`Authorization: Bearer vk_…\`. Keys are made in the control panel, which shows each one once. A key that is missing, unknown, revoked or expired is answered 401, and so is a call from an address that the key is not allowed to be used from.

No key can move money into or out of the wallet, change how the account signs in, delete the account or make other keys.

## Scopes

Each operation needs one scope. A valid key without it is answered 403 \`scope_required\`, and the message names the scope.

${scopeList.join('\n')}

## Requests and replies

Bodies are JSON; send \`Content-Type: application/json\`. Every success is answered 200 with the result under \`data\`. Fields and query parameters that an operation does not know are refused, so that a mistyped name is never ignored. Every documented field of a reply is present, and \`null\` means that there is none. In a PATCH, a field that is left out stays as it is, and \`null\` clears it.

Every response carries \`X-Request-Id\`. Send your own, of up to 64 letters, digits, dots, dashes and underscores, and it is used instead.

## Errors

Every failure has one shape: \`{"error": {"code", "message", "details"}}\`, where \`details\` may be absent. Decide by \`code\`; the wording of \`message\` may change. A resource of another account is answered 404, exactly as if it did not exist. A 503 promises that nothing was done or charged.

A path that does not exist is answered 404 \`not_found\`, and a method that a path does not have 405 \`method_not_allowed\`, with those that it has in \`Allow\`. HEAD answers as GET without a body. Beyond 8 KiB of path and query the answer is 414 \`uri_too_long\`, beyond 16 KiB of headers 431 \`headers_too_large\`.

## Lists

Lists that can grow are paged, newest first. \`limit\` sets the size of a page, from 1 to 100 (50 when absent). While \`pagination.has_more\` is true, send \`pagination.next_cursor\` as \`cursor\` to read on. A cursor is opaque and belongs to its list: anywhere else it is refused with 400 \`invalid_cursor\`.

## Jobs

What takes time is answered at once with the VM and a job. Follow it with \`GET /v1/vm/{id}?wait_seconds=30\`, which answers when the VM has no active job, or at the latest after that time. A VM has one job at a time; another is refused with 409 \`vm_locked\`.

## Idempotency

Operations that cost or refund money require the header \`Idempotency-Key\`: a value of your choice, 1 to 200 visible ASCII characters, new for each thing you want done. When no answer reaches you, send the same request with the same key: it is not done or charged twice, and you get the first answer again, marked \`Idempotent-Replayed: true\`.

- Keys belong to the account, the method and the path, and are kept for 7 days.
- The same key with another body is refused with 422 \`idempotency_key_reused\`; while the first request is still running, with 409 \`idempotency_in_progress\`.
- A refusal before any money moved is not kept. After a top-up, for example, the same key can be tried again.
- On other operations the header is ignored.

## Rate limits

A key may send 120 requests a minute, and all keys of an account together 300. Every response says how the tighter of the two stands: \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`, the end of the current minute in epoch seconds. Beyond a limit the answer is 429 with \`Retry-After\`, in seconds. Refused requests count as well.

## Units and time

- Instants are RFC 3339 in UTC with names that end in \`_at\`; lengths of time end in \`_seconds\`.
- Names say their units: \`ram_mb\`, \`disk_gb\`, \`*_bytes\`, \`*_bps\` (bits a second), \`*_bytes_per_second\`, \`*_pps\` (packets a second).
- Identifiers are opaque strings with a prefix that says what they name, such as \`vm_\` or \`job_\`.

## Money

Amounts are integers in minor units of \`currency\` (cents, for EUR) and end in \`_minor\`. Unit prices, which can be smaller than that, are decimal strings such as \`"0.00744"\`. No amount is ever a floating-point number. A VM is paid a month in advance from the prepaid wallet; changes and deletions are settled to the second.
`.trim();
