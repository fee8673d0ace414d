/** The parts of the library that are used here; it comes without types. */
declare module 'fontkit' {
  export interface Font {
    hasGlyphForCodePoint(codePoint: number): boolean;
  }
  /** Throws if the file is not a font. */
  export function create(file: Buffer): Font | { fonts: Font[] };
}
