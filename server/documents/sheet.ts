import PDFDocument from 'pdfkit';
import { hasRightToLeft, runsOf } from './directions.ts';
import { BOLD, REGULAR } from './letters.ts';

type PdfDocument = InstanceType<typeof PDFDocument>;

export const MARGIN = 56;
/** Ratio of the distance of two lines to the size of their letters. */
const LEADING = 1.25;
/** Has a text shaped as a whole: without, the library shapes each word by itself and puts them from left to right. */
const WHOLE: { features: [] } = { features: [] };
/** The space that a logo has, in points. */
export const LOGO = { width: 180, height: 56 };

/** How letters look. */
export interface Letters {
  size: number;
  bold?: boolean;
  color?: string;
}

/** Where a text stands: `x` is the left edge of its column. */
export interface Column {
  x: number;
  width: number;
  align?: 'left' | 'right';
}

export interface SheetOptions {
  title: string;
  language: string;
  issuedAt: Date;
  /** Path of a font file for all letters, in place of ours. */
  font?: string | null;
}

/**
 * Pages of a document, filled from top to bottom. Lines are broken here and not by the library, so that a line of any script is
 * drawn as a whole.
 */
export class Sheet {
  readonly pdf: PdfDocument;
  readonly #fonts: { regular: string; bold: string };
  readonly width: number;
  bottom: number;
  y = MARGIN;
  /** How letters look at present; undefined on a new page, which begins without a colour. */
  #letters: Letters | undefined;
  /** Long documents say the same thousands of times: lines and widths by what they depend on. */
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
      // Page numbers are written once it is known how many pages there are.
      bufferPages: true,
      // The library writes these into the XML metadata as they are, so nothing may stand here that a customer chose.
      info: { Title: title, Creator: 'Vauban', Producer: 'Vauban', CreationDate: issuedAt },
    });
    this.width = this.pdf.page.width - 2 * MARGIN;
    this.bottom = this.pdf.page.height - MARGIN;
  }

  /** Leaves that much free at the foot of each page, in points. */
  keepFoot(height: number): void {
    this.bottom -= height;
  }

  /** Begins a page if `height` has no space on this one; true if it did. */
  makeSpace(height: number): boolean {
    if (this.y + height <= this.bottom) return false;
    this.pdf.addPage();
    this.#letters = undefined;
    this.y = MARGIN;
    return true;
  }

  /** Breaks a text into lines that fit into `width`; a word that does not is cut. */
  linesOf(text: string, width: number, letters: Letters): string[] {
    const key = `${letters.size} ${letters.bold} ${width} ${text}`;
    const known = this.#broken.get(key);
    if (known) return known;
    this.#choose(letters);
    const lines = text.split('\n').flatMap((paragraph) => this.#break(paragraph, width));
    this.#broken.set(key, lines);
    return lines;
  }

  /** The height of so many lines. */
  heightOf(lines: readonly string[], { size }: Letters): number {
    return lines.length * size * LEADING;
  }

  /** Draws lines below each other, beginning at `y`. */
  drawLines(lines: readonly string[], { x, width, align }: Column, y: number, letters: Letters): void {
    this.#choose(letters);
    for (const [index, line] of lines.entries()) {
      const left = align === 'right' ? x + width - this.#widthIn(line, letters) : x;
      this.#draw(line, MARGIN + left, y + index * letters.size * LEADING);
    }
  }

  /** Writes a text across the page, and moves on below it. */
  write(text: string, letters: Letters, column: Column = { x: 0, width: this.width }): void {
    const lines = this.linesOf(text, column.width, letters);
    for (const line of lines) {
      this.makeSpace(this.heightOf([line], letters));
      this.drawLines([line], column, this.y, letters);
      this.y += this.heightOf([line], letters);
    }
  }

  /** Goes back to a page, such as to number it. */
  turnTo(page: number): void {
    this.pdf.switchToPage(page);
    this.#letters = undefined;
  }

  /** Draws a PNG at the top left. */
  drawLogo(png: Uint8Array): void {
    this.pdf.image(Buffer.from(png), MARGIN, this.y, { fit: [LOGO.width, LOGO.height] });
  }

  /** Draws a line across the page. */
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
