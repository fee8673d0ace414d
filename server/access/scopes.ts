import type { Scope } from '../db/enums.ts';

export type { Scope };

/** The scopes that a key can have, with the text that describes each in the API reference. */
export const SCOPES = {
  'catalog:read': 'Read plans, regions, images and prices',
  'vm:read': 'Read VMs, metrics and VM billing',
  'vm:write': 'Power actions, minor changes, firewall, port forwarding, snapshots, AI agent session reset',
  'vm:create': 'Create VMs (costs money)',
  'vm:plan': 'Change plan, custom resize (costs money)',
  'vm:destroy': 'Delete VMs',
  'vm:console': 'Console tickets, SSH WebSocket token, AI agent run, share links',
  'sshkey:read': 'Read stored SSH keys',
  'sshkey:write': 'Add and remove SSH keys',
  'billing:read': 'Read wallet, invoices, payments and orders',
  'shield:read': 'Read own DDoS Shield',
  'shield:write': 'Write own DDoS Shield rules',
} as const satisfies Record<Scope, string>;

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text);
}

/** Returns whether a scope only allows reading, which is all that a suspended account may do. */
export function isReadScope(scope: Scope): boolean {
  return scope.endsWith(':read');
}
