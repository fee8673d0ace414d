import { answerExponent } from '../../../domain/billing/books-exponent.ts';
import { Input } from '../../../http/schemas.ts';
import { operatorEndpoint } from '../../../operator/endpoint.ts';
import { Type } from '../../../platform/schema.ts';
import { BooksShape, presentBooks } from './books-shape.ts';

export const setBooksExponent = operatorEndpoint({
  operation: 'setBooksExponent',
  method: 'POST',
  path: '/books/exponent',
  tag: 'money',
  summary: 'Say how many decimals the amounts in the books have',
  description:
    'Answered once, after an upgrade of books whose decimals the runtime chose. Until then, money operations answer 503. An answer other than the decimals of ISO 4217 is refused, because amounts that were booked never change.',
  body: Input({
    exponent: Type.Integer({
      minimum: 0,
      maximum: 4,
      description: 'Decimals of the amounts in the books',
      examples: [2],
    }),
  }),
  data: BooksShape,
  errors: ['invalid_state'],
  async handle({ body: { exponent }, actor, services: { db, catalog, clock, logger } }) {
    const books = await db.transaction((tx) => answerExponent(tx, clock, catalog, { exponent, actor }));
    logger.info({ currency: books.currency, exponent, actor: books.recorded_by }, 'books counted');
    return { data: await presentBooks(db, catalog.currency) };
  },
});
