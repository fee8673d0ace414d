import PDFDocument from 'pdfkit';
import { hasRightToLeft, runsOf } from './directions.ts';
import { BOLD, REGULAR } from './letters.ts';

type PdfDocument = InstanceType<typeof PDFDocument>;

export const MARGIN = 56;
/** Ratio of line spacing to font size. */
const LEADING = 1.25;
/**
 * Makes the library shape a text as a whole. Otherwise it shapes each word separately and places the words from left to
 * right.
 */
const WHOLE: { features: [] } = { features: [] };
/** Space for a logo, in points. */
export const LOGO = { width: 180, height: 56 };

export interface Letters {
  size: number;
  bold?: boolean;
  color?: string;
}

/** Position of a text, in points: `x` is the left edge of its column. */
export interface Column {
  x: number;
  width: number;
  align?: 'left' | 'right';
}

export interface SheetOptions {
  title: string;
  language: string;
  issuedAt: Date;
  /** Path of a font file used for all letters instead of ours. */
  font?: string | null;
}

/**
 * The pages of a document, filled from top to bottom. Breaks lines itself instead of leaving that to the library, so
 * that a line in any script is drawn as a whole.
 */
export class Sheet {
  readonly pdf: PdfDocument;
  readonly #fonts: { regular: string; bold: string };
  readonly width: number;
  bottom: number;
  y = MARGIN;
  /** The current style; undefined on a new page, which begins without a colour. */
  #letters: Letters | undefined;
  /** Caches of lines and widths, because long documents repeat the same texts thousands of times. */
  readonly #broken = new Map<string, string[]>();
  readonly #widths = new Map<string, number>();

  constructor({ title, language, issuedAt, font }: SheetOptions) {
    this.#fonts = { regular: font ?? REGULAR, bold: font ?? BOLD };
    this.pdf = new PDFDocument({
      size: 'A4',
      margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: 0 },
      font: this.#fonts.regular,
      subset: 'PDF/A-3b',
      pdfVersion: '1.7',
      lang: language,
      // Page numbers are written once the number of pages is known.
      bufferPages: true,
      // The library writes these values into the XML metadata without escaping them, so no text chosen by a customer
      // may be used.
      info: { Title: title, Creator: 'Vauban', Producer: 'Vauban', CreationDate: issuedAt },
    });
    this.width = this.pdf.page.width - 2 * MARGIN;
    this.bottom = this.pdf.page.height - MARGIN;
  }

  /** Keeps this much space free at the bottom of each page, in points. */
  keepFoot(height: number): void {
    this.bottom -= height;
  }

  /** Begins a new page if `height` does not fit on this one; returns whether it did. */
  makeSpace(height: number): boolean {
    if (this.y + height <= this.bottom) return false;
    this.pdf.addPage();
    this.#letters = undefined;
    this.y = MARGIN;
    return true;
  }

  /** Breaks a text into lines that fit into `width`; a word that does not fit is cut. */
  linesOf(text: string, width: number, letters: Letters): string[] {
    const key = `${letters.size} ${letters.bold} ${width} ${text}`;
    const known = this.#broken.get(key);
    if (known) return known;
    this.#choose(letters);
    const lines = text.split('\n').flatMap((paragraph) => this.#break(paragraph, width));
    this.#broken.set(key, lines);
    return lines;
  }

  heightOf(lines: readonly string[], { size }: Letters): number {
    return lines.length * size * LEADING;
  }

  drawLines(lines: readonly string[], { x, width, align }: Column, y: number, letters: Letters): void {
    this.#choose(letters);
    for (const [index, line] of lines.entries()) {
      const left = align === 'right' ? x + width - this.#widthIn(line, letters) : x;
      this.#draw(line, MARGIN + left, y + index * letters.size * LEADING);
    }
  }

  /** Writes a text into a column, by default across the page, and moves on below it. */
  write(text: string, letters: Letters, column: Column = { x: 0, width: this.width }): void {
    const lines = this.linesOf(text, column.width, letters);
    for (const line of lines) {
      this.makeSpace(this.heightOf([line], letters));
      this.drawLines([line], column, this.y, letters);
      this.y += this.heightOf([line], letters);
    }
  }

  /** Returns to an earlier page, for example to number it. */
  turnTo(page: number): void {
    this.pdf.switchToPage(page);
    this.#letters = undefined;
  }

  /** Draws a PNG at the left margin. */
  drawLogo(png: Uint8Array): void {
    this.pdf.image(Buffer.from(png), MARGIN, this.y, { fit: [LOGO.width, LOGO.height] });
  }

  rule(color: string): void {
    const { pdf } = this;
    const right = MARGIN + this.width;
    pdf.moveTo(MARGIN, this.y).lineTo(right, this.y).lineWidth(0.5).strokeColor(color).stroke();
  }

  #choose(letters: Letters): void {
    if (this.#letters === letters) return;
    this.#letters = letters;
    const { size, bold = false, color = '#000000' } = letters;
    this.pdf
      .font(bold ? this.#fonts.bold : this.#fonts.regular)
      .fontSize(size)
      .fillColor(color);
  }

  #draw(line: string, x: number, y: number): void {
    if (!hasRightToLeft(line)) {
      this.pdf.text(line, x, y, { lineBreak: false });
      return;
    }
    let left = x;
    for (const { text } of runsOf(line)) {
      this.pdf.text(text, left, y, { lineBreak: false, ...WHOLE });
      left += this.pdf.widthOfString(text, WHOLE);
    }
  }

  #widthOf(line: string): number {
    if (!hasRightToLeft(line)) return this.pdf.widthOfString(line);
    return runsOf(line).reduce((width, { text }) => width + this.pdf.widthOfString(text, WHOLE), 0);
  }

  #widthIn(line: string, { size, bold }: Letters): number {
    const key = `${size} ${bold} ${line}`;
    const width = this.#widths.get(key) ?? this.#widthOf(line);
    this.#widths.set(key, width);
    return width;
  }

  #break(paragraph: string, width: number): string[] {
    if (this.#widthOf(paragraph) <= width) return [paragraph];
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (this.#widthOf(longer) <= width) {
        line = longer;
        continue;
      }
      if (line !== '') lines.push(line);
      const parts = this.#cut(word, width);
      line = parts.pop()!;
      lines.push(...parts);
    }
    return [...lines, line];
  }

  #cut(word: string, width: number): string[] {
    const parts: string[] = [];
    let part = '';
    for (const letter of word) {
      if (part !== '' && this.#widthOf(part + letter) > width) {
        parts.push(part);
        part = '';
      }
      part += letter;
    }
    return [...parts, part];
  }
}
