import { one, type Queryable, sql } from '../../database.ts';

/** Factors besides a password with which a person can sign in. */
export interface FactorCounts {
  totp: boolean;
  passkeys: number;
  recovery_codes: number;
}

export function countFactors(db: Queryable, personId: string): Promise<FactorCounts> {
  return one<FactorCounts>(
    db,
    sql`select
          exists (select from totps where person_id = ${personId} and confirmed_at is not null) as totp,
          (select count(*)::int from passkeys where person_id = ${personId}) as passkeys,
          (select count(*)::int from recovery_codes where person_id = ${personId} and used_at is null)
            as recovery_codes`,
  );
}
