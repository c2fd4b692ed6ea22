import { expect, test } from 'vitest';
import { desireOffers, offerQuestion } from '../../../../shared/service/desired/desire-load-balancer.ts';
import { readIntent } from '../../../../shared/service/intent/service-intent.ts';
import type { Offers } from '../../../../shared/model/load-balancer/octavia.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const LARGE = '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const OTHER = '6b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const FLAVOR = 'levelset.openstack.org/flavor';
const FLAVOR_ID = 'loadbalancer.openstack.org/flavor-id';
const ZONE = 'loadbalancer.openstack.org/availability-zone';
const flavors = [
  { id: LARGE, name: 'large', enabled: true },
  { id: OTHER, name: 'twin', enabled: true },
  { id: OTHER.replace('6', '7'), name: 'twin', enabled: true },
  { id: OTHER.replace('6', '8'), name: 'old', enabled: false },
];
const intent = (annotations: Record<string, string>) =>
  readIntent(aStoredService({ annotations }), aConfig());
const zones = [{ id: 'az1', name: 'az1', enabled: true }];
const one = (key: string): string => `${key} must be one that Octavia offers:`;
const NOT_MADE = 'levelset makes no load balancer until it is';

// prettier-ignore
test.each<[string, Record<string, string>, object, readonly string[], Offers?]>([
  ['a flavor by name', { [FLAVOR]: 'large' }, { flavor_id: LARGE }, []],
  ['a flavor by its id', { [FLAVOR]: LARGE }, { flavor_id: LARGE }, []],
  ['a flavor by the other annotation', { [FLAVOR_ID]: LARGE.toUpperCase() }, { flavor_id: LARGE }, []],
  ['a flavor that is not offered', { [FLAVOR]: 'huge' }, {}, [`! ${one(FLAVOR)} large, twin, twin; ${NOT_MADE}`]],
  ['a flavor that has no name of its own', { [FLAVOR]: 'twin' }, {}, [`! ${FLAVOR} is the name of 2 of them: name one by its id`]],
  ['a flavor that is switched off', { [FLAVOR]: 'old' }, {}, [`! ${FLAVOR} is not enabled`]],
  ['a flavor where there is none', { [FLAVOR]: 'x' }, {}, [`! ${FLAVOR} must be one that Octavia offers, and it offers none; ${NOT_MADE}`], { flavors: [] }],
  ['a flavor that is not offered any more, of a load balancer that is there', { [FLAVOR]: 'huge' }, {}, [FLAVOR], { flavors, isMade: true }],
  ['two flavors', { [FLAVOR]: 'large', [FLAVOR_ID]: OTHER }, { flavor_id: LARGE }, [`${FLAVOR_ID} has no effect: ${FLAVOR} sets the same`]],
  ['a zone', { [ZONE]: 'az1' }, { availability_zone: 'az1' }, [], { zones }],
  ['a zone that is not offered', { [ZONE]: 'az2' }, {}, [`! ${one(ZONE)} az1; ${NOT_MADE}`], { zones }],
])('%s', (_, annotations, attributes, problems, offers = { flavors }) => {
  const found = desireOffers(intent(annotations), offers);
  expect(found.attributes).toEqual(attributes);
  expect(found.problems.map(({ field, message, blocking }) => `${blocking ? '! ' : ''}${field} ${message}`)).toEqual(
    problems.map((text) => expect.stringContaining(text) as string),
  );
});

test('a flavor of cloud.conf is said as such', () => {
  const config = aConfig(undefined, { flavorId: OTHER.replace('6', '9') });
  const asked = readIntent(aStoredService(), config);
  expect(desireOffers(asked, { flavors }).problems).toMatchObject([
    { field: 'flavor-id in cloud.conf', blocking: true },
  ]);
});

const both = { [FLAVOR_ID]: LARGE, [ZONE]: 'az1' };
// prettier-ignore
test.each<[string, Record<string, string>, object, isMade: boolean, object]>([
  ['nothing that nobody asks for', {}, {}, false, { flavors: false, zones: false }],
  ['what somebody asks for', both, {}, false, { flavors: true, zones: true }],
  ['no zone before Octavia has zones', both, { minor: 6 }, false, { flavors: true, zones: false }],
  ['nothing of ovn', both, { provider: 'ovn' }, false, { flavors: false, zones: false }],
  ['no id once the load balancer is there', { [FLAVOR_ID]: LARGE }, {}, true, { flavors: false }],
  ['a name, to see whether it is still the same', { [FLAVOR]: 'large' }, {}, true, { flavors: true }],
])('what is looked up: %s', (_, annotations, octavia, isMade, question) => {
  const seen = { major: 2, minor: 26, provider: 'amphora', ...octavia };
  expect(offerQuestion(intent(annotations), seen, isMade)).toMatchObject(question);
});
