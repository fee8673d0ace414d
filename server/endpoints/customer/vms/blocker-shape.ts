import { Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const BlockerShape = Shape(
  {
    code: Type.String({ description: 'The error code that the operation would return' }),
    message: Type.String(),
  },
  { $id: 'Blocker', description: 'The reason why an operation would be refused now' },
);
