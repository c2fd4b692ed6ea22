import { describe, expect, test } from 'vitest';
import { supportPage } from '../../docs/generate-support.ts';
import { EXIT_CODES } from '../../docs/reference/commands-page.ts';
import { ENDPOINTS } from '../../docs/reference/endpoints-page.ts';
import { program } from '../../functions/cli/program.ts';
import { REASONS } from '../../docs/reference/events-page.ts';
import { OPTIONS, type Option } from '../../shared/config/cloud-conf/options.ts';
import { readCloudConf } from '../../shared/config/cloud-conf/cloud-conf.ts';
import { readCredentials } from '../../shared/config/clouds/credentials.ts';
import { filesOf, textOf } from './files.ts';

/** What docs/sources/occm.md lists in a section. */
function keysOf(title: string): readonly string[] {
  const [, section = ''] = textOf('docs/sources/occm.md').split(`\n## ${title}\n`);
  const [, keys = ''] = /\nKeys: ([^]*?)\.\n/.exec(section.split('\n## ')[0] ?? '') ?? [];
  return [...keys.matchAll(/`([a-z0-9-]+)`/g)].map(([, key = '']) => key);
}

test('docs/reference/commands.md has the exit codes of each command once', () => {
  const told = EXIT_CODES.flatMap(([names]) => [...names.matchAll(/`(\S+?)[ `]/g)].map(([, name]) => name));
  const known = program({}, () => undefined).commands.map((command) => command.name());
  expect(told.toSorted()).toEqual(known.toSorted());
});

test('docs/support.md says of ovn what it has, and nowhere that it has a part of what it lacks', () => {
  const rows = supportPage().matchAll(/^\| (\w+ `\w+`.*?) +\| (?:any|2\.\d+) +\| (?:yes|no) +\| yes +\|/gm);
  expect([...rows].map(([, what]) => what)).toEqual([
    'listener `protocol` UDP',
    'listener `allowed_cidrs`',
    'pool `lb_algorithm` SOURCE_IP_PORT',
    'listener `protocol` SCTP',
  ]);
});

describe('docs/reference/cloud-conf.md', () => {
  const sections = ['Global', 'LoadBalancer', 'LoadBalancerClass', 'Networking'].map(
    (name) => `Section ${name}`,
  );
  test.each([...sections, 'Sections Route and Metadata'])('has what OCCM has: %s', (title) => {
    const named = keysOf(title);
    const known = new Set(Object.values(OPTIONS).flatMap((options) => Object.keys(options)));
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((key) => !known.has(key))).toEqual([]);
  });

  const refused = Object.entries<Option>(OPTIONS.Global).filter(([, option]) => option.refused);
  test.each(refused)('[Global] %s is refused', (key) => {
    const { access } = readCloudConf(`[Global]\nauth-url=http://keystone\n${key}=x\n`, 'cloud.conf');
    const problems: string[] = [];
    expect(readCredentials([access], access, problems)).toBeUndefined();
    expect(problems.join()).toContain('levelset does not log in by');
  });
});

test('docs/reference/events.md has the reasons that the source has, and no other', () => {
  const files = [
    ...filesOf('shared/{report,service/report,node/report,routes/report}/*.ts'),
    ...['shared/model/service-object.ts', 'shared/model/errors.ts', 'shared/routes/desired/node-routes.ts'],
  ];
  const reason =
    /(?:reason: |REASON = |FAILED = |NODE_BLOCKED = |reason = \w+ \? |\? |: )'([A-Z][a-zA-Z]+)'/g;
  const found = files.flatMap((path) => [...textOf(path).matchAll(reason)].map(([, name = '']) => name));
  const words = 'True False Unknown Normal Warning NetworkUnavailable Proxy VIP'.split(' ');
  const told = Object.keys(REASONS).toSorted();
  expect([...new Set(found)].filter((name) => !words.includes(name)).toSorted()).toEqual(told);
});

test('docs/reference/endpoints.md has the paths that the source has, and no other', () => {
  const text = filesOf('functions/{*,http/*,clusters/*}.ts').map(textOf).join('\n');
  const found = (pattern: RegExp): readonly string[] =>
    [...text.matchAll(pattern)].map(([, name = '']) => name);
  const paths = [
    ...found(/\b(?:\.all|\.get|\.post|page|objectPages)\(\s*'(\/[\w/:*]*)'/g),
    ...found(/receiver\(\{ trigger: '(\w+)'/g).map((trigger) => `/${trigger}/:cluster`),
    ...found(/\/\^\\\/(\w+)\(\\\/\|\$\)\/\.test/g).map((name) => `/${name}/:cluster`),
  ];
  expect([...new Set(paths)].toSorted()).toEqual(Object.keys(ENDPOINTS).toSorted());
});
