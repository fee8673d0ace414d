/** The texts of the console document, which does not load the panel's. */
const ENGLISH = {
  terminal: 'Terminal',
  screen: 'Screen',
  connecting: 'Connecting…',
  connected: 'Connected',
  closed: 'Closed',
  again: 'Connect again',
  keys: 'Send Ctrl+Alt+Del',
  paste: 'Paste',
  noMachine: ['No machine is named', 'Open the console from the machine’s page.'],
  signedOut: ['You are signed out', 'Sign in again in the panel, then connect.'],
  refused: 'The console was not opened',
  unreachable: ['No connection', 'The service cannot be reached at the moment.'],
  lost: ['The connection was lost', 'The network, or the service, went away.'],
  1000: ['The session has ended', 'The shell was left. Connecting again begins another one.'],
  1001: ['The service is restarting', 'It is back in a moment.'],
  4000: ['The session was closed', 'Nothing had happened for 15 minutes.'],
  4001: ['The machine is off', 'Start it, then connect again.'],
  4002: ['Access has ended', 'You were signed out, or may no longer open consoles of this machine.'],
  4003: ['The machine does not answer', 'It may still be starting.'],
  4004: ['The machine refused the login', 'It does not let this user in with the ops key.'],
  4005: [
    'The machine is not the same',
    'It shows another host key than before, so the service did not log in.',
  ],
  4006: ['Too many sessions', 'There are as many consoles open as there may be. Close one.'],
  4008: ['The connection was too slow', 'Nothing was taken for 30 seconds.'],
} as const;

type Value<Text> = Text extends string ? string : readonly [string, string];
export type Texts = { [Key in keyof typeof ENGLISH]: Value<(typeof ENGLISH)[Key]> };

const GERMAN: Texts = {
  terminal: 'Terminal',
  screen: 'Bildschirm',
  connecting: 'Verbindet…',
  connected: 'Verbunden',
  closed: 'Geschlossen',
  again: 'Neu verbinden',
  keys: 'Strg+Alt+Entf senden',
  paste: 'Einfügen',
  noMachine: ['Es ist keine Maschine genannt', 'Öffnen Sie die Konsole von der Seite der Maschine aus.'],
  signedOut: ['Sie sind abgemeldet', 'Melden Sie sich im Panel wieder an und verbinden Sie dann neu.'],
  refused: 'Die Konsole wurde nicht geöffnet',
  unreachable: ['Keine Verbindung', 'Der Dienst ist gerade nicht zu erreichen.'],
  lost: ['Die Verbindung ist abgebrochen', 'Das Netz oder der Dienst war weg.'],
  1000: ['Die Sitzung ist beendet', 'Die Shell wurde verlassen. Neu verbinden beginnt eine andere.'],
  1001: ['Der Dienst startet neu', 'Er ist gleich wieder da.'],
  4000: ['Die Sitzung wurde geschlossen', '15 Minuten lang ist nichts geschehen.'],
  4001: ['Die Maschine ist aus', 'Starten Sie sie und verbinden Sie dann neu.'],
  4002: ['Der Zugang ist beendet', 'Sie wurden abgemeldet oder dürfen hier keine Konsole mehr öffnen.'],
  4003: ['Die Maschine antwortet nicht', 'Vielleicht startet sie noch.'],
  4004: [
    'Die Maschine hat die Anmeldung abgelehnt',
    'Sie lässt diesen Benutzer mit dem Ops-Schlüssel nicht ein.',
  ],
  4005: [
    'Die Maschine ist nicht dieselbe',
    'Sie zeigt einen anderen Host-Schlüssel als zuvor; der Dienst hat sich nicht angemeldet.',
  ],
  4006: ['Zu viele Sitzungen', 'Es sind so viele Konsolen offen, wie es sein dürfen. Schließen Sie eine.'],
  4008: ['Die Verbindung war zu langsam', '30 Sekunden lang wurde nichts abgenommen.'],
};

export const textsOf = (language: string): Texts => (language === 'de' ? GERMAN : ENGLISH);
