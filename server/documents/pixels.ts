import { inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Samples per pixel, by colour type. */
const SAMPLES: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** The highest type of row filter; they begin at 0. */
const LAST_FILTER = 4;

/**
 * Throws an error with the reason if the pixels of a PNG cannot be decoded. The library that draws it decodes
 * transparent PNGs later, in a callback of zlib, where an error ends the process.
 */
export function requirePixels(png: Buffer): void {
  if (!png.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new Error('it is not a PNG');
  const chunks = chunksOf(png);
  const head = chunks.find(({ type }) => type === 'IHDR')?.data;
  if (head?.length !== 13) throw new Error('its size is missing');
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const [bits, colors, interlacing] = [head[8]!, head[9]!, head[12]!];
  const samples = SAMPLES[colors];
  if (width === 0 || height === 0 || samples === undefined) throw new Error('it has no pixels');
  if (interlacing !== 0) throw new Error('it is interlaced');
  const row = 1 + Math.ceil((width * samples * bits) / 8);
  const parts = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data);
  const pixels = inflateSync(Buffer.concat(parts), { maxOutputLength: row * height });
  if (pixels.length !== row * height) throw new Error('some of its pixels are missing');
  for (let start = 0; start < pixels.length; start += row)
    if (pixels[start]! > LAST_FILTER) throw new Error('its pixels cannot be read');
}

function chunksOf(png: Buffer): { type: string; data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = [];
  for (let start = SIGNATURE.length; ; ) {
    if (start + 12 > png.length) throw new Error('the file is truncated');
    const data = start + 8;
    const end = data + png.readUInt32BE(start);
    if (end + 4 > png.length) throw new Error('the file is truncated');
    const type = png.toString('latin1', start + 4, data);
    if (type === 'IEND') return chunks;
    chunks.push({ type, data: png.subarray(data, end) });
    start = end + 4;
  }
}
