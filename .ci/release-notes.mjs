// Prints the notes of a release, `node .ci/release-notes.mjs v0.3.0`: the changelog's section and how to upgrade. It fails where the
// tag, package.json and the changelog do not name the same version.
import { readFileSync } from 'node:fs';

const read = name => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const fail = message => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
};

const [tag = ''] = process.argv.slice(2);
const version = /^v(\d+\.\d+\.\d+)$/.exec(tag)?.[1] ?? fail(`expected a tag such as v0.3.0, got '${tag}'`);
const stated = JSON.parse(read('package.json')).version;
if (stated !== version) fail(`the tag says ${version}, package.json ${stated}`);

const sections = read('CHANGELOG.md').split(/^## /m).slice(1);
const section = sections.find(text => text.split('\n', 1)[0].trim() === version);
if (section === undefined) fail(`CHANGELOG.md has no section "## ${version}"`);
const notes = section.slice(section.indexOf('\n')).trim();
if (notes === '') fail(`the section "## ${version}" of CHANGELOG.md is empty`);

process.stdout.write(`${notes}

### Upgrade

Make a backup (\`npm run backup -- FILE\`), then start this version with the same \`DATA_DIR\` or \`REDIS_URL\`: what the version before wrote is taken over, once.
To go back, restore the backup: the version before refuses what this one wrote. Image: \`IMAGE_NAME:${version}\` (amd64, arm64).
`);
