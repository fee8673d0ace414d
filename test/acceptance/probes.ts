import assert from 'node:assert/strict';
import { IDEMPOTENCY_PROBES, KEY_PROBES } from './probes/caller.ts';
import { BODY_PROBES, FORM_PROBES } from './probes/form.ts';
import { QUERY_PROBES, RESOURCE_PROBES, VALIDATION_PROBES } from './probes/input.ts';
import type { ProbeWorld } from './probes/probe.ts';
import { OPERATIONS } from './support/document.ts';

/**
 * Refusals that every operation must give, derived from openapi.json alone, so that no new operation can be forgotten.
 * Each probe is wrong in its own way and in every way that is checked later. This also tests the order of the checks:
 * key, scope, Idempotency-Key, body, resource, validation.
 */

const PROBES = [
  ...KEY_PROBES,
  ...FORM_PROBES,
  ...IDEMPOTENCY_PROBES,
  ...BODY_PROBES,
  ...RESOURCE_PROBES,
  ...VALIDATION_PROBES,
  ...QUERY_PROBES,
];

/** The outcomes that the probes provoke on every operation that documents them. */
export const PROBED: readonly string[] = [
  'account_suspended',
  'api_key_expired',
  'api_key_invalid',
  'api_key_missing',
  'body_too_large',
  'headers_too_large',
  'idempotency_key_invalid',
  'idempotency_key_missing',
  'invalid_json',
  'invalid_request',
  'ip_not_allowed',
  'method_not_allowed',
  'not_found',
  'scope_required',
  'unsupported_media_type',
  'uri_too_long',
  'validation_failed',
];

/** Runs every probe on every suitable operation and returns the number of runs. Fails with a list of all failures. */
export async function probeAll(world: ProbeWorld): Promise<number> {
  const failures: string[] = [];
  let probes = 0;
  for (const operation of OPERATIONS) {
    for (const { name, suits, run } of PROBES) {
      if (suits && !suits(operation)) continue;
      probes += 1;
      await run(operation, world).catch((error: Error) => {
        failures.push(`${operation.id}, ${name}: ${error.message}`);
      });
    }
  }
  assert.equal(
    failures.length,
    0,
    `${failures.length} of ${probes} probes failed\n\n${failures.join('\n\n')}`,
  );
  return probes;
}
