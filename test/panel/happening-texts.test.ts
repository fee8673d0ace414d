import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VmEvent } from '../../panel/src/api/customer.ts';
import {
  EVENT_TEXTS,
  eventText,
  type GermanWords,
  JOB_ERROR_TEXTS,
} from '../../panel/src/happening-texts.ts';
import { EVENT_TYPES } from '../../server/db/enums.ts';
import type { VmRow } from '../../server/db/queries/vms/vms.ts';
import * as dunning from '../../server/domain/billing/dunning-events.ts';
import type { UnpaidSchedule } from '../../server/domain/billing/overview.ts';
import { JOB_ERROR_CODES } from '../../server/domain/vms/states.ts';

const format = new Intl.NumberFormat('de-DE', {
  style: 'currency',
  currency: 'EUR',
  maximumFractionDigits: 4,
});
const words: GermanWords = {
  money: (minor) => format.format(minor / 100),
  decimal: (decimal) => format.format(Number(decimal)),
  time: (iso) => new Date(iso).toLocaleDateString('de-DE', { dateStyle: 'long', timeZone: 'UTC' }),
  job: (kind) => kind,
};
const AT = new Date('2026-03-01T10:00:00Z');

/** An event as a customer receives it. */
const event = (type: VmEvent['type'], metadata = {}, message = 'in English'): VmEvent => ({
  ...{ id: 'evt_1', level: 'info', job_id: null, created_at: AT.toISOString() },
  actor: { type: 'system', id: null, ip: null },
  ...{ type, message, metadata: JSON.parse(JSON.stringify(metadata)) },
});

test('every event and every error of a job has a German text', () => {
  assert.deepEqual(Object.keys(EVENT_TEXTS).toSorted(), EVENT_TYPES.toSorted());
  assert.deepEqual(Object.keys(JOB_ERROR_TEXTS).toSorted(), JOB_ERROR_CODES.toSorted());
  // Every event has a text, whatever metadata is missing.
  for (const type of EVENT_TYPES)
    assert.doesNotMatch(eventText(event(type), words), /undefined|NaN|Invalid/, type);
});

test('the German text of an event of the books has its values', () => {
  const vm = { currency: 'EUR', plan: 's1', billing_period_end_at: AT, auto_renew: true } as VmRow;
  const due = { amount: 399n, lacking: 99n };
  const schedule = { suspends_at: AT, deletes_at: AT } as UnpaidSchedule;
  const german = (made: { type: string; message: string; metadata?: object }) => {
    const text = eventText(event(made.type as VmEvent['type'], made.metadata, made.message), words);
    assert.doesNotMatch(text, /…/, `${made.type} has all that its text asks for`);
    return text.replaceAll('\u00a0', ' ');
  };
  assert.match(german(dunning.renewalDue(vm, 3, due)), /In 3 Tagen .* für 3,99 €/);
  assert.match(german(dunning.renewalDue(vm, 1, due)), /In einem Tag/);
  const notice = { old_minor: 399n, price_minor: 449n, from: AT };
  assert.match(german(dunning.priceChange(vm, notice)), /4,49 € im Monat statt 3,99 €/);
  assert.match(german(dunning.planRetires(vm, AT)), /Tarif s1 .* 1\. März 2026/);
  assert.match(german(dunning.periodOver(vm, due, schedule)), /3,99 €/);
  assert.match(german(dunning.suspended(vm, AT)), /2026/);
  assert.match(german(dunning.suspensionFailed(AT)), /2026/);
  assert.match(german(dunning.leftDebt('EUR', { id: 'ord_1', amount_minor: 500n }, 120n)), /5,00 €.*1,20 €/);
  const used = { used_bytes: 8n, included_bytes: 10n };
  assert.match(german(dunning.trafficUsed(vm, 80, used, '0.0012')), /80 %.*0,0012 €/);
  assert.match(german(dunning.deletionDue(vm, due, AT)), /3,99 €/);
});
