import { read } from '../api/queries.ts';
import { whileUsed } from './polling.ts';

/** Polling interval: the figures change without the operator doing anything. */
const EVERY_MS = 15_000;

/** The service's status; polled while a page is open and used. */
export const overviewQuery = { ...read('operator.getOverview'), ...whileUsed(EVERY_MS) };
