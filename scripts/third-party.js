// The licences of the packages that are part of the bundle: they ask that their text goes along with the copies.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './steps.js';

/** Name, version and licence of each bundled package, with its text. Fails when there is none. */
export function thirdPartyText(...metafiles) {
  const parts = metafiles.flatMap(bundledFolders).map((folder) => {
    const { name, version, license } = packageIn(folder);
    return `${'='.repeat(80)}\n${name} ${version} (${license})\n${'='.repeat(80)}\n\n${licenceOf(folder, name)}\n`;
  });
  return `The files in this folder contain the following packages.\n\n${[...new Set(parts)].sort().join('\n')}`;
}

/** Where the packages lie whose code is in an output: `node_modules/a`, `node_modules/a/node_modules/@b/c`. */
function bundledFolders({ outputs }) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const files = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([file]) => file);
  const folders = files.map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))];
}

function licenceOf(folder, name) {
  const texts = textsIn(folder);
  if (texts.length === 0) texts.push(...textsBeside(folder));
  if (texts.length === 0) throw new Error(`${name} is bundled, and there is no text of its licence in ${folder}`);
  return texts.join('\n\n');
}

/** Of packages of one repository, not each brings the text: that of a neighbour under the same licence is the same. */
function textsBeside(folder) {
  const { license, repository } = packageIn(folder);
  // `node_modules/@a`, also where the package lies inside of another one.
  const scopes = [...folder.matchAll(/\/@[^/]+(?=\/)/g)].map(({ index, 0: scope }) => folder.slice(0, index + scope.length));
  const neighbours = scopes.flatMap((scope) => readdirSync(join(root, scope)).map((each) => join(scope, each)));
  const same = neighbours.filter((each) => packageIn(each).license === license && packageIn(each).repository?.url === repository?.url);
  return same.map(textsIn).find((texts) => texts.length > 0) ?? [];
}

function packageIn(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

function textsIn(folder) {
  const found = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = found.map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
  // Some keep it at the end of their description.
  const [described] = texts.length > 0 ? [] : readdirSync(join(root, folder)).filter((file) => /^readme/i.test(file));
  const section = described && /^#+\s*licen[cs]e[\s\S]*permission[\s\S]*$/im.exec(readFileSync(join(root, folder, described), 'utf8'))?.[0];
  if (section) texts.push(section.replace(/^#+.*\n/, '').trim());
  return texts;
}
