import { endpoint } from '../../../http/endpoint.ts';
import { BooksShape, presentBooks } from './books-shape.ts';

export const getBooks = endpoint({
  audience: 'operator',
  operation: 'getBooks',
  method: 'GET',
  path: '/books',
  tag: 'money',
  summary: 'Get the unit in which the books count their currency',
  data: BooksShape,
  errors: [],
  async handle({ services: { db, catalog } }) {
    return { data: await presentBooks(db, catalog.currency) };
  },
});
