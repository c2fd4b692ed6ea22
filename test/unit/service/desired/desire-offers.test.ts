import { describe, expect, test } from 'vitest';
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
const desired = (annotations: Record<string, string>, offers: Offers = { flavors }) =>
  desireOffers(intent(annotations), offers);
const said = (annotations: Record<string, string>, offers?: Offers) =>
  desired(annotations, offers).problems.map(({ field, message }) => `${field} ${message}`);

describe('a flavor', () => {
  test('is asked for by name or by id, whichever annotation says it', () => {
    for (const annotations of [
      { [FLAVOR]: 'large' },
      { [FLAVOR]: LARGE },
      { [FLAVOR_ID]: LARGE.toUpperCase() },
    ])
      expect(desired(annotations)).toEqual({ attributes: { flavor_id: LARGE }, problems: [] });
  });

  test('that is not offered, or not the only one of its name, stops a load balancer from being made', () => {
    expect(said({ [FLAVOR]: 'huge' })).toEqual([
      `${FLAVOR} must be one that Octavia offers: large, twin, twin; levelset makes no load balancer until it is`,
    ]);
    expect(said({ [FLAVOR]: 'twin' })[0]).toContain('is the name of 2 of them: name one by its id');
    expect(said({ [FLAVOR]: 'old' })[0]).toContain('is not enabled');
    expect(said({ [FLAVOR]: 'x' }, { flavors: [] })[0]).toContain('it offers none');
    expect(desired({ [FLAVOR]: 'huge' }).problems).toMatchObject([{ blocking: true }]);
  });

  test('that is not offered any more leaves a load balancer that is there as it is', () => {
    const { attributes, problems } = desired({ [FLAVOR]: 'huge' }, { flavors, isMade: true });
    expect(attributes).toEqual({});
    expect(problems.map(({ blocking }) => blocking)).toEqual([undefined]);
  });

  test('is said by one annotation, not by two', () => {
    expect(said({ [FLAVOR]: 'large', [FLAVOR_ID]: OTHER })).toEqual([
      `${FLAVOR_ID} is ignored: ${FLAVOR} sets the same`,
    ]);
  });

  test('of cloud.conf is said as such', () => {
    const config = aConfig(undefined, { flavorId: OTHER.replace('6', '9') });
    const { problems } = desireOffers(readIntent(aStoredService(), config), { flavors });
    expect(problems).toMatchObject([{ field: 'flavor-id in cloud.conf', blocking: true }]);
  });
});

test('a zone is one that Octavia offers', () => {
  const zones = [{ id: 'az1', name: 'az1', enabled: true }];
  expect(desired({ [ZONE]: 'az1' }, { zones }).attributes).toEqual({ availability_zone: 'az1' });
  expect(said({ [ZONE]: 'az2' }, { zones })).toEqual([
    `${ZONE} must be one that Octavia offers: az1; levelset makes no load balancer until it is`,
  ]);
});

describe('what is looked up', () => {
  const octavia = { major: 2, minor: 26, provider: 'amphora' };
  test('is what somebody asks for and Octavia has', () => {
    expect(offerQuestion(intent({}), octavia, false)).toEqual({ flavors: false, zones: false });
    const both = intent({ [FLAVOR_ID]: LARGE, [ZONE]: 'az1' });
    expect(offerQuestion(both, octavia, false)).toEqual({ flavors: true, zones: true });
    expect(offerQuestion(both, { ...octavia, minor: 6 }, false)).toEqual({ flavors: true, zones: false });
    expect(offerQuestion(both, { ...octavia, provider: 'ovn' }, false)).toEqual({
      flavors: false,
      zones: false,
    });
  });

  test('is less once the load balancer is there: a name, to see whether it is still the same', () => {
    expect(offerQuestion(intent({ [FLAVOR_ID]: LARGE }), octavia, true).flavors).toBe(false);
    expect(offerQuestion(intent({ [FLAVOR]: 'large' }), octavia, true).flavors).toBe(true);
  });
});
