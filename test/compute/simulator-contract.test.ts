import { after } from 'node:test';
import { createSimulator } from '../../server/compute/simulator/simulator.ts';
import { SimulatorGuests } from '../../server/db/queries/hosts/simulator-guests.ts';
import { simulatedContract } from './simulated-contract.ts';
import { BOOT_SECONDS, guestSpec, openTestDatabase } from './support.ts';

const db = await openTestDatabase();
after(() => db.close());

const STOCK = { capacity: { ramMb: 65_536 }, templates: [guestSpec().template] };

simulatedContract('simulator', {
  db,
  open: (clock) =>
    createSimulator({ store: new SimulatorGuests(db), clock, bootSeconds: BOOT_SECONDS, ...STOCK }),
});
