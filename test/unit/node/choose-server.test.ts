import { expect, test } from 'vitest';
import {
  chooseServer,
  conflictProblem,
  type ChooseOptions,
} from '../../../shared/node/desired/choose-server.ts';
import type { Node } from '../../../shared/model/kubernetes.ts';
import type { Server } from '../../../shared/model/node/nova.ts';

const idOf = (digit: string): string => `${digit.repeat(8)}-1356-47a5-a903-bc3867f2a324`;
const [A, B, C] = [idOf('a'), idOf('b'), idOf('c')];
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

const found = (id: string, by: string) => ({ found: expect.objectContaining({ id }) as Server, by });
const problem = (field: string, value: string, message: string) => ({ problem: { field, value, message } });
const ABROAD = `openstack://RegionTwo/${A}`;
const KEPT = 'levelset does not change the Node';
const abroad = (which: string) =>
  problem('spec.providerID', ABROAD, `names another region than cloud.conf, which names ${which}; ${KEPT}`);
const NO_SERVER = `does not name an OpenStack server, such as openstack:///UUID; ${KEPT}`;
const REGION = { region: 'RegionOne' };

// prettier-ignore
test.each<[string, Given, object, ChooseOptions?]>([
  ['6.1',                                    { providerID: `openstack://RegionOne/${A}` },                        found(A, 'providerID'), REGION],
  ['6.1',                                    { providerID: A },                                                   found(A, 'providerID')],
  ['of kinx',                                { providerID: `kinx:///${A}` },                                      found(A, 'providerID')],
  ['providerID first',                       { providerID: A, systemUUID: B, name: 'web-2.example.org' },         found(A, 'providerID')],
  ['then systemUUID',                        { providerID: '', systemUUID: B, name: 'web-1' },                    found(B, 'systemUUID')],
  ['in capitals',                            { systemUUID: A.toUpperCase() },                                     found(A, 'systemUUID')],
  ['then the name',                          { systemUUID: A.replace('a', '0'), name: 'web-1' },                  found(A, 'name')],
  ['no UUID',                                { systemUUID: 'Not Specified', name: 'web-1' },                      found(A, 'name')],
  ['6.2: with dots',                         { name: 'web-2.example.org' },                                       found(B, 'name')],
  ['only a providerID can say that a server is gone', { providerID: `openstack:///${A.replace('a', '0')}`, systemUUID: A, name: 'web-1' }, { none: 'providerID' }],
  ['3: a name cannot',                       { name: 'web-9' },                                                   { none: 'name' }],
  ['decision 27: the name is no pattern',    { name: 'web-.' },                                                   { none: 'name' }],
  ['decision 27: letter by letter',          { name: 'web-3' },                                                   { none: 'name' }],
  ['nor the first label',                    { name: 'web-2' },                                                   { none: 'name' }],
  ['several servers of its name',            { name: 'twin' },                                                    problem('metadata.name', 'twin', 'is the name of several servers: d, e; set spec.providerID to say which one it is')],
  ['6.1: another region',                    { providerID: ABROAD, systemUUID: A, name: 'web-1' },                abroad('RegionOne'), REGION],
  ['6.1: a region, and none configured',     { providerID: ABROAD },                                              abroad('none')],
  ['decision 27: another cloud',             { providerID: 'aws:///eu/i-0123', systemUUID: A, name: 'web-1' },    problem('spec.providerID', 'aws:///eu/i-0123', NO_SERVER)],
  ['decision 27: no id',                     { providerID: 'openstack:///', systemUUID: A, name: 'web-1' },       problem('spec.providerID', 'openstack:///', NO_SERVER)],
])('which server a Node is: %s: %j', (_, given, choice, options = {}) => {
  expect(chooseServer(nodeOf(given), servers, options)).toEqual(choice);
});

test('a server that was listed twice is one', () => {
  const [first = { id: A }] = servers;
  expect(chooseServer(nodeOf({ name: 'web-1' }), [first, first], {})).toEqual({ found: first, by: 'name' });
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
