import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Installation } from '../../acceptance/support/start.ts';
import { newPublicKey } from '../../acceptance/support/valid-calls.ts';
import { newCustomer } from '../support/cloud.ts';
import { type Resource, UNKNOWN, type Value } from '../support/engine.ts';
import { parse } from '../support/hcl.ts';

const DOCUMENT = join(import.meta.dirname, '../../../docs/terraform.md');

/** The documented example: planned as a whole, applied, planned again, and destroyed. */
export async function example(t: TestContext, cloud: Installation, provider: string): Promise<void> {
  const { engine, balance, orders } = await newCustomer(t, cloud, { provider, balance: 2_000 });
  const markdown = readFileSync(DOCUMENT, 'utf8');
  const [, text] = [...markdown.matchAll(/```hcl\n(.*?)```/gs)].map(([, code]) => code!);
  const blocks = parse(text!).filter(({ words }) => words[0] === 'resource');
  const made = new Map<string, Resource>();
  const publicKey = newPublicKey();

  const resolved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolved);
    if (value === null || typeof value !== 'object') return value;
    if ('call' in value) return publicKey;
    if ('resource' in value) {
      const { resource, attribute } = value as { resource: string; attribute: string };
      return made.has(resource) ? made.get(resource)!.state[attribute] : UNKNOWN;
    }
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one)]));
  };

  for (const { words, body } of blocks) {
    const plan = await engine.plan(words[1]!, resolved(body) as Value);
    assert.equal(plan.action, 'create');
  }
  for (const { words, body } of blocks)
    made.set(`${words[1]}.${words[2]}`, await engine.make(words[1]!, resolved(body) as Value));
  const resources = [...made.values()];
  assert.deepEqual(
    resources.map(({ type }) => type),
    ['ssh_key', 'vm', 'vm', 'firewall_rule', 'port_forward', 'snapshot'].map((name) => `vauban_${name}`),
  );
  for (const [index, { words, body }] of blocks.entries())
    assert.equal((await engine.plan(words[1]!, resolved(body) as Value, resources[index])).action, 'none');
  for (const resource of resources.toReversed()) await engine.destroy(resource);
  const paid = (await orders()).reduce((sum, { amount_minor }) => sum + amount_minor, 0);
  assert.equal(await balance(), 2_000 - paid);
  assert.ok(paid >= 0 && paid <= 2, `all is given back but what was used: ${paid}`);
}
