const SHIFTS = new Set([0xffe1, 0xffe2]);
const CONTROLS = new Set([0xffe3, 0xffe4]);
/** Alt and Meta, left and right. AltGr is a different key, and clients send the character that it produces. */
const ALTS = new Set([0xffe7, 0xffe8, 0xffe9, 0xffea]);
const DELETE = 65535;

/** A terminal's sequences for keys that are not characters, by their X11 keysym. */
const SPECIAL: Record<number, string> = {
  65056: '\x1b[Z',
  65288: '\x7f',
  65289: '\t',
  65293: '\r',
  65307: '\x1b',
  65360: '\x1b[H',
  65361: '\x1b[D',
  65362: '\x1b[A',
  65363: '\x1b[C',
  65364: '\x1b[B',
  65365: '\x1b[5~',
  65366: '\x1b[6~',
  65367: '\x1b[F',
  65379: '\x1b[2~',
  [DELETE]: '\x1b[3~',
};
for (const [at, end] of ['OP', 'OQ', 'OR', 'OS', '[15~', '[17~', '[18~', '[19~', '[20~'].entries())
  SPECIAL[0xffbe + at] = `\x1b${end}`;
for (const [at, end] of ['[21~', '[23~', '[24~'].entries()) SPECIAL[0xffc7 + at] = `\x1b${end}`;

/** Keypad keys that duplicate others, from the keypad's Home to its Delete. */
const KEYPAD = [65360, 65361, 65362, 65363, 65364, 65365, 65366, 65367, 0, 65379, DELETE];
const KEYPAD_HOME = 0xff95;
const KEYPAD_ENTER = 0xff8d;
/**
 * The keypad's keys from its asterisk to its 9, and its equals sign: the low seven bits of the keysym are the
 * character.
 */
const isKeypadCharacter = (keysym: number) => (keysym >= 0xffaa && keysym <= 0xffb9) || keysym === 0xffbd;

/** Returns the equivalent of a keypad key; any other key is returned unchanged. */
function withoutKeypad(keysym: number): number {
  if (keysym === KEYPAD_ENTER) return 65293;
  if (isKeypadCharacter(keysym)) return keysym & 0x7f;
  return KEYPAD[keysym - KEYPAD_HOME] || keysym;
}

function characterOf(keysym: number): string {
  if ((keysym >= 0x20 && keysym <= 0x7e) || (keysym >= 0xa0 && keysym <= 0xff))
    return String.fromCharCode(keysym);
  // Beyond Latin-1, a keysym is the code point plus 0x01000000.
  const code = keysym - 0x0100_0000;
  return code >= 0x100 && code <= 0x10_ffff ? String.fromCodePoint(code) : '';
}

/** Modes that the running program has set in its terminal. */
export interface KeyboardMode {
  /** Arrows, Home and End start with `ESC O`, as applications may request. */
  applicationCursorKeys: boolean;
}

/** A viewer's keyboard: converts key events to what a terminal would send. */
export class Keyboard {
  #control = false;
  #shift = false;
  #alt = false;

  /** Returns what this event types; empty for most events. */
  press(pressed: number, down: boolean, { applicationCursorKeys }: KeyboardMode): string {
    if (CONTROLS.has(pressed)) this.#control = down;
    if (SHIFTS.has(pressed)) this.#shift = down;
    if (ALTS.has(pressed)) this.#alt = down;
    if (!down) return '';
    const keysym = withoutKeypad(pressed);
    // Ctrl+Alt+Delete sends nothing, because a terminal cannot restart the machine.
    if (keysym === DELETE && this.#control && this.#alt) return '';
    const typed = this.#typed(characterOf(keysym)) || this.#special(keysym, applicationCursorKeys);
    return typed && this.#alt ? `\x1b${typed}` : typed;
  }

  #typed(character: string): string {
    if (this.#control && character === ' ') return '\0';
    if (this.#control && /^[@-_a-z]$/.test(character))
      return String.fromCharCode(character.toUpperCase().charCodeAt(0) & 0x1f);
    // Most clients send the shifted character; some send the letter and leave it to the server.
    return this.#shift && /^[a-z]$/.test(character) ? character.toUpperCase() : character;
  }

  #special(keysym: number, applicationCursorKeys: boolean): string {
    const special = SPECIAL[keysym] ?? '';
    const isCursorKey = /^.\[[A-DFH]$/.test(special);
    return applicationCursorKeys && isCursorKey ? `\x1bO${special.at(-1)}` : special;
  }
}
