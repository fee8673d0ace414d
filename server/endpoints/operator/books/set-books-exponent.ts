import { answerExponent } from '../../../domain/billing/books-exponent.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { BooksShape, presentBooks } from './books-shape.ts';

export const setBooksExponent = endpoint({
  audience: 'operator',
  operation: 'setBooksExponent',
  method: 'POST',
  path: '/books/exponent',
  tag: 'money',
  summary: 'Set the number of decimals of the amounts in the books',
  description:
    'Needed once, after an upgrade of books whose decimals were chosen by the runtime. Until then, money operations return 503. Other decimals than those of ISO 4217 are refused, because booked amounts never change.',
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
