import { CTRL_C, CTRL_D } from './keys.ts';
import type { Terminal } from './terminal.ts';

interface Options {
  echo?: boolean;
  history?: string[];
  signal?: AbortSignal;
}

/** A longer typed line is cut, as on Linux. */
const MAX_LINE = 4095;

/** The line being typed, and the position of the cursor in it. */
class Line {
  text = '';
  at = 0;

  replace(text: string): void {
    this.text = text;
    this.at = text.length;
  }

  insert(key: string): void {
    if (this.text.length + key.length > MAX_LINE) return;
    this.text = this.text.slice(0, this.at) + key + this.text.slice(this.at);
    this.at += key.length;
  }

  cut(from: number, to: number): void {
    const start = Math.max(0, from);
    this.text = this.text.slice(0, start) + this.text.slice(to);
    this.at = start;
  }

  move(by: number): void {
    this.at = Math.min(Math.max(0, this.at + by), this.text.length);
  }

  wordStart(): number {
    const before = this.text.slice(0, this.at).trimEnd();
    return before.length - before.split(/\s/).at(-1)!.length;
  }
}

/** Editing actions, by the characters that a terminal sends for a key. */
const EDITS: Record<string, (line: Line) => void> = {
  '\x01': (line) => line.move(-line.text.length),
  '\x05': (line) => line.move(line.text.length),
  '\x02': (line) => line.move(-1),
  '\x06': (line) => line.move(1),
  '\x7f': (line) => line.cut(line.at - 1, line.at),
  '\b': (line) => line.cut(line.at - 1, line.at),
  '\x0b': (line) => line.cut(line.at, line.text.length),
  '\x15': (line) => line.cut(0, line.at),
  '\x17': (line) => line.cut(line.wordStart(), line.at),
  '\x1b[C': (line) => line.move(1),
  '\x1b[D': (line) => line.move(-1),
  '\x1b[H': (line) => line.move(-line.text.length),
  '\x1b[F': (line) => line.move(line.text.length),
  '\x1b[1~': (line) => line.move(-line.text.length),
  '\x1b[4~': (line) => line.move(line.text.length),
  '\x1b[3~': (line) => line.cut(line.at, line.at + 1),
};

/**
 * Returns output that redraws `text` after its first `common` characters, with the cursor initially at `from` and
 * finally at `to`.
 */
function redraw(from: number, text: string, common: number, to: number): string {
  const back = from > common ? '\b'.repeat(from - common) : '';
  return `${back}${text.slice(common)}\x1b[K${'\b'.repeat(text.length - to)}`;
}

/** Lets the user type and edit a line, and returns it; undefined at the end of input or when `signal` aborts. */
export async function editLine(
  terminal: Terminal,
  prompt: string,
  options: Options,
): Promise<string | undefined> {
  const { echo = true, history = [], signal } = options;
  const line = new Line();
  let back = 0;
  const show = (text: string) => (echo ? terminal.print(text) : Promise.resolve());
  for (;;) {
    const key = await terminal.key(signal);
    if (key === undefined || (key === CTRL_D && line.text === '')) return undefined;
    if (key === '\r' || key === '\n') {
      await terminal.print('\n');
      return line.text;
    }
    if (key === CTRL_C) {
      await terminal.print('^C\n');
      return '';
    }
    if (key === '\x0c') {
      await show(`\x1b[2J\x1b[H${prompt}${line.text}${'\b'.repeat(line.text.length - line.at)}`);
      continue;
    }
    const before = { text: line.text, at: line.at };
    if (key === '\x1b[A' || key === '\x1b[B') {
      back = Math.min(Math.max(0, back + (key === '\x1b[A' ? 1 : -1)), history.length);
      line.replace(back === 0 ? '' : history.at(-back)!);
    } else if (EDITS[key]) EDITS[key](line);
    else if (key >= ' ' && !key.startsWith('\x1b')) line.insert(key);
    await show(changeOf(before, line));
  }
}

/**
 * Returns the output for the change from `before`: a character typed at the end is just printed; anything else redraws
 * the rest of the line.
 */
function changeOf(before: { text: string; at: number }, { text, at }: Line): string {
  if (text === before.text) {
    return at < before.at ? '\b'.repeat(before.at - at) : text.slice(before.at, at);
  }
  if (text.startsWith(before.text) && before.at === before.text.length && at === text.length) {
    return text.slice(before.at);
  }
  let common = 0;
  const most = Math.min(before.at, text.length);
  while (common < most && text[common] === before.text[common]) common++;
  return redraw(before.at, text, common, at);
}
