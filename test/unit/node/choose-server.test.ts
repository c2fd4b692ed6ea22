import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  chooseServer,
  conflictProblem,
  type ChooseOptions,
} from '../../../shared/node/desired/choose-server.ts';
import type { Node } from '../../../shared/model/kubernetes.ts';
import type { Server } from '../../../shared/model/node/nova.ts';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => `${digit.repeat(8)}-1356-47a5-a903-bc3867f2a324`) as [
  string,
  string,
  string,
];
// prettier-ignore
const servers: readonly Server[] = [
  { id: A, name: 'web-1', metadata: { hostname: 'host-a' } },
  { id: B, name: 'web-2.example.org', metadata: { hostname: 'host-a' } },
  { id: C, name: 'Web-3' },
  { id: 'e', name: 'twin' },
  { id: 'd', name: 'twin' },
  { id: 'f' },
];

interface Given {
  readonly name?: string;
  readonly providerID?: string;
  readonly systemUUID?: string;
}

const nodeOf = ({ name = 'other', providerID, systemUUID }: Given): Node => ({
  metadata: { name, uid: name, resourceVersion: '1' },
  ...(providerID === undefined ? {} : { spec: { providerID } }),
  ...(systemUUID === undefined ? {} : { status: { nodeInfo: { systemUUID } } }),
});

const choose = (given: Given, options: Partial<ChooseOptions> = {}) =>
  chooseServer(nodeOf(given), servers, options);

// prettier-ignore
describe('which server a Node is', () => {
  test.each<[string, Given, Partial<ChooseOptions>, string, string]>([
    ['6.1', { providerID: `openstack://RegionOne/${A}` },                           { region: 'RegionOne' },  A, 'providerID'],
    ['6.1', { providerID: A },                                                      {},                       A, 'providerID'],
    ['of kinx', { providerID: `kinx:///${A}` },                           {},                       A, 'providerID'],
    ['providerID first', { providerID: A, systemUUID: B, name: 'web-2.example.org' }, {},                     A, 'providerID'],
    ['then systemUUID', { providerID: '', systemUUID: B, name: 'web-1' },           {},                       B, 'systemUUID'],
    ['in capitals', { systemUUID: A.toUpperCase() },                                {},                       A, 'systemUUID'],
    ['then the name', { systemUUID: A.replace('a', '0'), name: 'web-1' },           {},                       A, 'name'],
    ['no UUID', { systemUUID: 'Not Specified', name: 'web-1' },                     {},                       A, 'name'],
    ['6.2: with dots', { name: 'web-2.example.org' },                               {},                       B, 'name'],
  ])('%s: %j %j', (_, given, options, id, by) => {
    expect(choose(given, options)).toMatchObject({ found: { id }, by });
  });

  test.each<[string, Given, Partial<ChooseOptions>, string]>([
    ['only a providerID can say that a server is gone', { providerID: `openstack:///${A.replace('a', '0')}`, systemUUID: A, name: 'web-1' }, {}, 'providerID'],
    ['3: a name cannot',                       { name: 'web-9' },                   {},                       'name'],
    ['decision 27: the name is no pattern',    { name: 'web-.' },                   {},                       'name'],
    ['decision 27: letter by letter',          { name: 'web-3' },                   {},                       'name'],
    ['nor the first label',                    { name: 'web-2' },                   {},                       'name'],
  ])('%s', (_, given, options, none) => {
    expect(choose(given, options)).toStrictEqual({ none });
  });

  test.each<[string, Given, Partial<ChooseOptions>, string, string]>([
    ['several servers of its name', { name: 'twin' }, {}, 'metadata.name', 'is the name of several servers: d, e; set spec.providerID to say which one it is'],
    ['6.1: another region', { providerID: `openstack://RegionTwo/${A}`, systemUUID: A, name: 'web-1' }, { region: 'RegionOne' }, 'spec.providerID', 'names another region than cloud.conf, which names RegionOne; levelset does not change the Node'],
    ['6.1: a region, and none configured', { providerID: `openstack://RegionTwo/${A}` }, {}, 'spec.providerID', 'names another region than cloud.conf, which names none; levelset does not change the Node'],
    ['decision 27: another cloud', { providerID: 'aws:///eu/i-0123', systemUUID: A, name: 'web-1' }, {}, 'spec.providerID', 'does not name an OpenStack server, such as openstack:///UUID; levelset does not change the Node'],
    ['decision 27: no id', { providerID: 'openstack:///', systemUUID: A, name: 'web-1' }, {}, 'spec.providerID', 'does not name an OpenStack server, such as openstack:///UUID; levelset does not change the Node'],
  ])('a Problem: %s', (_, given, options, field, message) => {
    const value = given.providerID ?? given.name;
    expect(choose(given, options)).toStrictEqual({ problem: { field, value, message } });
  });

  test('a server that was listed twice is one', () => {
    const [first = { id: A }] = servers;
    expect(chooseServer(nodeOf({ name: 'web-1' }), [first, first], {})).toEqual({ found: first, by: 'name' });
  });
});

test('who is found by a name has that name, and never two have it', () => {
  const name = fc.constantFrom('a', 'b', 'a.b', '.', 'A');
  const list = fc.array(fc.record({ id: fc.uuid(), name }), { maxLength: 4 });
  fc.assert(
    fc.property(list, name, (some, wanted) => {
      const choice = chooseServer(nodeOf({ name: wanted }), some, {});
      const named = some.filter((server) => server.name === wanted);
      if ('found' in choice) expect(named).toEqual([choice.found]);
      else expect(named.length === 0).toBe('none' in choice);
    }),
  );
});

const one = nodeOf({ name: 'one', providerID: `openstack:///${A}` });
const two = nodeOf({ name: 'two', systemUUID: A.toUpperCase() });
const named = nodeOf({ name: 'web-1' });
const foreign = nodeOf({ name: 'three', providerID: 'aws:///i-1', systemUUID: A });

test.each([
  [one, [one, two, named], 'two'],
  [two, [one, two, named], 'one'],
  [named, [two, one, named], 'one, two'],
  [one, [one, named, foreign], undefined],
])('$metadata.name is told who claims its server by a proof (decision 27)', (node, nodes, names) => {
  expect(conflictProblem(node, { id: A }, nodes)).toEqual(
    names && {
      field: 'spec.providerID',
      value: node.spec?.providerID ?? '',
      message: `server ${A} is also claimed by ${names}; levelset changes neither until one of them is gone`,
    },
  );
});
