/** The part of the library that is used here; it comes without types. */
declare module 'fontkit' {
  export interface Font {
    hasGlyphForCodePoint(codePoint: number): boolean;
  }
  /** Throws if the file is no font. */
  export function create(file: Buffer): Font | { fonts: Font[] };
}
