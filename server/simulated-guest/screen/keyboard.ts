const SHIFTS = new Set([0xffe1, 0xffe2]);
const CONTROLS = new Set([0xffe3, 0xffe4]);

/** What a terminal sends for keys that are no characters, by their X11 keysym. */
const SPECIAL: Record<number, string> = {
  65288: '\x7f',
  65289: '\t',
  65293: '\r',
  65421: '\r',
  65307: '\x1b',
  65360: '\x1b[H',
  65361: '\x1b[D',
  65362: '\x1b[A',
  65363: '\x1b[C',
  65364: '\x1b[B',
  65365: '\x1b[5~',
  65366: '\x1b[6~',
  65367: '\x1b[F',
  65535: '\x1b[3~',
};

function characterOf(keysym: number): string {
  if ((keysym >= 0x20 && keysym <= 0x7e) || (keysym >= 0xa0 && keysym <= 0xff))
    return String.fromCharCode(keysym);
  // Beyond Latin-1 a keysym is the code point behind a mark.
  const code = keysym - 0x0100_0000;
  return code >= 0x100 && code <= 0x10_ffff ? String.fromCodePoint(code) : '';
}

/** A viewer's keyboard: key events in, what a terminal would send out. */
export class Keyboard {
  #control = false;
  #shift = false;

  /** What this event types; empty for most. */
  press(keysym: number, down: boolean): string {
    if (CONTROLS.has(keysym)) this.#control = down;
    if (SHIFTS.has(keysym)) this.#shift = down;
    if (!down) return '';
    const character = characterOf(keysym);
    if (this.#control && /^[@-_a-z]$/.test(character)) {
      return String.fromCharCode(character.toUpperCase().charCodeAt(0) & 0x1f);
    }
    // Most clients send the shifted character; some send the letter and leave it to the server.
    const typed = this.#shift && /^[a-z]$/.test(character) ? character.toUpperCase() : character;
    return typed || (SPECIAL[keysym] ?? '');
  }
}
