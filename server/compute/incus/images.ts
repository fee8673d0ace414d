import { type EngineTemplate, TemplateUnavailableError } from '../driver.ts';
import { isAbsent } from './hosts.ts';
import { IMAGE_KEYS } from './instance.ts';
import type { Members } from './members.ts';

export interface IncusImage extends EngineTemplate {
  fingerprint: string;
  type: string;
  user: string;
}

const DEFAULT_MIN_DISK_GB = 1;

/** Returns a template's image by its alias; undefined if there is none. */
export async function findImage(
  members: Members,
  project: string,
  alias: string,
): Promise<IncusImage | undefined> {
  const found = await findProperties(members, project, alias);
  if (!found) return undefined;
  const { fingerprint, type, properties } = found;
  const minDiskGb = Number(properties[IMAGE_KEYS.minDiskGb] ?? DEFAULT_MIN_DISK_GB);
  return { fingerprint, type, minDiskGb, user: properties[IMAGE_KEYS.user] ?? 'root' };
}

/** Same as `findImage`, with the image as the cluster describes it. */
export async function findProperties(
  members: Pick<Members, 'any'>,
  project: string,
  alias: string,
): Promise<{ fingerprint: string; type: string; properties: Record<string, string> } | undefined> {
  if (!/^[a-z0-9][a-z0-9._-]*$/i.test(alias)) return undefined;
  try {
    const { target } = (await members.any('GET', `/1.0/images/aliases/${alias}?project=${project}`)).metadata;
    return (await members.any('GET', `/1.0/images/${target}?project=${project}`)).metadata;
  } catch (error) {
    if (!isAbsent(error)) throw error;
    // Incus hides images from an untrusted client, but refuses this request, so the refusal surfaces here.
    await members.any('GET', `/1.0/projects/${project}`);
    return undefined;
  }
}

export async function needImage(members: Members, project: string, alias: string): Promise<IncusImage> {
  const image = await findImage(members, project, alias);
  if (!image) throw new TemplateUnavailableError(`the cluster has no image with the alias ${alias}`);
  return image;
}
