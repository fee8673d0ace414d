import { Gauge, type Registry } from 'prom-client';
import type { Metrics } from './metrics.ts';

export function moneyMetrics(registers: Registry[]): Pick<Metrics, 'audited' | 'moneyAlarms'> {
  return { ...auditMetrics(registers), ...alarmMetrics(registers) };
}

function auditMetrics(registers: Registry[]): Pick<Metrics, 'audited'> {
  const findings = new Gauge({
    name: 'vauban_audit_findings',
    help: 'Rows of the books that broke a law of the ledger in the last audit',
    registers,
  });
  const last = new Gauge({
    name: 'vauban_audit_last_run_timestamp_seconds',
    help: 'Start of the last audit of the books; 0 if there was none',
    registers,
  });
  return {
    audited(at, count) {
      findings.set(count);
      last.set(at.getTime() / 1000);
    },
  };
}

function alarmMetrics(registers: Registry[]): Pick<Metrics, 'moneyAlarms'> {
  const dunning = new Gauge({
    name: 'vauban_dunning_failing',
    help: 'Unpaid VMs of all nodes that could not be switched off or deleted; this is tried again',
    registers,
  });
  const pending = new Gauge({
    name: 'vauban_order_pending_seconds',
    help: 'Age of the oldest pending order, 0 if there is none',
    registers,
  });
  const owed = new Gauge({
    name: 'vauban_payment_claims',
    help: 'Reversed payments that the wallet does not cover yet',
    registers,
  });
  const lost = new Gauge({
    name: 'vauban_unbooked_payments',
    help: 'Payments that their provider has and the books do not; see vaubanctl payment unbooked',
    registers,
  });
  const asked = new Gauge({
    name: 'vauban_series_asked',
    help: '1 while no documents are issued because the next free number is unknown; see vaubanctl books series',
    registers,
  });
  const held = new Gauge({
    name: 'vauban_documents_held',
    help: 'Invoices and credit notes that are not issued because their e-invoice would break an official rule',
    registers,
  });
  return {
    moneyAlarms({ dunningFailing, oldestPendingSeconds, claims, unbooked, seriesAsked, heldDocuments }) {
      asked.set(Number(seriesAsked));
      lost.set(unbooked);
      held.set(heldDocuments);
      owed.set(claims);
      dunning.set(dunningFailing);
      pending.set(oldestPendingSeconds);
    },
  };
}
