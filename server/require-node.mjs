// Fails with one clear line on a Node that cannot run Vauban. Plain JavaScript, because old versions must be able to
// parse it.

// The first version with `argon2` in `node:crypto`. package.json says the same.
const MINIMUM = [24, 7];
// The platforms for which package.json includes a Node.
const BROUGHT = ['linux-x64', 'linux-arm64'];

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < MINIMUM[0] || (major === MINIMUM[0] && minor < MINIMUM[1])) {
  const platform = `${process.platform}-${process.arch}`;
  const remedy = BROUGHT.includes(platform)
    ? 'npm ci brings one, which npm scripts use, unless optional packages or scripts are switched off'
    : `install it first: npm ci brings one only for ${BROUGHT.join(' and ')}, and this is ${platform}`;
  const found = `${process.version} in ${process.execPath}`;
  console.error(`Vauban needs Node ${MINIMUM.join('.')} or newer, not ${found}: ${remedy}.`);
  process.exit(1);
}
