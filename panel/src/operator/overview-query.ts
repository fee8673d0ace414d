import { read } from '../api/queries.ts';
import { whileUsed } from './polling.ts';

/** Looked at again this often: what is going on changes without the operator doing anything. */
const EVERY_MS = 15_000;

/** How the service stands; kept right while a page is open. */
export const overviewQuery = { ...read('operator.getOverview'), ...whileUsed(EVERY_MS) };
