import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { readBody } from '../../../platform/peer/body.ts';
import { parseJson } from '../../../platform/peer/json.ts';
import { ComputeUnavailableError } from '../../driver.ts';
import { BARE_ENVIRONMENT, run } from './command.ts';

/**
 * The hardware that a guest sees, by names that mean the same in every later QEMU. A guest keeps the hardware it was
 * created with, so that an upgrade of QEMU changes nothing for it.
 */
export interface Hardware {
  /** For example "pc-q35-7.2". */
  machine: string;
  /** For example "EPYC-Milan-v2". */
  cpu: string;
  /** An absolute pointing device, so that a viewer's pointer is where the guest's is. */
  tablet: boolean;
}

/** The hardware for new guests, and how the host accesses their disks, which guests do not see. */
export interface Offer {
  hardware: Hardware;
  /** If absent, threads are used. */
  aio?: 'io_uring';
}

/**
 * Processor models, most capable first. A guest can move to any host that offers its model or a more capable one from
 * the same vendor. The names include versions, because the meaning of a bare model name depends on the QEMU version.
 */
const MODELS = {
  AuthenticAMD: [
    'EPYC-Genoa-v1',
    'EPYC-Milan-v2',
    'EPYC-Milan-v1',
    'EPYC-Rome-v2',
    'EPYC-v3',
    'Opteron_G3-v1',
  ],
  GenuineIntel: [
    'SapphireRapids-v1',
    'Icelake-Server-v5',
    'Cascadelake-Server-v4',
    'Skylake-Server-v4',
    'Broadwell-v4',
    'Haswell-v4',
    'IvyBridge-v2',
    'SandyBridge-v2',
    'Westmere-v2',
    'Nehalem-v2',
  ],
  /** Models that QEMU emulates itself, regardless of the host's vendor. */
  tcg: ['Westmere-v1', 'qemu64-v1'],
};
/** Every 64-bit processor has at least these features. */
const LEAST = 'qemu64-v1';
const QEMU = 'qemu-system-x86_64';
const ASK = ['qmp_capabilities', 'query-cpu-definitions', 'quit'];
const ASK_MS = 20_000;
/** About 300 models take 100 kB. */
const MAX_ANSWERS_BYTES = 4 * 1024 * 1024;

interface Model {
  name: string;
  'unavailable-features'?: string[];
}

/** Returns the most capable candidate that is missing no features. `cpuinfo` tells the vendor of the host's processor. */
export function chooseCpu(accelerator: 'kvm' | 'tcg', cpuinfo: string, models: Model[]): string {
  const maker = /^vendor_id\s*:\s*(\S+)/m.exec(cpuinfo)?.[1];
  const wanted =
    accelerator === 'tcg'
      ? MODELS.tcg
      : maker === 'AuthenticAMD' || maker === 'GenuineIntel'
        ? MODELS[maker]
        : [];
  const whole = new Set(
    models.filter((model) => model['unavailable-features']?.length === 0).map(({ name }) => name),
  );
  return wanted.find((name) => whole.has(name)) ?? LEAST;
}

const offers = new Map<string, Promise<Offer>>();

/**
 * Returns what this host and its QEMU offer new guests, determined once. Throws {@link ComputeUnavailableError} if that
 * fails.
 */
export function findOffer(accelerator: 'kvm' | 'tcg'): Promise<Offer> {
  const known = offers.get(accelerator) ?? find(accelerator);
  offers.set(accelerator, known);
  known.catch(() => offers.delete(accelerator));
  return known;
}

async function find(accelerator: 'kvm' | 'tcg'): Promise<Offer> {
  const machines = await run(QEMU, '-machine', 'help');
  const machine = /\(alias of (pc-q35-[\d.]+)\)/.exec(machines)?.[1];
  if (!machine) throw new ComputeUnavailableError(`${QEMU} does not support the machine type q35`);
  const [cpu, aio] = await Promise.all([findCpu(machine, accelerator), findAio()]);
  return { hardware: { machine, cpu, tablet: true }, ...(aio && { aio }) };
}

async function findCpu(machine: string, accelerator: 'kvm' | 'tcg'): Promise<string> {
  const cpuinfo = await readFile('/proc/cpuinfo', 'utf8');
  return askModels(machine, accelerator).then(
    (models) => chooseCpu(accelerator, cpuinfo, models),
    // If QEMU cannot list its models, guests still run on whatever there is.
    () => (accelerator === 'kvm' ? 'host' : LEAST),
  );
}

/** Returns the hardware of a guest from an earlier version: QEMU's newest machine and the host's processor. */
export function earlierHardware({ hardware: { machine } }: Offer, accelerator: 'kvm' | 'tcg'): Hardware {
  return { machine, cpu: accelerator === 'kvm' ? 'host' : 'max', tablet: false };
}

/** Returns the processor models that QEMU knows, each with the features missing on this host. */
async function askModels(machine: string, accelerator: string): Promise<Model[]> {
  const args = ['-machine', `${machine},accel=${accelerator}`, '-nodefaults', '-display', 'none', '-S'];
  const child = spawn(QEMU, [...args, '-qmp', 'stdio'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: BARE_ENVIRONMENT,
    timeout: ASK_MS,
    killSignal: 'SIGKILL',
  });
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.stdin.end(ASK.map((execute) => `${JSON.stringify({ execute })}\n`).join(''));
  const said = await readBody(child.stdout, QEMU, MAX_ANSWERS_BYTES);
  const answers = said.toString().split('\n').filter(Boolean);
  const models = answers.map((line) => Object(parseJson(line, QEMU)).return).find(Array.isArray);
  if (!models) throw new ComputeUnavailableError(`${QEMU} does not list the processors it supports`);
  return models;
}

/** Returns whether the kernel allows io_uring, which some hosts disable. Tried on a file that certainly exists. */
async function findAio(): Promise<Offer['aio']> {
  return run('qemu-io', '-r', '-f', 'raw', '-i', 'io_uring', '-c', 'read 0 512', process.execPath).then(
    () => 'io_uring',
    () => undefined,
  );
}
