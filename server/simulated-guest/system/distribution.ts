/** The operating system that a template's code names, such as "debian-13" or "ubuntu-24.04". */
export interface Distribution {
  family: string;
  name: string;
  version: string;
  /** Who logs in first; the images of all four families name that user after themselves. */
  user: string;
  kernel: string;
}

const NAMES: Record<string, string> = {
  debian: 'Debian GNU/Linux',
  ubuntu: 'Ubuntu',
  alpine: 'Alpine Linux',
  rocky: 'Rocky Linux',
};

/** What a template's code says; an unknown family is taken at its word. */
export function distributionOf(template: string): Distribution {
  const [family = 'linux', version = '1'] = template.split('-');
  const user = /^[a-z][a-z0-9]*$/.test(family) ? family : 'user';
  return { family, name: NAMES[family] ?? family, version, user, kernel: '6.12.41+deb13-cloud-amd64' };
}

/** Whether packages come with apt. */
export function hasApt({ family }: Distribution): boolean {
  return family === 'debian' || family === 'ubuntu';
}
