/** An add-on of a VM in the JSON of its column: amounts are text, instants ISO 8601. */
export interface StoredAddOn {
  /** The code in the catalog; a VM has each code once. */
  code: string;
  /** The name with which it was last sold. */
  name: string;
  quantity: number;
  /** The price of one unit per month, in minor units. */
  price_minor: string;
  /** True if that is a net price plus the tax of its latest sale. */
  net: boolean;
  /** The tax of its latest sale, which also applies to its refunds. */
  tax_rate: string;
  tax_category: 'standard' | 'zero_rated' | 'exempt' | 'reverse_charge' | 'outside_scope';
  tax_reason: string | null;
  /** The period of its VM for which it is paid. */
  start_at: string;
  end_at: string;
  /** When this quantity was bought. */
  priced_at: string;
  /** Amount of the period left uncharged by rounding, in minor units times seconds. */
  remainder: string;
  /** Amount of the period that may still be refunded; null if none of it has been corrected. */
  refundable_minor: string | null;
}
