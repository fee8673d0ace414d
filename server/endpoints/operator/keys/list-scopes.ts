import { SCOPES } from '../../../access/scopes.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { ScopeShape } from './key-shape.ts';

export const listScopes = endpoint({
  audience: 'operator',
  operation: 'listScopes',
  method: 'GET',
  path: '/scopes',
  tag: 'key',
  summary: 'List the scopes that a key can have',
  data: Type.Array(
    Shape({ scope: ScopeShape, grants: Type.String({ description: 'Operations that the scope allows' }) }),
  ),
  errors: [],
  async handle() {
    return { data: Object.entries(SCOPES).map(([scope, grants]) => ({ scope, grants })) };
  },
});
