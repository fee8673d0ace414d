import { ROLE_SCOPES } from '../../../access/roles.ts';
import { ALL_SCOPES, isReadScope, SCOPES, type Scope } from '../../../access/scopes.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { ScopeShape } from './key-shape.ts';

const PRESETS: { id: 'read_only' | 'operate' | 'full'; scopes: Scope[] }[] = [
  { id: 'read_only', scopes: ALL_SCOPES.filter(isReadScope) },
  { id: 'operate', scopes: [...ALL_SCOPES.filter(isReadScope), 'vm:write', 'vm:console', 'shield:write'] },
  { id: 'full', scopes: ALL_SCOPES },
];

export const listScopes = endpoint({
  audience: 'panel',
  operation: 'listScopes',
  method: 'GET',
  path: '/scopes',
  access: 'viewer',
  tag: 'key',
  summary: 'Permissions that a key can have',
  data: Shape({
    scopes: Type.Array(
      Shape({
        scope: ScopeShape,
        description: Type.String(),
        grantable: Type.Boolean({ description: 'True if your role includes it, so that you can grant it' }),
      }),
    ),
    presets: Type.Array(Shape({ id: Enum(PRESETS.map(({ id }) => id)), scopes: Type.Array(ScopeShape) }), {
      description: 'Common sets of permissions, limited to those you can grant',
    }),
  }),
  errors: [],
  async handle({ session }) {
    const held = ROLE_SCOPES[session.place!.role];
    return {
      data: {
        scopes: ALL_SCOPES.map((scope) => ({
          scope,
          description: SCOPES[scope],
          grantable: held.has(scope),
        })),
        presets: PRESETS.filter(({ scopes }) => scopes.every((scope) => held.has(scope))),
      },
    };
  },
});
