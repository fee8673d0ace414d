import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type GraphicsScreen, Screens } from '../../server/compute/incus/screens/screens.ts';
import { Monitor } from '../../server/compute/qemu/process/qmp.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { defer } from '../support/cleanup.ts';

const POLL_MS = 20;
const TEXT_MEMORY = { val: 0xb8000, size: 80 * 25 * 2 };
/**
 * Boot code that echoes each typed key; G switches to 1024 by 768 pixels of 32 bits, which is mode number 4144 with a
 * linear framebuffer.
 */
const ECHO = Buffer.from('30e4cd163c477409bb0700b40ecd10ebefb8024fbb4441cd10ebe5', 'hex');

/** A real QEMU without KVM, with its screen on a SPICE server like Incus, and QEMU's own view of its state. */
export interface Machine {
  spice: string;
  /** Returns QEMU's own screen, pixel by pixel. */
  dump(): Promise<{ width: number; height: number; pixels: Uint32Array }>;
  /** Returns the memory of its text screen. */
  text(): Promise<string>;
  /** Returns the events that reached its keyboard and mouse. */
  events(): Promise<string>;
  /** Polls until the condition holds. */
  until(holds: () => Promise<boolean>): Promise<void>;
}

/** Starts a machine that echoes typed keys once it has booted. */
export async function startMachine(t: TestContext, ...more: string[]): Promise<Machine> {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-spice-'));
  defer(t, () => rm(directory, { recursive: true }));
  const at = (name: string) => join(directory, name);
  const sector = Buffer.alloc(512);
  ECHO.copy(sector);
  sector.writeUInt16BE(0x55aa, 510);
  await writeFile(at('disk'), sector);
  const options = [
    ...['-accel', 'tcg', '-m', '32', '-nodefaults', '-no-user-config', '-nographic', '-device', 'virtio-vga'],
    ...['-drive', `file=${at('disk')},format=raw,if=ide`, '-qmp', `unix:${at('qmp')},server=on,wait=off`],
    ...['-spice', `unix=on,disable-ticketing=on,addr=${at('spice')}`],
    ...['-trace', 'input_event_*', '-D', at('trace'), ...more],
  ];
  const qemu = spawn('qemu-system-x86_64', options, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(qemu, 'exit');
  defer(t, async () => {
    qemu.kill('SIGKILL');
    await ended;
  });
  const monitor = await untilConnected(at('qmp'));
  defer(t, () => monitor.close());
  let dumps = 0;
  const machine: Machine = {
    spice: at('spice'),
    async dump() {
      const file = at(`dump-${++dumps}`);
      await monitor.execute('screendump', { filename: file });
      return pixelsOf(await readFile(file));
    },
    async text() {
      await monitor.execute('pmemsave', { ...TEXT_MEMORY, filename: at('text') });
      const cells = await readFile(at('text'));
      return String.fromCharCode(...cells.filter((_, index) => index % 2 === 0));
    },
    events: () => readFile(at('trace'), 'utf8'),
    async until(holds) {
      while (!(await holds())) await sleep(POLL_MS);
    },
  };
  await machine.until(async () => /Booting from Hard Disk/.test(await machine.text()));
  // The screen shows the memory's content a moment later, at the size of text mode.
  await machine.until(async () => (await machine.dump()).width === 720);
  return machine;
}

/**
 * Opens a machine's graphical screen in a separate thread, as for guests; `refused` has the reason once it has ended.
 */
export function openScreen(t: TestContext, { spice }: Pick<Machine, 'spice'>) {
  const screens = new Screens({ warn: () => {} });
  defer(t, () => screens.close());
  const refused = Promise.withResolvers<string>();
  const screen = screens.openGraphics('vm_1', refused.resolve);
  return { screen, attached: attach(screen, spice), refused: refused.promise };
}

/** Connects a screen to a SPICE server; `ends` resolves when the connections have ended. */
export function attach(screen: GraphicsScreen, path: string): { ends: Promise<unknown> } {
  const ends = Object.values(screen.attach()).map((stream) => {
    const socket = connect(path);
    return new Promise<void>((resolve) => pipeline(socket, stream, socket, () => resolve()));
  });
  return { ends: Promise.all(ends) };
}

async function untilConnected(path: string): Promise<Monitor> {
  for (;;) {
    const monitor = await Monitor.connect(path, systemClock, () => {}).catch(() => undefined);
    if (monitor) return monitor;
    await sleep(POLL_MS);
  }
}

/** Reads a portable pixmap as QEMU writes it. */
function pixelsOf(file: Buffer) {
  const [head, sizes] = /^P6\s(\d+ \d+)\s255\s/.exec(file.subarray(0, 40).toString('latin1'))!;
  const [width, height] = sizes!.split(' ').map(Number) as [number, number];
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at++) pixels[at] = file.readUIntBE(head.length + at * 3, 3);
  return { width, height, pixels };
}
