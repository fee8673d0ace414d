import { join } from 'node:path';
import type { DiskSpeed } from '../../driver.ts';
import type { DirectBoot } from '../images/image.ts';
import type { Hardware, Offer } from './hardware.ts';

/** Everything that determines a QEMU process: a plain object, so that it can be checked and stored. */
export interface QemuSpec {
  /** The VM's id, also used as the process name. */
  id: string;
  uuid: string;
  /** The user that the guest runs as, if the helper starts it. */
  uid?: number;
  /** The guest's directory. Disk, seed, sockets, pid file and console log have fixed names in it. */
  directory: string;
  accelerator: 'kvm' | 'tcg';
  hardware: Hardware;
  /** I/O interface that the host uses for the disk. If absent, threads. */
  aio?: Offer['aio'];
  vcpu: number;
  ramMb: number;
  disk?: DiskSpeed;
  mac: string;
  /** The value of `-netdev`. */
  netdev: string;
  directBoot?: DirectBoot;
  /** CPUs of the host to run on, in the format of `taskset`; any if absent. */
  cpus?: string;
  /**
   * A file that backs the memory. If `shared`, the guest's writes go to the file; otherwise the file is only the
   * initial content.
   */
  memory?: { file: string; shared: boolean };
  /** Waits for incoming state instead of booting. */
  incoming?: boolean;
}

/** Names of the files in a guest's directory. */
export const FILES = {
  /** The driver's record of the guest. */
  record: 'guest.json',
  disk: 'disk.qcow2',
  seed: 'seed.iso',
  /** During a rebuild: the new disk and seed, and the previous ones. */
  nextDisk: 'next.qcow2',
  nextSeed: 'next.iso',
  formerDisk: 'former.qcow2',
  formerSeed: 'former.iso',
  pid: 'qemu.pid',
  /** QEMU's own output. */
  log: 'qemu.log',
  /** The guest's serial output, as far as the service has read it. */
  console: 'console.log',
  monitor: 'qmp.sock',
  /** A second monitor, for the host's network: each monitor serves one client at a time. */
  networkMonitor: 'net.sock',
  agent: 'agent.sock',
  vnc: 'vnc.sock',
  /** The initial memory of a clone that may not open its template's; deleted once the clone runs. */
  memory: 'memory',
} as const;

/** Size of `sun_path` in Linux, including the terminating zero. */
const MAX_SOCKET_PATH_BYTES = 108;
const LONGEST_SOCKET = FILES.agent;

/** QEMU's names for parts of a guest, used in monitor commands. */
export const DISK_NODE = 'disk';
export const DISK_DEVICE = 'disk0';
export const BALLOON_DEVICE = 'balloon0';
export const AGENT_CHANNEL = 'agent';
export const SERIAL_RING = 'serial';

/** Bytes of the latest serial output that QEMU keeps in memory; must be a power of two. Holds the log of a boot. */
export const SERIAL_RING_BYTES = 256 * 1024;

/** Throws if the paths of a guest's sockets in `directory` would be too long for the kernel. */
export function checkDirectory(directory: string): void {
  const bytes = Buffer.byteLength(join(directory, LONGEST_SOCKET)) + 1;
  if (bytes > MAX_SOCKET_PATH_BYTES) {
    const over = bytes - MAX_SOCKET_PATH_BYTES;
    throw new Error(`${directory} is ${over} bytes too long for Unix sockets in it: move the data directory`);
  }
}

/** In QEMU's options, a comma ends a value and a doubled comma stands for one. */
function escaped(value: string): string {
  return value.replaceAll(',', ',,');
}

/**
 * Returns the size of QEMU's cache of translated code for a guest without KVM. The default is 1 GB, of which small
 * guests use little.
 */
export const translationCacheMb = (ramMb: number) => (ramMb <= 512 ? 64 : 256);

function accelerator({ accelerator, ramMb, hardware: { cpu } }: QemuSpec): string[] {
  if (accelerator === 'kvm') return ['-accel', 'kvm', '-cpu', cpu];
  // Without KVM, the host's processor model cannot be passed on.
  return ['-accel', `tcg,tb-size=${translationCacheMb(ramMb)}`, '-cpu', cpu === 'host' ? 'max' : cpu];
}

/** Returns a character device that listens at a unix socket in the guest's directory; the service is the client. */
function socket(id: string, path: string): string[] {
  return ['-chardev', `socket,id=${id},path=${escaped(path)},server=on,wait=off`];
}

function disks({ directory, aio }: QemuSpec): string[] {
  const disk = {
    driver: 'qcow2',
    'node-name': DISK_NODE,
    // Needed on both layers, otherwise space that a guest frees never returns to the host.
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
    // A separate thread, so that the disk and the monitors, screens and network do not delay each other.
    ...['-object', 'iothread,id=io0'],
    ...['-device', `virtio-blk-pci,id=${DISK_DEVICE},drive=${DISK_NODE},iothread=io0,bootindex=1`],
    ...['-blockdev', JSON.stringify(seed)],
    ...['-device', 'virtio-blk-pci,id=seed0,drive=seed'],
  ];
}

function consoles({ directory }: QemuSpec): string[] {
  return [
    // Not a file: a guest can write forever, even while the service is down, and must neither fill the host's disk nor
    // be blocked.
    ...[
      '-chardev',
      `ringbuf,id=${SERIAL_RING},size=${SERIAL_RING_BYTES}`,
      '-serial',
      `chardev:${SERIAL_RING}`,
    ],
    ...['-device', 'VGA'],
    // A viewer that asks for exclusive access must not disconnect the others.
    ...['-display', 'none', '-vnc', `unix:${escaped(join(directory, FILES.vnc))},share=force-shared`],
  ];
}

function memory({ ramMb, memory: file, hardware: { machine } }: QemuSpec): string[] {
  if (!file) return ['-machine', machine, '-m', `${ramMb}`];
  const backend = `size=${ramMb}M,mem-path=${escaped(file.file)},share=${file.shared ? 'on' : 'off'}`;
  const object = ['-object', `memory-backend-file,id=ram0,${backend}`];
  return [...object, '-machine', `${machine},memory-backend=ram0`, '-m', `${ramMb}`];
}

/** Returns the arguments of `qemu-system-x86_64`. The same spec always gives the same arguments. */
export function qemuArguments(spec: QemuSpec): string[] {
  const { id, uuid, directory, vcpu, mac, netdev, directBoot: boot, incoming } = spec;
  checkDirectory(directory);
  return [
    ...['-name', escaped(id), '-uuid', uuid],
    ...['-nodefaults', '-no-user-config', ...memory(spec), ...accelerator(spec)],
    ...['-smp', `${vcpu}`, '-rtc', 'base=utc'],
    ...['-sandbox', 'on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny'],
    // A guest that powers off or panics keeps its process until the service has recorded that and ends it.
    ...['-no-shutdown', '-action', 'panic=pause', '-pidfile', join(directory, FILES.pid)],
    ...[...socket('qmp', join(directory, FILES.monitor)), '-mon', 'chardev=qmp,mode=control'],
    ...[...socket('net', join(directory, FILES.networkMonitor)), '-mon', 'chardev=net,mode=control'],
    ...(boot ? ['-kernel', boot.kernel, '-initrd', boot.initrd, '-append', boot.append] : []),
    ...disks(spec),
    ...['-netdev', netdev, '-device', `virtio-net-pci,id=nic0,netdev=net0,mac=${mac},romfile=`],
    ...['-object', 'rng-random,id=rng0,filename=/dev/urandom', '-device', 'virtio-rng-pci,rng=rng0'],
    // For statistics only: a guest whose memory was reclaimed with it lost its SSH server.
    ...['-device', `virtio-balloon-pci,id=${BALLOON_DEVICE}`],
    ...['-device', 'virtio-serial-pci', ...socket(AGENT_CHANNEL, join(directory, FILES.agent))],
    ...['-device', `virtserialport,id=agent0,chardev=${AGENT_CHANNEL},name=org.qemu.guest_agent.0`],
    ...['-device', 'pvpanic-pci'],
    // Tells the guest's kernel that other guests may continue from the same state.
    ...['-device', 'vmgenid,guid=auto'],
    ...(incoming ? ['-incoming', 'defer'] : []),
    ...consoles(spec),
    // Comes last, so that all other devices keep the same addresses as in guests without it.
    ...(spec.hardware.tablet ? ['-device', 'qemu-xhci,id=usb', '-device', 'usb-tablet,bus=usb.0'] : []),
  ];
}
