/** A key of a PC's keyboard, by its code of set 1. */
export interface ScanCode {
  code: number;
  isExtended: boolean;
}

/** What a keysym needs: a key, and where it is a character, with Shift or without. */
export interface Stroke extends ScanCode {
  /** Undefined for a key that is the same with Shift and without. */
  isShifted?: boolean;
}

/** Rows of an American keyboard from a key on, without Shift and with it. */
const ROWS: [first: number, plain: string, shifted: string][] = [
  [0x02, '1234567890-=', '!@#$%^&*()_+'],
  [0x10, 'qwertyuiop[]', 'QWERTYUIOP{}'],
  [0x1e, "asdfghjkl;'`", 'ASDFGHJKL:"~'],
  [0x2b, '\\zxcvbnm,./', '|ZXCVBNM<>?'],
];

/** Other keys by their X11 keysym; E0 before it is in the higher byte. */
const KEYS: Record<number, number> = {
  32: 0x39,
  // Backspace, Tab, Return, Pause as Scroll Lock's neighbour has no code of its own, Scroll Lock, Print, Escape.
  65288: 0x0e,
  65289: 0x0f,
  65056: 0x0f,
  65293: 0x1c,
  65300: 0x46,
  65377: 0xe037,
  65307: 0x01,
  // Home, the arrows, the pages, End, Insert, Delete.
  65360: 0xe047,
  65361: 0xe04b,
  65362: 0xe048,
  65363: 0xe04d,
  65364: 0xe050,
  65365: 0xe049,
  65366: 0xe051,
  65367: 0xe04f,
  65379: 0xe052,
  65535: 0xe053,
  // Shift, Control, Caps Lock, Meta, Alt, the keys with a logo, Menu, AltGr.
  65505: 0x2a,
  65506: 0x36,
  65507: 0x1d,
  65508: 0xe01d,
  65509: 0x3a,
  65511: 0x38,
  65512: 0xe038,
  65513: 0x38,
  65514: 0xe038,
  65027: 0xe038,
  65406: 0xe038,
  65515: 0xe05b,
  65516: 0xe05c,
  65383: 0xe05d,
  // The keypad: Num Lock, Enter, its marks, and its keys without Num Lock from Home on.
  65407: 0x45,
  65421: 0xe01c,
  65450: 0x37,
  65451: 0x4e,
  65452: 0x53,
  65453: 0x4a,
  65454: 0x53,
  65455: 0xe035,
  65429: 0x47,
  65430: 0x4b,
  65431: 0x48,
  65432: 0x4d,
  65433: 0x50,
  65434: 0x49,
  65435: 0x51,
  65436: 0x4f,
  65437: 0x4c,
  65438: 0x52,
  65439: 0x53,
};
// The keypad's digits, which need Num Lock, and the function keys.
for (const [digit, code] of [0x52, 0x4f, 0x50, 0x51, 0x4b, 0x4c, 0x4d, 0x47, 0x48, 0x49].entries())
  KEYS[0xffb0 + digit] = code;
for (let at = 0; at < 12; at++) KEYS[0xffbe + at] = at < 10 ? 0x3b + at : 0x57 + at - 10;

const STROKES = new Map<number, Stroke>();
for (const [keysym, code] of Object.entries(KEYS))
  STROKES.set(Number(keysym), { code: code & 0xff, isExtended: code > 0xff });
for (const [first, plain, shifted] of ROWS) {
  for (const [isShifted, row] of [plain, shifted].entries()) {
    for (const [at, character] of [...row].entries())
      STROKES.set(character.charCodeAt(0), {
        code: first + at,
        isExtended: false,
        isShifted: isShifted === 1,
      });
  }
}

/** How a key of a viewer is typed on an American keyboard; undefined for one that such a keyboard lacks. */
export function strokeOf(keysym: number): Stroke | undefined {
  return STROKES.get(keysym);
}
