import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { readBody } from '../../platform/peer/body.ts';
import { parseJson } from '../../platform/peer/json.ts';
import { ComputeUnavailableError } from '../driver.ts';
import { BARE_ENVIRONMENT, run } from './command.ts';

/**
 * The hardware that a guest sees, by names that mean the same in every later QEMU: what a guest was made with stays, so
 * that an upgrade of QEMU changes no guest.
 */
export interface Hardware {
  /** Such as "pc-q35-7.2". */
  machine: string;
  /** Such as "EPYC-Milan-v2". */
  cpu: string;
  /** A pointer that says where it is, so that a viewer's is where the guest's is. */
  tablet: boolean;
}

/** What a guest sees, and how the host serves its disk, which the guest does not see. */
export interface Offer {
  hardware: Hardware;
  /** Absent: by threads. */
  aio?: 'io_uring';
}

/**
 * Models of processors, the ablest first. What a guest was made with goes on to any host with that model or an abler one
 * of the same maker; versions are named, because a model's name alone means another in another QEMU.
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
  /** What QEMU itself can be, of any maker. */
  tcg: ['Westmere-v1', 'qemu64-v1'],
};
/** Every 64-bit processor is at least this. */
const LEAST = 'qemu64-v1';
const QEMU = 'qemu-system-x86_64';
const ASK = ['qmp_capabilities', 'query-cpu-definitions', 'quit'];
const ASK_MS = 20_000;
/** Some 300 models are 100 kB. */
const MAX_ANSWERS_BYTES = 4 * 1024 * 1024;

interface Model {
  name: string;
  'unavailable-features'?: string[];
}

/** The ablest of the models in question that lacks nothing; `cpuinfo` says whose processor the host has. */
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

/** What new guests are offered by this host and its QEMU; found out once. {@link ComputeUnavailableError} where it cannot be. */
export function findOffer(accelerator: 'kvm' | 'tcg'): Promise<Offer> {
  const known = offers.get(accelerator) ?? find(accelerator);
  offers.set(accelerator, known);
  known.catch(() => offers.delete(accelerator));
  return known;
}

async function find(accelerator: 'kvm' | 'tcg'): Promise<Offer> {
  const machines = await run(QEMU, '-machine', 'help');
  const machine = /\(alias of (pc-q35-[\d.]+)\)/.exec(machines)?.[1];
  if (!machine) throw new ComputeUnavailableError(`${QEMU} has no machine of the kind q35`);
  const [cpu, aio] = await Promise.all([findCpu(machine, accelerator), findAio()]);
  return { hardware: { machine, cpu, tablet: true }, ...(aio && { aio }) };
}

async function findCpu(machine: string, accelerator: 'kvm' | 'tcg'): Promise<string> {
  const cpuinfo = await readFile('/proc/cpuinfo', 'utf8');
  return askModels(machine, accelerator).then(
    (models) => chooseCpu(accelerator, cpuinfo, models),
    // A QEMU that does not say: guests run all the same, on whatever there is.
    () => (accelerator === 'kvm' ? 'host' : LEAST),
  );
}

/** What a guest of an earlier version has run with: whatever QEMU's newest machine and the host's processor were. */
export function earlierHardware({ hardware: { machine } }: Offer, accelerator: 'kvm' | 'tcg'): Hardware {
  return { machine, cpu: accelerator === 'kvm' ? 'host' : 'max', tablet: false };
}

/** The models of processors that QEMU knows, each with what it lacks here. */
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
  if (!models) throw new ComputeUnavailableError(`${QEMU} does not say which processors it knows`);
  return models;
}

/** Whether the kernel takes io_uring, which some hosts forbid: tried on a file that is there for certain. */
async function findAio(): Promise<Offer['aio']> {
  return run('qemu-io', '-r', '-f', 'raw', '-i', 'io_uring', '-c', 'read 0 512', process.execPath).then(
    () => 'io_uring',
    () => undefined,
  );
}
