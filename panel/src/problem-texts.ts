import type { ErrorCode } from './api/codes.ts';
import type { ErrorDetails, FieldCode } from './api/customer.ts';

/** A text, or a function of the figures in the service's own message, such as a limit, in their order. */
type FieldText = string | ((...figures: string[]) => string);

/**
 * German texts for invalid fields; a missing code is a compile error. In English the service's own messages are shown.
 */
export const FIELD_TEXTS: Record<FieldCode, FieldText> = {
  required: 'Füllen Sie dieses Feld aus.',
  unknown_field: 'Dieses Feld gibt es hier nicht.',
  wrong_type: 'Dieser Wert hat nicht die verlangte Form.',
  invalid_format: 'Dieser Wert hat nicht die verlangte Form.',
  invalid_characters: (letters) =>
    letters === undefined
      ? 'Der Text enthält unzulässige Zeichen.'
      : `Diese Zeichen können auf Rechnungen nicht gedruckt werden: ${letters}.`,
  not_allowed: 'Dieser Wert ist hier nicht möglich.',
  not_found: 'Diesen Eintrag gibt es nicht.',
  not_available: 'Das ist derzeit nicht verfügbar.',
  not_supported: 'Das wird hier nicht unterstützt.',
  incorrect: 'Diese Angabe ist falsch.',
  duplicate: 'Dieser Eintrag kommt doppelt vor.',
  in_use: 'Dieser Wert ist bereits vergeben.',
  conflict: 'Diese Angabe passt nicht zu den übrigen.',
  too_short: (limit) =>
    limit === undefined ? 'Füllen Sie dieses Feld aus.' : `Mindestens ${limit} Zeichen sind nötig.`,
  too_long: (limit) => `Höchstens ${limit} Zeichen sind erlaubt.`,
  too_few: (limit) => `Mindestens ${limit} ${limit === '1' ? 'Eintrag ist' : 'Einträge sind'} nötig.`,
  too_many: (limit) => `Höchstens ${limit} Einträge sind erlaubt.`,
  too_small: (least) => `Der Wert muss mindestens ${least} sein.`,
  too_large: (most) =>
    most === undefined ? 'Der Wert ist zu groß.' : `Der Wert darf höchstens ${most} sein.`,
  out_of_range: (from, to, step) =>
    `Der Wert muss zwischen ${from} und ${to} liegen${step ? `, in Schritten von ${step}` : ''}.`,
  too_precise: (step) =>
    step === undefined
      ? 'Der Betrag hat zu viele Nachkommastellen.'
      : `Der Wert muss ein Vielfaches von ${step} sein.`,
  too_weak: 'Dieses Passwort ist zu leicht zu erraten. Besser sind einige Wörter ohne Zusammenhang.',
  in_the_past: 'Dieser Zeitpunkt muss in der Zukunft liegen.',
  in_the_future: 'Dieser Zeitpunkt darf nicht in der Zukunft liegen.',
};

const NETWORK = 'Geben Sie eine Adresse oder ein Netz ohne gesetzte Host-Bits an, etwa 203.0.113.0/24.';
const FAMILY = 'Die Adressfamilie (IPv4 oder IPv6) passt nicht.';
const ORDER = 'Der Anfang darf nicht nach dem Ende liegen.';
const TOP_UP = 'Dieser Wert stimmt nicht mit der Aufladung überein.';

/** Texts for one field and code, by the last part of the field's path and the code. */
export const SPECIAL_TEXTS: Record<string, FieldText> = {
  'allowed_ips invalid_format': NETWORK,
  'amount conflict': TOP_UP,
  'amount invalid_format': 'Geben Sie einen Betrag an, etwa 49.90.',
  'amount too_small': 'Der Betrag muss größer als null sein.',
  'amount_minor conflict': TOP_UP,
  'billing not_allowed': 'Das wird nicht stundenweise abgerechnet.',
  'body too_few': 'Geben Sie mindestens eine Änderung an.',
  'cidrs conflict': FAMILY,
  'cidrs invalid_format': NETWORK,
  'code incorrect': 'Der Code ist falsch oder wurde bereits verwendet.',
  'code invalid_format': 'Geben Sie die sechs Ziffern ein.',
  'confirm_block_all required':
    'Die Regel trifft alle Pakete. Schränken Sie sie ein oder bestätigen Sie das.',
  'country not_found': 'Wählen Sie ein Land aus.',
  'currency conflict': TOP_UP,
  'destination_ports conflict': 'Nur TCP und UDP haben Ports.',
  'email in_use': 'Diese Person ist bereits Mitglied.',
  'email invalid_format': 'Geben Sie eine E-Mail-Adresse an, etwa anna@example.com.',
  'from conflict': ORDER,
  'from out_of_range': (days) => `Messwerte werden ${days} Tage lang aufbewahrt.`,
  'hostname invalid_format':
    'Erlaubt sind Buchstaben, Ziffern und Bindestriche, je Namensteil 1 bis 63 Zeichen.',
  'internal_ip not_found': 'Diese Adresse gehört nicht dazu.',
  'ip not_found': 'Diese Adresse gehört nicht dazu.',
  'name incorrect': 'Das ist nicht der Name des Kontos.',
  'packet_length conflict': ORDER,
  'password incorrect': 'Das Passwort ist falsch.',
  'payment_method_id not_available': 'Diese Zahlungsart wird nicht mehr angeboten.',
  'payment_method_id required': 'Laden Sie einmal auf und lassen Sie die Zahlungsart dabei speichern.',
  'plan not_allowed': 'Dieser Tarif wird nicht stundenweise abgerechnet.',
  'ports conflict': 'Dieses Protokoll hat keine Ports.',
  'ports invalid_format': 'Geben Sie einen Port an, etwa 443, oder einen Bereich, etwa 1024-5000.',
  'protocol conflict': FAMILY,
  'provider not_found': 'Diese Zahlungsart wird nicht angeboten.',
  'public_key invalid_format':
    'Geben Sie genau einen öffentlichen Schlüssel im OpenSSH-Format an: Typ, Base64, Kommentar.',
  'public_key not_allowed': 'Das ist ein privater Schlüssel. Geben Sie nur den öffentlichen an.',
  'public_key not_supported': 'Dieser Schlüsseltyp wird nicht unterstützt.',
  'public_key too_weak': 'Dieser Schlüssel ist zu schwach. RSA-Schlüssel brauchen mindestens 2048 Bit.',
  'response in_use': 'Dieser Passkey ist bereits gespeichert.',
  'response incorrect': 'Der Passkey wurde nicht anerkannt. Versuchen Sie es noch einmal.',
  'scopes not_allowed': 'Ihre Rolle umfasst dieses Recht nicht.',
  'service_networks invalid_format': NETWORK,
  'source conflict': FAMILY,
  'source invalid_format': NETWORK,
  'source_ports conflict': 'Nur TCP und UDP haben Ports.',
  'step too_many': 'Wählen Sie einen kürzeren Zeitraum oder größere Abstände.',
  'template too_large': 'Dieses Image braucht eine größere Maschine.',
  'to conflict': ORDER,
  'user_data too_long': (limit) => `Höchstens ${limit} Byte in UTF-8 sind erlaubt.`,
  'vat_id invalid_format': 'Das ist keine USt-IdNr. dieses Landes.',
  'vat_id not_allowed': 'Nur Unternehmen haben eine USt-IdNr.',
};

/** German texts for errors. A missing code is a compile error. */
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
  vm_locked: 'An der Maschine läuft gerade ein anderer Auftrag.',
  invalid_state: 'Das ist im jetzigen Zustand nicht möglich.',
  vm_must_be_stopped: 'Die Maschine muss dafür ausgeschaltet sein oder neu gestartet werden dürfen.',
  vm_suspended: 'Die Maschine ist gesperrt, weil sie nicht bezahlt ist oder das Konto Geld schuldet.',
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
