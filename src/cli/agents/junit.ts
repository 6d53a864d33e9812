// Results of scenarios as JUnit XML, which build servers read.

import type { Rehearsed } from '../../agents/agents.ts';

export function junitOf(results: readonly Rehearsed[], name: string): string {
  const failures = results.filter((each) => !each.passed && each.error === undefined).length;
  const errors = results.filter((each) => each.error !== undefined).length;
  const time = seconds(results.reduce((sum, each) => sum + each.milliseconds, 0));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${results.length}" failures="${failures}" errors="${errors}" time="${time}">`,
    `  <testsuite name="${escaped(name)}" tests="${results.length}" failures="${failures}" errors="${errors}" time="${time}">`,
    ...results.flatMap(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase({ agent, user, expected, actual, passed, path, error, milliseconds }: Rehearsed): readonly string[] {
  const opening = `    <testcase classname="${escaped(agent)}" name="${escaped(user)}" time="${seconds(milliseconds)}"`;
  if (passed) return [`${opening}/>`];
  const way = path.length === 0 ? '' : `\npath: ${path.map((each) => each.step).join(' → ')}`;
  const told =
    error === undefined
      ? `      <failure message="${escaped(`expected ${expected}`)}">${escaped(`${actual ?? ''}${way}`)}</failure>`
      : `      <error message="${escaped(error)}"/>`;
  return [`${opening}>`, told, '    </testcase>'];
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

/** XML 1.0 has no way to write most control characters. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replace(/[\t\n\r]/g, (each) => `&#${each.charCodeAt(0)};`);
}
