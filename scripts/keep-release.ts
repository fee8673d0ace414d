// `npm run release:keep -- TAG_OR_COMMIT` keeps the sources of a release, because a clone may lack its history. The
// upgrade tests run it alongside the current sources.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { ARCHIVE, KEPT } from '../test/upgrade/support/last-release.ts';

const [release] = process.argv.slice(2);
if (release === undefined) throw new Error('name a tag or a commit');
const tar = execFileSync('git', ['archive', '--format=tar', release, ...KEPT], {
  maxBuffer: 256 * 1024 * 1024,
});
const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
const params = { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_SIZE_HINT]: tar.length };
const kept = brotliCompressSync(tar, { params });
writeFileSync(ARCHIVE, kept);
console.log(`kept ${release}: ${Math.round(kept.length / 1024)} KiB`);
