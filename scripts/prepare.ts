// Runs at the end of `npm ci`: does once what the first start would otherwise do while a customer waits. Without it
// (`npm ci --ignore-scripts`) the first start takes some seconds longer, and nothing else changes.
import { makeBlankDatabase } from '../server/db/pglite-blank.ts';

await makeBlankDatabase();
