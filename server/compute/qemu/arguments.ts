import { join } from 'node:path';
import type { DiskSpeed } from '../driver.ts';
import type { Hardware, Offer } from './hardware.ts';
import type { DirectBoot } from './image.ts';

/** Everything that decides a QEMU process: a plain object, so that it can be checked and stored. */
export interface QemuSpec {
  /** The VM's id, and the process's name. */
  id: string;
  uuid: string;
  /** The user that it runs as, where the helper starts it. */
  uid?: number;
  /** The guest's directory: disk, seed, sockets, pid file and console log have fixed names in it. */
  directory: string;
  accelerator: 'kvm' | 'tcg';
  hardware: Hardware;
  /** How the host serves its disk; absent: by threads. */
  aio?: Offer['aio'];
  vcpu: number;
  ramMb: number;
  /** How quickly it may use its disk. */
  disk?: DiskSpeed;
  mac: string;
  /** The value of `-netdev`. */
  netdev: string;
  directBoot?: DirectBoot;
  /** CPUs of the host that it runs on, as `taskset` takes them; anywhere when absent. */
  cpus?: string;
  /** A file that is the memory: shared, what the guest writes is written to it; else it is only what it begins with. */
  memory?: { file: string; shared: boolean };
  /** Waits for its state instead of booting. */
  incoming?: boolean;
}

/** What is in a guest's directory, by name. */
export const FILES = {
  /** What the driver remembers of the guest. */
  record: 'guest.json',
  disk: 'disk.qcow2',
  seed: 'seed.iso',
  /** Of a rebuild: what takes their places, and what has had them. */
  nextDisk: 'next.qcow2',
  nextSeed: 'next.iso',
  formerDisk: 'former.qcow2',
  formerSeed: 'former.iso',
  pid: 'qemu.pid',
  /** What QEMU itself had to say. */
  log: 'qemu.log',
  /** What the guest wrote to its serial port, as far as the service has read it. */
  console: 'console.log',
  monitor: 'qmp.sock',
  /** A second monitor, of the host's network: a monitor serves one client at a time. */
  networkMonitor: 'net.sock',
  agent: 'agent.sock',
  vnc: 'vnc.sock',
  /** What a clone's memory begins with, where it may not open its template's; gone once it is awake. */
  memory: 'memory',
} as const;

/** Of `sun_path` in Linux, its closing zero included. */
const MAX_SOCKET_PATH_BYTES = 108;
const LONGEST_SOCKET = FILES.agent;

/** QEMU's names for parts of a guest, as its monitor is asked for them. */
export const DISK_NODE = 'disk';
export const DISK_DEVICE = 'disk0';
export const BALLOON_DEVICE = 'balloon0';
export const AGENT_CHANNEL = 'agent';
export const SERIAL_RING = 'serial';

/** Of the latest that the guest wrote to its serial port, in QEMU's memory; a power of two. A boot's log fits. */
export const SERIAL_RING_BYTES = 256 * 1024;

/** Throws when the sockets of a guest in `directory` would have names that the kernel does not take. */
export function checkDirectory(directory: string): void {
  const bytes = Buffer.byteLength(join(directory, LONGEST_SOCKET)) + 1;
  if (bytes > MAX_SOCKET_PATH_BYTES) {
    const over = bytes - MAX_SOCKET_PATH_BYTES;
    throw new Error(`${directory} is ${over} bytes too long for unix sockets in it: move the data directory`);
  }
}

/** A comma ends a value in QEMU's options, a doubled one is a comma. */
function escaped(value: string): string {
  return value.replaceAll(',', ',,');
}

/** QEMU keeps translated code for a guest without KVM: 1 GB by default, of which small guests use little. */
export const translationCacheMb = (ramMb: number) => (ramMb <= 512 ? 64 : 256);

function accelerator({ accelerator, ramMb, hardware: { cpu } }: QemuSpec): string[] {
  if (accelerator === 'kvm') return ['-accel', 'kvm', '-cpu', cpu];
  // Without KVM there is no host's processor to pass on.
  return ['-accel', `tcg,tb-size=${translationCacheMb(ramMb)}`, '-cpu', cpu === 'host' ? 'max' : cpu];
}

/** A part that talks over a unix socket in the guest's directory, at which the service is the client. */
function socket(id: string, path: string): string[] {
  return ['-chardev', `socket,id=${id},path=${escaped(path)},server=on,wait=off`];
}

function disks({ directory, aio }: QemuSpec): string[] {
  const disk = {
    driver: 'qcow2',
    'node-name': DISK_NODE,
    // On both layers, or the space that a guest gives up never comes back to the host.
    discard: 'unmap',
    file: { driver: 'file', filename: join(directory, FILES.disk), discard: 'unmap', aio },
  };
  const seed = {
    driver: 'raw',
    'node-name': 'seed',
    'read-only': true,
    file: { driver: 'file', filename: join(directory, FILES.seed), 'read-only': true },
  };
  return [
    ...['-blockdev', JSON.stringify(disk)],
    // A thread of its own: the disk does not wait for monitors, screens and the network, nor they for it.
    ...['-object', 'iothread,id=io0'],
    ...['-device', `virtio-blk-pci,id=${DISK_DEVICE},drive=${DISK_NODE},iothread=io0,bootindex=1`],
    ...['-blockdev', JSON.stringify(seed)],
    ...['-device', 'virtio-blk-pci,id=seed0,drive=seed'],
  ];
}

function consoles({ directory }: QemuSpec): string[] {
  return [
    // Not a file: a guest writes for ever, also while the service is away, and must neither fill the host nor be held up.
    ...[
      '-chardev',
      `ringbuf,id=${SERIAL_RING},size=${SERIAL_RING_BYTES}`,
      '-serial',
      `chardev:${SERIAL_RING}`,
    ],
    ...['-device', 'VGA'],
    // A viewer that asks to be alone must not turn the others away.
    ...['-display', 'none', '-vnc', `unix:${escaped(join(directory, FILES.vnc))},share=force-shared`],
  ];
}

function memory({ ramMb, memory: file, hardware: { machine } }: QemuSpec): string[] {
  if (!file) return ['-machine', machine, '-m', `${ramMb}`];
  const backend = `size=${ramMb}M,mem-path=${escaped(file.file)},share=${file.shared ? 'on' : 'off'}`;
  const object = ['-object', `memory-backend-file,id=ram0,${backend}`];
  return [...object, '-machine', `${machine},memory-backend=ram0`, '-m', `${ramMb}`];
}

/** The arguments of `qemu-system-x86_64`; the same specification always has the same. */
export function qemuArguments(spec: QemuSpec): string[] {
  const { id, uuid, directory, vcpu, mac, netdev, directBoot: boot, incoming } = spec;
  checkDirectory(directory);
  return [
    ...['-name', escaped(id), '-uuid', uuid],
    ...['-nodefaults', '-no-user-config', ...memory(spec), ...accelerator(spec)],
    ...['-smp', `${vcpu}`, '-rtc', 'base=utc'],
    ...['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'],
    // A guest that powers off or panics stays to be looked at, until the service has taken note and ends it.
    ...['-no-shutdown', '-action', 'panic=pause', '-pidfile', join(directory, FILES.pid)],
    ...[...socket('qmp', join(directory, FILES.monitor)), '-mon', 'chardev=qmp,mode=control'],
    ...[...socket('net', join(directory, FILES.networkMonitor)), '-mon', 'chardev=net,mode=control'],
    ...(boot ? ['-kernel', boot.kernel, '-initrd', boot.initrd, '-append', boot.append] : []),
    ...disks(spec),
    ...['-netdev', netdev, '-device', `virtio-net-pci,id=nic0,netdev=net0,mac=${mac},romfile=`],
    ...['-object', 'rng-random,id=rng0,filename=/dev/urandom', '-device', 'virtio-rng-pci,rng=rng0'],
    // For statistics only: a guest whose memory was taken away by it lost its SSH server.
    ...['-device', `virtio-balloon-pci,id=${BALLOON_DEVICE}`],
    ...['-device', 'virtio-serial-pci', ...socket(AGENT_CHANNEL, join(directory, FILES.agent))],
    ...['-device', `virtserialport,id=agent0,chardev=${AGENT_CHANNEL},name=org.qemu.guest_agent.0`],
    ...['-device', 'pvpanic-pci'],
    // Tells a kernel that it goes on from a state that others go on from as well.
    ...['-device', 'vmgenid,guid=auto'],
    ...(incoming ? ['-incoming', 'defer'] : []),
    ...consoles(spec),
    // Last, so that all else has the place that it has in guests without.
    ...(spec.hardware.tablet ? ['-device', 'qemu-xhci,id=usb', '-device', 'usb-tablet,bus=usb.0'] : []),
  ];
}
