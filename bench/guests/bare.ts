import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { RAM_MB, type RivalGuest, type RivalParts, unplug } from './baseline.ts';

const SCRIPT = join(import.meta.dirname, 'bare-guest.sh');

/** Runs the minimal script; returns a function that ends the guest. */
export function startBare({ image, accelerator }: RivalParts, guest: RivalGuest): () => Promise<void> {
  const { directory, tap, address, mac, seed } = guest;
  const boot = image.directBoot;
  // The same machine as the service's, because only the work around it is compared.
  const accel = accelerator === 'kvm' ? ['kvm', '-cpu', 'host'] : ['tcg,tb-size=64', '-cpu', 'max'];
  const machine = ['-machine', 'q35', '-accel', ...accel, '-m', `${RAM_MB}`, '-smp', '1'];
  const kernel = boot ? ['-kernel', boot.kernel, '-initrd', boot.initrd, '-append', boot.append] : [];
  const child = spawn(SCRIPT, [directory, image.disk, tap, address, mac, seed, ...machine, ...kernel], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exit = once(child, 'exit');
  return async () => {
    child.kill('SIGKILL');
    await exit;
    await unplug(guest);
  };
}
