import { type Static, Type } from '../../platform/schema.ts';

/**
 * The books that an export to DATEV goes to, and the accounts in them. The tax adviser supplies all of these values.
 */
export const DatevSchema = Type.Object(
  {
    consultant: Type.Integer({ minimum: 1001, maximum: 9_999_999, description: 'Beraternummer' }),
    client: Type.Integer({ minimum: 1, maximum: 99_999, description: 'Mandantennummer' }),
    fiscal_year_month: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 12,
        description: 'First month of the fiscal year; defaults to January',
      }),
    ),
    account_length: Type.Integer({ minimum: 4, maximum: 8, description: 'Sachkontenlänge' }),
    chart: Type.Optional(Type.Enum(['03', '04'], { description: 'Sachkontenrahmen: SKR03 or SKR04' })),
    accounts: Type.Record(
      Type.String({ pattern: '^[a-z][a-z0-9_]*(:[a-z0-9_.]+)?$' }),
      Type.String({ pattern: '^[0-9]{4,9}$' }),
      {
        description:
          'DATEV account for each account of the ledger, such as "tax:0.19", or "tax" for all rates; without automatic tax, because ' +
          'net and tax are booked separately. Ledger accounts with the same DATEV account are not booked against each other',
      },
    ),
  },
  {
    additionalProperties: false,
    description: 'The accounts that `vaubanctl export bookings --format datev` uses',
  },
);

export type Datev = Static<typeof DatevSchema>;
