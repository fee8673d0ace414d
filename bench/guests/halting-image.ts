// A machine that costs next to nothing: it prints one line to its serial port and halts for good. A host can run
// hundreds.
import { writeFileSync } from 'node:fs';
import type { Variants } from '../../test/qemu/support/offer.ts';

/** The address at which the BIOS loads a boot sector. */
const ORIGIN = 0x7c00;
const SECTOR_BYTES = 512;
const DISK_BYTES = 2 ** 20;
const LINE = 'halting\r\n';

/** 16-bit code that prints the text that follows it. */
const CODE = [
  0xfa, // cli
  ...[0x31, 0xc0], // xor ax, ax
  ...[0x8e, 0xd8], // mov ds, ax
  ...[0xbe, 0x00, 0x00], // mov si, LINE
  ...[0xba, 0xf8, 0x03], // mov dx, 0x3f8: the serial port
  0xac, // next: lodsb
  ...[0x84, 0xc0], // test al, al
  ...[0x74, 0x03], // jz halt
  0xee, // out dx, al
  ...[0xeb, 0xf8], // jmp next
  0xf4, // halt: hlt
  ...[0xeb, 0xfd], // jmp halt
];
/** Position in the code of the line's address. */
const ADDRESS_AT = 6;

/** Returns the template `halting`, whose disk is written to `path`. */
export function haltingTemplate(path: string): Variants {
  const disk = Buffer.alloc(DISK_BYTES);
  disk.set(CODE);
  disk.writeUInt16LE(ORIGIN + CODE.length, ADDRESS_AT);
  disk.write(`${LINE}\0`, CODE.length, 'latin1');
  disk.writeUInt16BE(0x55aa, SECTOR_BYTES - 2);
  writeFileSync(path, disk);
  const changed = { disk: path, sha256: undefined, directBoot: undefined, warm: undefined };
  return { halting: () => ({ ...changed, readiness: 'none' }) };
}
