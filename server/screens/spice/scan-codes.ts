/** A key of a PC keyboard, by its code in set 1. */
export interface ScanCode {
  code: number;
  isExtended: boolean;
}

/** The key for a keysym and, for a character, whether it needs Shift. */
export interface Stroke extends ScanCode {
  /** Undefined for a key that is the same with and without Shift. */
  isShifted?: boolean;
}

/** Rows of an American keyboard starting at a key, without and with Shift. */
const ROWS: [first: number, plain: string, shifted: string][] = [
  [0x02, '1234567890-=', '!@#$%^&*()_+'],
  [0x10, 'qwertyuiop[]', 'QWERTYUIOP{}'],
  [0x1e, "asdfghjkl;'`", 'ASDFGHJKL:"~'],
  [0x2b, '\\zxcvbnm,./', '|ZXCVBNM<>?'],
];

/** Other keys by their X11 keysym; the prefix E0 is in the higher byte. */
const KEYS: Record<number, number> = {
  32: 0x39,
  // Backspace, Tab, Shift+Tab, Return, Scroll Lock, Print, Escape. Pause is missing, because it has no code of its
  // own.
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
  // Shift, Control, Caps Lock, Meta, Alt, AltGr, the logo keys, Menu.
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
  // The keypad: Num Lock, Enter, its operators, and its keys without Num Lock, starting at Home.
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

/** Returns how to type a viewer's key on an American keyboard; undefined if that has no such key. */
export function strokeOf(keysym: number): Stroke | undefined {
  return STROKES.get(keysym);
}
