import type { JobErrorCode } from './api/codes.ts';
import type { EventType, VmEvent } from './api/customer.ts';

export interface GermanWords {
  money: (minor: number, currency: string) => string;
  decimal: (decimal: string, currency: string) => string;
  time: (iso: string) => string;
  job: (kind: string) => string;
}

/** German texts for job errors. A missing code is a compile error. */
export const JOB_ERROR_TEXTS: Record<JobErrorCode, string> = {
  compute_unavailable: 'Die Virtualisierung konnte den Auftrag nicht ausführen.',
  capacity_unavailable: 'Auf dem Host ist kein Platz mehr.',
  unknown_template: 'Dieses Image gibt es nicht mehr.',
  guest_shutdown_timeout: 'Der Gast hat sich nicht rechtzeitig ausgeschaltet.',
  guest_agent_unavailable: 'Im Gast antwortet nichts: weder ein Gast-Agent noch SSH auf Port 22.',
  disk_shrink_not_supported: 'Eine Festplatte lässt sich nicht verkleinern.',
  timed_out: 'Es hat zu lange gedauert.',
  abandoned: 'Der Auftrag wurde verworfen.',
  internal_error: 'Bei uns ist etwas schiefgegangen.',
};

/** The metadata of an event. Older events may lack some of it. */
class Facts {
  readonly #metadata: VmEvent['metadata'];
  readonly #words: GermanWords;

  constructor({ metadata }: VmEvent, words: GermanWords) {
    this.#metadata = metadata;
    this.#words = words;
  }

  text(name: string): string {
    const value = this.#metadata[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '…';
  }

  has(name: string): boolean {
    return this.#metadata[name] !== undefined;
  }

  job(name: string): string {
    return this.#words.job(this.text(name));
  }

  /** Formats a time; an ellipsis if it is missing, as for the other facts. */
  time(name: string): string {
    const value = this.#metadata[name];
    return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? this.#words.time(value) : '…';
  }

  money(name: string): string {
    const { [name]: minor, currency } = this.#metadata;
    return typeof minor === 'number' && typeof currency === 'string'
      ? this.#words.money(minor, currency)
      : '…';
  }

  price(name: string): string {
    const { [name]: decimal, currency } = this.#metadata;
    return typeof decimal === 'string' && typeof currency === 'string'
      ? this.#words.decimal(decimal, currency)
      : '…';
  }
}

type Text = string | ((facts: Facts, event: VmEvent) => string);

const requested = (what: string) => `${what} wurde angefordert.`;
/** The guest's or the operator's own words are appended untranslated. */
const inWords =
  (begin: string): Text =>
  (_, { message }) =>
    `${begin}: ${message}`;

const limited = (facts: Facts) =>
  facts.text('throttle_mbps') === '0'
    ? 'ist das Netz gesperrt'
    : `ist das Netz auf ${facts.text('throttle_mbps')} Mbit/s begrenzt`;

/** German texts for events, by type. A missing type is a compile error. */
export const EVENT_TEXTS: Record<EventType, Text> = {
  'agent.command_started': (facts) => `Der KI-Agent hat einen Befehl ausgeführt: ${facts.text('command')}`,
  'billing.adjusted': inWords('Der Betreiber hat die Abrechnung berichtigt'),
  'billing.charged': 'Die Maschine wurde um einen Monat verlängert.',
  'billing.deletion_due': (facts) =>
    `Die Maschine ist nicht bezahlt und wird am ${facts.time('deletes_at')} mit ihren Daten gelöscht. Fällig sind ${facts.money('amount_minor')}.`,
  'billing.ended':
    'Der bezahlte Zeitraum ist vorbei, und die Maschine wird nicht verlängert: Sie wird jetzt abgeschaltet.',
  'billing.plan_retires': (facts) =>
    `Der Tarif ${facts.text('plan')} wird eingestellt: Am ${facts.time('retires_at')} wird die Maschine nicht verlängert, sondern abgeschaltet. Um sie zu behalten, wechseln Sie vorher den Tarif.`,
  'billing.price_change': (facts) =>
    `Ab ${facts.time('from_at')} kostet die Verlängerung ${facts.money('price_monthly_minor')} im Monat statt ${facts.money('old_price_monthly_minor')}.`,
  'billing.renewal_due': (facts) =>
    `In ${facts.text('days') === '1' ? 'einem Tag' : `${facts.text('days')} Tagen`} wird die Maschine für ${facts.money('amount_minor')} verlängert. Das Guthaben deckt das nicht.`,
  'billing.suspension_failed': (facts) =>
    `Die Maschine sollte wegen eines offenen Betrags abgeschaltet werden, ließ sich aber nicht abschalten. Der nächste Versuch ist am ${facts.time('next_attempt_at')}.`,
  'billing.traffic_limited': (facts) =>
    `Der enthaltene Datenverkehr ist verbraucht. Bis ${facts.time('due_at')} ${limited(facts)}.`,
  'billing.traffic_used': (facts) =>
    `${facts.text('percent')} % des enthaltenen Datenverkehrs sind verbraucht. ${
      facts.has('throttle_mbps')
        ? `Danach ${limited(facts)}.`
        : `Darüber hinaus kostet ein GB ${facts.price('price_per_gb')}.`
    }`,
  'billing.unpaid': (facts) =>
    `Das Guthaben deckt die Verlängerung für ${facts.money('amount_minor')} nicht. Ohne Aufladung wird die Maschine am ${facts.time('suspends_at')} abgeschaltet.`,
  'billing.usage_unpaid': (facts) =>
    `Das Guthaben deckt den Verbrauch des Kontos nicht. Bis Guthaben aufgeladen wird, ${limited(facts)}.`,
  'billing.debt': (facts) =>
    `Der Verbrauch bis zur Löschung betrug ${facts.money('amount_minor')}. ${facts.money('debt_minor')} davon deckte das Guthaben nicht; das Konto schuldet diesen Betrag.`,
  'billing.debt_due': (facts) =>
    `Das Konto schuldet ${facts.money('amount_minor')}. Ohne Zahlung wird die Maschine am ${facts.time('suspends_at')} abgeschaltet.`,
  'billing.debt_settled': 'Das Konto schuldet nichts mehr: Die Maschine ist nicht mehr deswegen gesperrt.',
  'billing.debt_suspended':
    'Die Maschine wurde abgeschaltet, weil das Konto Geld schuldet. Sobald die Schuld bezahlt ist, ist sie wieder verfügbar.',
  'billing.written_off': (facts) =>
    `Der Verbrauch bis zur Löschung betrug ${facts.money('amount_minor')}. ${facts.money('written_off_minor')} davon deckte das Guthaben nicht; sie wurden ausgebucht.`,
  'console.ticket_issued': 'Der Bildschirm wurde geöffnet.',
  'console.token_issued': 'Ein Terminal wurde geöffnet.',
  'console_share.created': 'Ein Link zu einem Terminal wurde erstellt.',
  'console_share.revoked': 'Ein Link zu einem Terminal wurde widerrufen.',
  'firewall.rule_added': 'Eine Firewall-Regel wurde angelegt.',
  'firewall.rule_removed': 'Eine Firewall-Regel wurde gelöscht.',
  'guest.crashed': 'Der Gast ist abgestürzt.',
  'guest.powered_off': 'Der Gast hat sich selbst ausgeschaltet.',
  'guest.ready': 'Der Gast ist hochgefahren und bereit.',
  'guest.rebooted': 'Der Gast hat sich selbst neu gestartet.',
  'guest.warning': inWords('Mit dem Gast stimmt etwas nicht'),
  'job.failed': (facts) => `Ein Auftrag ist fehlgeschlagen: ${facts.job('kind')}.`,
  'port_forward.added': 'Eine Portweiterleitung wurde angelegt.',
  'port_forward.removed': 'Eine Portweiterleitung wurde gelöscht.',
  'snapshot.created': 'Ein Snapshot wurde erstellt.',
  'snapshot.deleted': 'Ein Snapshot wurde gelöscht.',
  'snapshot.restored': 'Ein Snapshot der Maschine wurde wiederhergestellt.',
  'vm.created': 'Die Maschine wurde angelegt.',
  'vm.deleted': 'Die Maschine wurde gelöscht.',
  'vm.move_canceled': (facts) =>
    `Der zwischen ${facts.time('from_at')} und ${facts.time('to_at')} angekündigte Umzug der Maschine findet nicht statt.`,
  'vm.move_scheduled': (facts) =>
    `Zwischen ${facts.time('from_at')} und ${facts.time('to_at')} wird die Maschine kurz abgeschaltet und zieht auf einen anderen Host um. Wird sie vorher ausgeschaltet, zieht sie sofort um.`,
  'vm.moved': 'Die Maschine ist auf einen anderen Host umgezogen.',
  'vm.password_reset': 'Das Passwort wurde zurückgesetzt.',
  'vm.rebooted': 'Die Maschine wurde neu gestartet.',
  'vm.rebuilt': (facts) => `Die Maschine wurde aus ${facts.text('template')} neu installiert.`,
  'vm.resized': 'Die Größe der Maschine wurde geändert.',
  'vm.ssh_key_attached': 'Ein SSH-Schlüssel wurde hinterlegt.',
  'vm.started': 'Die Maschine wurde gestartet.',
  'vm.stopped': 'Die Maschine wurde ausgeschaltet.',
  'vm.suspended': (facts) =>
    `Die Maschine wurde abgeschaltet, weil sie nicht bezahlt ist. Ohne Zahlung wird sie am ${facts.time('deletes_at')} mit ihren Daten gelöscht.`,
  'vm.updated': 'Die Angaben zur Maschine wurden geändert.',
  'vm.create_requested': requested('Das Anlegen'),
  'vm.start_requested': requested('Das Einschalten'),
  'vm.stop_requested': requested('Das Herunterfahren'),
  'vm.force_stop_requested': requested('Das Ausschalten'),
  'vm.reboot_requested': requested('Ein Neustart'),
  'vm.reset_password_requested': requested('Ein neues Passwort'),
  'vm.attach_ssh_key_requested': requested('Das Hinterlegen eines SSH-Schlüssels'),
  'vm.change_plan_requested': requested('Ein Tarifwechsel'),
  'vm.change_custom_requested': requested('Eine Größenänderung'),
  'vm.snapshot_create_requested': requested('Ein Snapshot'),
  'vm.snapshot_delete_requested': requested('Das Löschen eines Snapshots'),
  'vm.snapshot_restore_requested': requested('Das Wiederherstellen eines Snapshots'),
  'vm.rebuild_requested': requested('Eine Neuinstallation'),
  'vm.move_requested': 'Die Maschine zieht auf einen anderen Host um.',
  'vm.delete_requested': requested('Die Löschung'),
};

export function eventText(event: VmEvent, words: GermanWords): string {
  // A newer service may send types that this page does not know.
  const text: Text | undefined = EVENT_TEXTS[event.type];
  return typeof text === 'function' ? text(new Facts(event, words), event) : (text ?? event.message);
}
