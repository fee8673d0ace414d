import assert from 'node:assert/strict';
import { test } from 'node:test';
import { de } from '../../server/documents/texts/de.ts';
import { en } from '../../server/documents/texts/en.ts';

/** One line of each kind of sale, refund and correction, as the books have it. */
const LINES = {
  'Shared S1': 'Shared S1',
  'Shared S1, 1 hour': 'Shared S1, 1 Stunde',
  'Shared S1, 317 hours': 'Shared S1, 317 Stunden',
  'Used time on Shared S1': 'Genutzte Zeit von Shared S1',
  'Unused month of Shared S1': 'Nicht genutzter Monat von Shared S1',
  '2 × Extra IPv4 address': '2 × Extra IPv4 address',
  'Unused time on 2 × Extra IPv4 address': 'Nicht genutzte Zeit von 2 × Extra IPv4 address',
  'Grace on 2 × Backups of 2 hours': 'Nachfrist für 2 × Backups of 2 hours',
  'Refund of 2 × Backups (twice)': 'Erstattung: 2 × Backups (twice)',
  'Use that was credited before': 'Nutzung, die schon gutgeschrieben war',
  'Traffic used ahead of time': 'Vorzeitig verbrauchter Datenverkehr',
  'Traffic of Shared S1: 12.5 GB, 10 GB included': 'Datenverkehr von Shared S1: 12,5 GB, 10 GB inklusive',
  'Snapshots of Size 2.0: 0.25 GB-months': 'Snapshots von Size 2.0: 0,25 GB-Monate',
  'SLA credit, 12.5 % of the month: 3 hours': 'Gutschrift nach SLA, 12,5 % des Monats: 3 hours',
  'Credit: of 3 hours': 'Gutschrift: of 3 hours',
  'Refund of Shared S1 (down for 3 hours)': 'Erstattung: Shared S1 (down for 3 hours)',
  'Refund of Unused time on Shared S1 (typo)': 'Erstattung: Nicht genutzte Zeit von Shared S1 (typo)',
  'Void of Shared S1, 3 hours (typo (again))': 'Storno: Shared S1, 3 Stunden (typo (again))',
  'Void of Refund of Grace on Shared S1 (a) (b)': 'Storno: Erstattung: Nachfrist für Shared S1 (a) (b)',
};

test('a German document has German line texts, and leaves names and reasons unchanged', () => {
  for (const [english, german] of Object.entries(LINES)) {
    assert.equal(de.sold(english), german);
    assert.equal(en.sold(english), english);
  }
});
