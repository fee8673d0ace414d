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
  noMachine: ['No machine selected', 'Open the console from the machine’s page.'],
  signedOut: ['You are signed out', 'Sign in again in the panel, then connect.'],
  refused: 'The console was not opened',
  unreachable: ['No connection', 'The service cannot be reached at the moment.'],
  lost: ['The connection was lost', 'The network or the service was interrupted.'],
  1000: ['The session has ended', 'The shell has exited. Connect again to start a new one.'],
  1001: ['The service is restarting', 'It will be back in a moment.'],
  4000: ['The session was closed', 'It was idle for 15 minutes.'],
  4001: ['The machine is off', 'Start it, then connect again.'],
  4002: ['Access has ended', 'You were signed out, or may no longer open consoles of this machine.'],
  4003: ['The machine does not answer', 'It may still be starting.'],
  4004: ['The machine refused the login', 'It does not accept the ops key for this user.'],
  4005: [
    'The host key has changed',
    'It is not the one that the machine had before, so the service did not log in.',
  ],
  4006: ['Too many sessions', 'The maximum number of open consoles is reached. Close one.'],
  4008: ['The connection was too slow', 'No data was read for 30 seconds.'],
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
  noMachine: ['Keine Maschine ausgewählt', 'Öffnen Sie die Konsole von der Seite der Maschine aus.'],
  signedOut: ['Sie sind abgemeldet', 'Melden Sie sich im Panel wieder an und verbinden Sie dann neu.'],
  refused: 'Die Konsole wurde nicht geöffnet',
  unreachable: ['Keine Verbindung', 'Der Dienst ist gerade nicht zu erreichen.'],
  lost: ['Die Verbindung ist abgebrochen', 'Das Netz oder der Dienst war unterbrochen.'],
  1000: ['Die Sitzung ist beendet', 'Die Shell wurde beendet. Verbinden Sie neu, um eine andere zu starten.'],
  1001: ['Der Dienst startet neu', 'Er ist gleich wieder da.'],
  4000: ['Die Sitzung wurde geschlossen', 'Sie war 15 Minuten lang inaktiv.'],
  4001: ['Die Maschine ist aus', 'Starten Sie sie und verbinden Sie dann neu.'],
  4002: ['Der Zugang ist beendet', 'Sie wurden abgemeldet oder dürfen hier keine Konsole mehr öffnen.'],
  4003: ['Die Maschine antwortet nicht', 'Vielleicht startet sie noch.'],
  4004: [
    'Die Maschine hat die Anmeldung abgelehnt',
    'Sie akzeptiert den Ops-Schlüssel für diesen Benutzer nicht.',
  ],
  4005: [
    'Der Host-Schlüssel hat sich geändert',
    'Es ist nicht der bisherige Schlüssel der Maschine; der Dienst hat sich nicht angemeldet.',
  ],
  4006: ['Zu viele Sitzungen', 'Die Höchstzahl offener Konsolen ist erreicht. Schließen Sie eine.'],
  4008: ['Die Verbindung war zu langsam', '30 Sekunden lang wurden keine Daten gelesen.'],
};

export const textsOf = (language: string): Texts => (language === 'de' ? GERMAN : ENGLISH);
