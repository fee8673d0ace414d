import { hashRecoveryCode, makeRecoveryCodes } from '../../../access/recovery-codes.ts';
import type { Transaction } from '../../../db/database.ts';
import { replaceRecoveryCodes } from '../../../db/queries/access/totps.ts';
import { Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const RecoveryCodesShape = Shape(
  { recovery_codes: Type.Array(Type.String(), { description: 'Shown only once; each code works once' }) },
  { $id: 'RecoveryCodes', description: 'Codes that replace the second factor if the app is lost' },
);

/** Replaces all recovery codes with new ones. */
export async function giveRecoveryCodes(tx: Transaction, personId: string): Promise<string[]> {
  const codes = makeRecoveryCodes();
  await replaceRecoveryCodes(tx, personId, codes.map(hashRecoveryCode));
  return codes;
}
