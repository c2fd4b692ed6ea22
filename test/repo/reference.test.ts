import { describe, expect, test } from 'vitest';
import { supportPage } from '../../docs/generate-support.ts';
import { CLOUD_CONF_FACTS } from '../../docs/reference/cloud-conf-facts.ts';
import { EXIT_CODES } from '../../docs/reference/commands-page.ts';
import { ENDPOINTS } from '../../docs/reference/endpoints-page.ts';
import { program } from '../../functions/cli/program.ts';
import { REASONS } from '../../docs/reference/events-page.ts';
import { LOAD_BALANCER_OPTIONS, OPTIONS } from '../../shared/config/cloud-conf/options.ts';
import { readCloudConf } from '../../shared/config/cloud-conf/cloud-conf.ts';
import { readCredentials } from '../../shared/config/clouds/credentials.ts';
import { filesOf, textOf } from './files.ts';

/** What docs/sources/go-provider.md lists in a section. */
function keysOf(title: string): readonly string[] {
  const [, section = ''] = textOf('docs/sources/go-provider.md').split(`\n## ${title}\n`);
  const [, keys = ''] = /\nKeys: ([^]*?)\.\n/.exec(section.split('\n## ')[0] ?? '') ?? [];
  return [...keys.matchAll(/`([a-z0-9-]+)`/g)].map(([, key = '']) => key);
}

test('docs/annotations.md has the annotations that the Go provider has', () => {
  const keys = keysOf('Annotations');
  const page = textOf('docs/annotations.md');
  const isNamed = (key: string): boolean =>
    new RegExp(`\`(loadbalancer\\.openstack\\.org/)?${key}\``).test(page);
  expect(keys.length).toBeGreaterThan(30);
  expect(keys.filter((key) => !isNamed(key))).toEqual([]);
});

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
  test('has the options that levelset reads, and no other', () => {
    const read = Object.entries(OPTIONS).map(([section, options]) => [
      section,
      options.map(({ key }) => key),
    ]);
    const told = Object.entries(CLOUD_CONF_FACTS).map(([section, facts]) => [section, Object.keys(facts)]);
    const sorted = (pairs: unknown): unknown =>
      (pairs as [string, string[]][]).map(([section, keys]) => [section, keys.toSorted()]);
    expect(sorted(told)).toEqual(sorted(read));
  });

  const sections = ['Global', 'LoadBalancer', 'LoadBalancerClass', 'Networking'].map(
    (name) => `Section ${name}`,
  );
  test.each([...sections, 'Sections Route and Metadata'])('has what the Go provider has: %s', (title) => {
    const named = keysOf(title);
    const known = new Set(Object.values(CLOUD_CONF_FACTS).flatMap((facts) => Object.keys(facts)));
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((key) => !known.has(key))).toEqual([]);
  });

  test('says "ignored" of the options whose note says that they have no effect', () => {
    const silent = Object.values(LOAD_BALANCER_OPTIONS)
      .filter(({ note }) => note?.includes('has no effect'))
      .filter(({ key }) => !CLOUD_CONF_FACTS['loadbalancer']?.[key]?.without?.startsWith('ignored'));
    expect(silent).toEqual([]);
  });

  const refused = Object.entries(CLOUD_CONF_FACTS['global'] ?? {}).filter(([, fact]) =>
    fact.without?.startsWith('refused'),
  );
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
    ...['shared/model/unit.ts', 'shared/model/errors.ts', 'shared/routes/desired/route-conditions.ts'],
  ];
  const reason =
    /(?:reason: |REASON = |FAILED = |NODE_BLOCKED = |reason = \w+ \? |\? |: )'([A-Z][a-zA-Z]+)'/g;
  const found = files.flatMap((path) => [...textOf(path).matchAll(reason)].map(([, name = '']) => name));
  const words = new Set(['True', 'False', 'Unknown', 'Normal', 'Warning', 'NetworkUnavailable']);
  const told = Object.keys(REASONS).toSorted();
  expect([...new Set(found)].filter((name) => !words.has(name)).toSorted()).toEqual(told);
});

test('docs/reference/endpoints.md has the paths that the source has, and no other', () => {
  const text = filesOf('functions/{*,http/*,clusters/*}.ts').map(textOf).join('\n');
  const paths = [
    ...[...text.matchAll(/\b(?:\.all|\.get|\.post|page|objectPages)\(\s*'(\/[\w/:*]*)'/g)].map(
      ([, path = '']) => path,
    ),
    ...[...text.matchAll(/receiver\(\{ trigger: '(\w+)'/g)].map(([, trigger = '']) => `/${trigger}/:cluster`),
    ...[...text.matchAll(/\/\^\\\/(\w+)\(\\\/\|\$\)\/\.test/g)].map(([, name = '']) => `/${name}/:cluster`),
  ];
  expect([...new Set(paths)].toSorted()).toEqual(Object.keys(ENDPOINTS).toSorted());
});
