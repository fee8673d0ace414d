import { plain, Rational } from './rational.ts';

/** The tax of a sale: `rate` as displayed, and the reason if no tax is due. */
export interface Taxed {
  rate: string;
  category: 'standard' | 'zero_rated' | 'exempt' | 'reverse_charge' | 'outside_scope';
  reason: string | null;
}

export interface Buyer {
  kind: 'business' | 'consumer';
  name: string;
  street: string;
  city: string;
  postcode: string | null;
  country: string;
  vat_id: string | null;
  exempt_reason: string | null;
}

export interface Seller {
  name: string;
  street: string;
  city: string;
  postcode?: string;
  country: string;
  vat_id?: string;
}

/** A German company that is also registered in Austria and Norway. */
export const SELLER: Seller = {
  name: 'Example Hosting GmbH',
  street: 'Hauptstraße 1',
  city: 'Berlin',
  postcode: '10115',
  country: 'DE',
  vat_id: 'DE136695976',
};
export const TAX_RATES = { AT: '0.20', NO: '0.25' };

const buyer = (country: string, kind: Buyer['kind'], of: Partial<Buyer> = {}): Buyer => ({
  ...{ kind, name: `Buyer of ${country}`, street: 'Street 1', city: 'Town', postcode: null, country },
  ...{ vat_id: null, exempt_reason: null },
  ...of,
});

/** One buyer for each legal case, and the tax of each; "home" is the catalog's own rate. */
const CASES: [Buyer, { listed: string | 'home' } | Omit<Taxed, 'rate'>][] = [
  [buyer('DE', 'consumer', { postcode: '20095' }), { listed: 'home' }],
  [buyer('DE', 'business', { vat_id: 'DE136695976' }), { listed: 'home' }],
  [buyer('FR', 'consumer'), { listed: 'home' }],
  [buyer('AT', 'business'), { listed: TAX_RATES.AT }],
  [buyer('NO', 'business'), { listed: TAX_RATES.NO }],
  [buyer('NO', 'business', { vat_id: '974760673MVA' }), { listed: TAX_RATES.NO }],
  [
    buyer('CH', 'business', { vat_id: 'CHE100155212' }),
    {
      category: 'outside_scope',
      reason: 'Service outside the scope of VAT: the place of supply is abroad',
    },
  ],
  [
    buyer('AT', 'business', { vat_id: 'ATU37675002' }),
    { category: 'reverse_charge', reason: 'Reverse charge' },
  ],
  [
    buyer('US', 'consumer'),
    {
      category: 'outside_scope',
      reason: 'Service outside the scope of VAT: the place of supply is abroad',
    },
  ],
  [
    buyer('DE', 'consumer', { exempt_reason: 'Diplomatic mission' }),
    { category: 'exempt', reason: 'Diplomatic mission' },
  ],
];

export const BUYERS: readonly Buyer[] = CASES.map(([one]) => one);

/** The tax on a sale to a buyer today. */
export function taxOn({ tax_rate }: { tax_rate: string }, buyer: Buyer | null): Taxed {
  const [, rule] = CASES.find(([one]) => one === buyer) ?? [null, { listed: 'home' }];
  if ('category' in rule) return { rate: '0', ...rule };
  const rate = plain(rule.listed === 'home' ? tax_rate : rule.listed);
  return { rate, category: rate === '0' ? 'zero_rated' : 'standard', reason: null };
}

/** The tax in an amount that includes it. */
export function taxIn(amount: bigint, rate: string): bigint {
  const share = Rational.parse(rate);
  return new Rational(amount)
    .times(share)
    .over(share.plus(new Rational(1n)))
    .round();
}
