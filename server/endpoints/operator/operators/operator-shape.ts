import { isOperatorPanelOn } from '../../../config/panel-problems.ts';
import type { OperatorRow } from '../../../db/queries/access/operators.ts';
import type { OperatorLink } from '../../../domain/people/operators.ts';
import { Count, Id, Input, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import type { OperatorServices } from '../../../http/services.ts';
import { ApiError, invalidField } from '../../../platform/errors.ts';
import { parseMailAddress } from '../../../platform/mail-address.ts';
import { Type } from '../../../platform/schema.ts';
import { Line } from '../shared/input.ts';

export const OperatorInput = Input({ email: Line('anna@example.com', 'Sign-in address of the operator') });

export const OperatorShape = Shape(
  {
    id: Id('prs'),
    email: Type.String(),
    password: Type.Boolean({ description: 'True if a password is set' }),
    totp: Type.Boolean({ description: 'True if an authenticator app is set up' }),
    passkeys: Count('Passkeys'),
    last_sign_in_at: Nullable(Timestamp()),
    created_at: Timestamp(),
  },
  { $id: 'Operator', description: "A person with access to the operator's pages" },
);

export const OperatorLinkShape = Shape(
  {
    person_id: Id('prs'),
    url: Type.String({
      description: 'Works once and lets the person who opens it choose how this operator signs in',
    }),
    expires_at: Timestamp(),
  },
  { $id: 'OperatorLink', description: "A link to the operator's pages" },
);

export function presentOperator({ has_password, ...row }: OperatorRow) {
  return { ...row, password: has_password };
}

export function presentLink({ site }: OperatorServices, { personId, token, expiresAt }: OperatorLink) {
  return { person_id: personId, url: `${site.operatorUrl}/sign-in/link#${token}`, expires_at: expiresAt };
}

/** Returns the address in the form in which it is stored. */
export function operatorAddress(email: string): string {
  const address = parseMailAddress(email);
  if (address === undefined)
    throw invalidField('email', 'invalid_format', 'must be an address such as anna@example.com');
  return address;
}

/** Refuses to create a link if the operator's pages are off, because it would lead nowhere. */
export function requirePages({ config }: OperatorServices): void {
  if (isOperatorPanelOn(config)) return;
  throw new ApiError('invalid_state', "The operator's pages are off. Set VAUBAN_OPERATOR_PANEL to on.");
}
