import { Enum, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const SignInShape = Shape(
  {
    next: Enum(['signed_in', 'second_factor'], {
      description: 'Indicates whether there is a session now or a second factor is required first',
    }),
  },
  { $id: 'SignIn', description: 'Progress of a sign-in' },
);

/** The secret of a link: the part of its address after the `#`. */
export const LinkToken = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The secret of the link: the part after its `#`',
  examples: ['5f0c9d0e6a2b4c8e9a510c6d4f1e7b32'],
});
