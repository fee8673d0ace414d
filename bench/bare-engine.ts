// Baseline for a start of the service: Node opens the database of a place, runs one statement and exits.
import { sql } from '../server/db/database.ts';
import { openPlace } from './bench.ts';

const { VAUBAN_DATA_DIR, DATABASE_URL } = process.env;
const db = await openPlace({ VAUBAN_DATA_DIR: VAUBAN_DATA_DIR!, DATABASE_URL });
await db.query(sql`select 1`);
process.exit();
