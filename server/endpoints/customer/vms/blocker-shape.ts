import { Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const BlockerShape = Shape(
  { code: Type.String({ description: 'The error code the operation would answer' }), message: Type.String() },
  { $id: 'Blocker', description: 'Why an operation would be refused now' },
);
