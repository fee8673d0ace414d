import { type Static, Type } from '../../platform/schema.ts';

export const Country = Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2' });
const Text = Type.String({ minLength: 1, maxLength: 100 });

export const SellerSchema = Type.Object(
  {
    name: Text,
    street: Text,
    city: Text,
    postcode: Type.Optional(Text),
    country: Country,
    vat_id: Type.Optional(Text),
    tax_number: Type.Optional({ ...Text, description: 'Tax number, if there is no VAT id' }),
    registration_id: Type.Optional({ ...Text, description: 'Number in the trade register' }),
    email: Type.Optional(Text),
    footer: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 600,
        description:
          'Footer of each page of a document, with legally required information such as the register and directors; at most six lines',
        pattern: '^[^\\n]*(\\n[^\\n]*){0,5}$',
      }),
    ),
    exemption_reason: Type.Optional({
      ...Text,
      description: 'Legally required reason on invoices for a tax rate of 0',
    }),
  },
  {
    additionalProperties: false,
    description: 'The seller as named on invoices; without it there are no PDF or XML invoices',
  },
);

export type Seller = Static<typeof SellerSchema>;
