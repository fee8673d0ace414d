import type { ErrorCode, FieldCode } from './api/codes.ts';
import type { ErrorDetails, FieldProblem } from './api/customer.ts';
import type { ApiError } from './api/errors.ts';
import type { Language } from './settings.ts';

/** A text, or what makes one of the figures in the service's own message, such as a limit, in their order. */
type FieldText = string | ((...figures: string[]) => string);

/**
 * What the service says of a field, in German; a compiler error where one of its codes has no text. In English its own
 * messages are shown.
 */
export const FIELD_TEXTS: Record<FieldCode, FieldText> = {
  any_of: 'Dieser Wert hat nicht die verlangte Form.',
  cidr: 'Geben Sie eine Adresse oder ein Netz an, etwa 203.0.113.0/24.',
  const: 'Dieser Wert ist hier nicht möglich.',
  contradiction: 'Diese Angaben widersprechen sich.',
  decimal: 'Geben Sie einen Betrag an, etwa 49.90.',
  duplicate: 'Dieser Eintrag kommt doppelt vor.',
  email: 'Geben Sie eine E-Mail-Adresse an, etwa anna@example.com.',
  format: 'Dieser Wert hat nicht die verlangte Form.',
  host_bits: 'Rechts der Präfixlänge sind Bits gesetzt. Geben Sie die Netzadresse an.',
  in_future: 'Dieser Zeitpunkt darf nicht in der Zukunft liegen.',
  in_past: 'Dieser Zeitpunkt muss in der Zukunft liegen.',
  invalid: 'Dieser Wert ist ungültig.',
  invalid_format: 'Dieser Wert hat nicht die verlangte Form.',
  invalid_text: 'Der Text enthält unzulässige Zeichen.',
  known: 'Dieser Eintrag ist bereits vorhanden.',
  malformed: 'Geben Sie genau einen öffentlichen Schlüssel im OpenSSH-Format an: Typ, Base64, Kommentar.',
  max_bytes: (limit) => `Höchstens ${limit} Byte in UTF-8 sind erlaubt.`,
  max_items: (limit) => `Höchstens ${limit} Einträge sind erlaubt.`,
  max_length: (limit) => `Höchstens ${limit} Zeichen sind erlaubt.`,
  maximum: (limit) => `Der Wert darf höchstens ${limit} sein.`,
  member: 'Diese Person ist bereits Mitglied.',
  min_items: (limit) => `Mindestens ${limit} ${limit === '1' ? 'Eintrag ist' : 'Einträge sind'} nötig.`,
  min_length: (limit) =>
    limit === undefined ? 'Füllen Sie dieses Feld aus.' : `Mindestens ${limit} Zeichen sind nötig.`,
  min_properties: 'Geben Sie mindestens eine Änderung an.',
  minimum: (limit) => `Der Wert muss mindestens ${limit} sein.`,
  mismatch: 'Dieser Wert stimmt nicht mit der Aufladung überein.',
  multiple_of: (step) => `Der Wert muss ein Vielfaches von ${step} sein.`,
  not_allowed: 'Dieser Wert ist hier nicht möglich.',
  not_applicable: 'Diese Angabe passt nicht zu den übrigen.',
  not_available: 'Das ist derzeit nicht verfügbar.',
  not_held: 'Ihre Rolle umfasst dieses Recht nicht.',
  not_hourly: 'Dieser Tarif wird nicht stundenweise abgerechnet.',
  not_in_future: 'Dieser Zeitpunkt muss in der Zukunft liegen.',
  not_invited: 'Die Einladung gilt für eine andere E-Mail-Adresse.',
  not_offered: 'Diese Zahlungsart wird nicht mehr angeboten.',
  not_own: 'Diese Adresse gehört nicht dazu.',
  not_positive: 'Der Betrag muss größer als null sein.',
  not_readable: 'Nur sichtbare Zeichen und Leerzeichen sind erlaubt.',
  not_supported: 'Das wird hier nicht unterstützt.',
  not_usable: 'Dieser Wert ist nicht verwendbar.',
  one_of: 'Dieser Wert hat nicht die verlangte Form.',
  out_of_range: (from, to, step) =>
    `Der Wert muss zwischen ${from} und ${to} liegen${step ? `, in Schritten von ${step}` : ''}.`,
  past: 'Dieser Zeitpunkt muss in der Zukunft liegen.',
  pattern: 'Dieser Wert hat nicht die verlangte Form.',
  private_key: 'Das ist ein privater Schlüssel. Geben Sie nur den öffentlichen an.',
  range: 'Der Anfang darf nicht nach dem Ende liegen.',
  required: 'Füllen Sie dieses Feld aus.',
  taken: 'Dieser Wert ist bereits vergeben.',
  too_fine: (step) => `Der Wert muss ein Vielfaches von ${step} sein.`,
  too_large: (most) => (most === undefined ? 'Der Wert ist zu groß.' : `Höchstens ${most} ist möglich.`),
  too_many_points: 'Wählen Sie einen kürzeren Zeitraum oder größere Abstände.',
  too_old: (days) => `Messwerte werden ${days} Tage lang aufbewahrt.`,
  too_precise: 'Der Betrag hat zu viele Nachkommastellen.',
  too_simple: 'Dieses Passwort ist zu leicht zu erraten. Besser sind einige Wörter ohne Zusammenhang.',
  too_small: (least) => `Mindestens ${least} ist nötig.`,
  type: 'Dieser Wert hat nicht die verlangte Form.',
  unique_items: 'Dieser Eintrag kommt doppelt vor.',
  unknown: 'Diesen Eintrag gibt es nicht.',
  unknown_field: 'Dieses Feld gibt es hier nicht.',
  unknown_provider: 'Diese Zahlungsart wird nicht angeboten.',
  unsupported_algorithm: 'Dieser Schlüsseltyp wird nicht unterstützt.',
  weak_key: 'Dieser Schlüssel ist zu schwach. RSA-Schlüssel brauchen mindestens 2048 Bit.',
  wrong: 'Diese Angabe ist falsch.',
  wrong_family: 'Die Adressfamilie (IPv4 oder IPv6) passt nicht.',
};

/** Where a field has more to say than its code: the last part of its path, and the code. */
const SPECIAL: Record<string, string> = {
  'code wrong': 'Der Code ist falsch oder wurde bereits verwendet.',
  'code pattern': 'Geben Sie die sechs Ziffern ein.',
  'password wrong': 'Das Passwort ist falsch.',
  'name wrong': 'Das ist nicht der Name des Kontos.',
  'response wrong': 'Der Passkey wurde nicht anerkannt. Versuchen Sie es noch einmal.',
  'hostname pattern': 'Erlaubt sind Buchstaben, Ziffern und Bindestriche, je Namensteil 1 bis 63 Zeichen.',
  'ports format': 'Geben Sie einen Port an, etwa 443, oder einen Bereich, etwa 1024-5000.',
  'ports not_applicable': 'Dieses Protokoll hat keine Ports.',
  'source_ports not_applicable': 'Nur TCP und UDP haben Ports.',
  'destination_ports not_applicable': 'Nur TCP und UDP haben Ports.',
  'country unknown': 'Wählen Sie ein Land aus.',
  'vat_id invalid_format': 'Das ist keine USt-IdNr. dieses Landes.',
  'vat_id not_allowed': 'Nur Unternehmen haben eine USt-IdNr.',
  'payment_method_id required': 'Laden Sie einmal auf und lassen Sie die Zahlungsart dabei speichern.',
  'confirm_block_all required':
    'Die Regel trifft alle Pakete. Schränken Sie sie ein oder bestätigen Sie das.',
  'template too_large': 'Dieses Image braucht eine größere Maschine.',
};

/** Why a request was refused, in German: a compiler error where a code has no text. */
export const ERROR_TEXTS: Record<ErrorCode, string | ((details: ErrorDetails) => string)> = {
  idempotency_key_missing: 'Die Anfrage war unvollständig. Laden Sie die Seite neu.',
  idempotency_key_invalid: 'Die Anfrage war unvollständig. Laden Sie die Seite neu.',
  invalid_json: 'Die Anfrage war nicht lesbar. Laden Sie die Seite neu.',
  invalid_cursor: 'Diese Liste hat sich geändert. Laden Sie die Seite neu.',
  invalid_request: 'Die Anfrage war nicht lesbar. Laden Sie die Seite neu.',
  api_key_missing: 'Ein API-Schlüssel ist nötig.',
  api_key_invalid: 'Der API-Schlüssel ist ungültig.',
  api_key_expired: 'Der API-Schlüssel ist abgelaufen.',
  ip_not_allowed: 'Der API-Schlüssel gilt nicht für diese Adresse.',
  session_required: 'Sie sind abgemeldet. Melden Sie sich an, um fortzufahren.',
  sign_in_failed: 'E-Mail-Adresse oder Passwort ist falsch.',
  insufficient_funds: 'Das Guthaben reicht nicht aus.',
  scope_required: 'Ihre Rolle in diesem Konto erlaubt das nicht.',
  role_required: 'Ihre Rolle in diesem Konto erlaubt das nicht.',
  origin_not_allowed: 'Diese Anfrage kam nicht von einer Seite dieses Dienstes.',
  confirmation_required: 'Bestätigen Sie zuerst, dass Sie es sind.',
  second_factor_required: 'Richten Sie zuerst einen zweiten Faktor ein.',
  sign_up_closed: 'Eine Registrierung ist hier nur mit Einladung möglich.',
  not_found: 'Das gibt es nicht oder nicht mehr.',
  method_not_allowed: 'Das ist hier nicht möglich.',
  account_suspended: 'Das Konto ist gesperrt. Änderungen sind derzeit nicht möglich.',
  idempotency_in_progress: 'Diese Anfrage wird gerade ausgeführt.',
  vm_locked: 'An der Maschine läuft gerade ein anderer Vorgang.',
  invalid_state: 'Das ist im jetzigen Zustand nicht möglich.',
  vm_must_be_stopped: 'Die Maschine muss dafür ausgeschaltet sein oder neu gestartet werden dürfen.',
  vm_suspended: 'Die Maschine ist gesperrt, weil sie nicht bezahlt ist.',
  payment_due:
    'Der bezahlte Zeitraum ist abgelaufen. Die Größe lässt sich erst nach der Verlängerung ändern.',
  guest_agent_unavailable: 'Der Gast-Agent der Maschine antwortet nicht.',
  quota_exceeded: ({ limit }) =>
    limit === undefined ? 'Das Limit ist erreicht.' : `Das Limit von ${limit} ist erreicht.`,
  same_plan: 'Die Maschine hat diesen Tarif oder diese Größe bereits.',
  price_changed: 'Der Preis hat sich geändert. Es wurde nichts berechnet.',
  port_in_use: 'Dieser Port ist bereits vergeben.',
  rule_exists: 'Diese Regel gibt es bereits.',
  ssh_key_exists: 'Dieser SSH-Schlüssel ist bereits hinterlegt.',
  agent_busy: 'Der KI-Agent arbeitet bereits.',
  approval_not_pending: 'Diese Freigabe ist bereits entschieden.',
  document_unavailable: 'Dieses Dokument gibt es für diese Rechnung nicht.',
  payment_exists: 'Diese Zahlung ist bereits gebucht.',
  link_invalid: 'Dieser Link ist nicht mehr gültig.',
  body_too_large: 'Die Anfrage ist zu groß.',
  uri_too_long: 'Die Anfrage ist zu groß.',
  unsupported_media_type: 'Die Anfrage war nicht lesbar. Laden Sie die Seite neu.',
  validation_failed: 'Einige Angaben stimmen nicht.',
  unknown_plan: 'Diesen Tarif gibt es nicht.',
  unknown_template: 'Dieses Image gibt es nicht.',
  plan_not_available_in_region: 'Dieser Tarif ist in dieser Region nicht erhältlich.',
  disk_shrink_not_supported: 'Die Festplatte lässt sich nicht verkleinern.',
  idempotency_key_reused: 'Diese Anfrage wurde schon mit anderen Angaben gestellt. Laden Sie die Seite neu.',
  rate_limit_exceeded: 'Zu viele Anfragen. Versuchen Sie es gleich noch einmal.',
  headers_too_large: 'Die Anfrage ist zu groß.',
  internal_error: 'Bei uns ist etwas schiefgegangen.',
  service_unavailable: 'Der Dienst ist gerade nicht verfügbar. Versuchen Sie es gleich noch einmal.',
  compute_unavailable: 'Die Virtualisierung antwortet gerade nicht. Versuchen Sie es gleich noch einmal.',
  capacity_unavailable: 'Dafür ist derzeit kein Platz. Versuchen Sie es später noch einmal.',
  agent_unavailable: 'Der KI-Agent ist derzeit nicht verfügbar.',
};

/** The figures of a message: "must have at least 10 characters" has "10", an amount keeps its currency. */
const figuresOf = (message: string) => message.match(/\d+(?:[.,]\d+)*(?: [A-Z]{3}\b)?/g) ?? [];

/** What is wrong with a field, as a sentence. */
export function fieldText({ field, code, message }: FieldProblem, language: Language): string {
  // The service goes on from the name of the field: "must be …".
  if (language === 'en')
    return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`.replace(/\.\.$/, '.');
  const name = field.split('.').findLast((part) => !/^\d+$/.test(part)) ?? field;
  const text = SPECIAL[`${name} ${code}`] ?? FIELD_TEXTS[code as FieldCode] ?? FIELD_TEXTS.invalid;
  return typeof text === 'string' ? text : text(...figuresOf(message));
}

/** Why something was refused, as a sentence. */
export function errorText(
  { code, message, details = {} }: Pick<ApiError, 'code' | 'message'> & { details?: ErrorDetails },
  language: Language,
): string {
  const text = language === 'en' ? undefined : ERROR_TEXTS[code as ErrorCode];
  return typeof text === 'function' ? text(details) : (text ?? message);
}

/** The same of anything that was thrown. */
export const messageOf = (error: Error & { code?: string }, language: Language): string =>
  error.code === undefined
    ? error.message
    : errorText({ ...error, code: error.code, message: error.message }, language);
