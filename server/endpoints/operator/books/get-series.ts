import { endpoint } from '../../../http/endpoint.ts';
import { Type } from '../../../platform/schema.ts';
import { presentSeries, SeriesShape } from './series-shape.ts';

export const getSeries = endpoint({
  audience: 'operator',
  operation: 'getSeries',
  method: 'GET',
  path: '/books/series',
  tag: 'money',
  summary: 'Get the number series of documents',
  data: Type.Array(SeriesShape),
  errors: [],
  async handle({ services: { db } }) {
    return { data: await presentSeries(db) };
  },
});
