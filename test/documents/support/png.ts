import { crc32, deflateSync } from 'node:zlib';

export interface PngOptions {
  /** Each pixel has an alpha value of 128. */
  transparent?: boolean;
  interlaced?: boolean;
  /** Size of the comment in bytes. */
  more?: number;
  damage?: (pixels: Buffer) => Buffer;
}

export function png(width: number, height: number, options: PngOptions = {}): Buffer {
  const { transparent = false, interlaced = false, more = 0, damage = (pixels) => pixels } = options;
  const row = Buffer.alloc(1 + (transparent ? 4 : 3) * width, transparent ? 128 : 0);
  row[0] = 0;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, transparent ? 6 : 2, 0, 0, interlaced ? 1 : 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('tEXt', Buffer.alloc(more)),
    chunk('IDAT', damage(deflateSync(Buffer.concat(Array.from({ length: height }, () => row))))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
