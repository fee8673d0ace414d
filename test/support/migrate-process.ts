// Migrates the database in DATABASE_URL as a separate node would, and prints what it applied.
import { migrateUp } from '../../server/db/migrate.ts';
import { openPostgres } from '../../server/db/postgres.ts';

const db = openPostgres(process.env.DATABASE_URL!);
console.log(JSON.stringify(await migrateUp(db)));
await db.close();
