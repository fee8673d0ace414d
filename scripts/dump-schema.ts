// Writes server/db/schema.sql, the golden dump of the schema that the migrations create.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { migrateUp } from '../server/db/migrate.ts';
import { openPglite } from '../server/db/pglite.ts';
import { dumpSchema } from '../test/support/schema-dump.ts';

const db = await openPglite(undefined);
await migrateUp(db);
writeFileSync(join(import.meta.dirname, '../server/db/schema.sql'), await dumpSchema(db));
await db.close();
