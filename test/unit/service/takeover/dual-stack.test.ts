import { expect, test } from 'vitest';
import { nothingApplied } from '../../../../shared/service/finish.ts';
import { addressesToPublish, ingressOf } from '../../../../shared/service/report/published-address.ts';
import { changed, evaluateWorld, world } from '../../../golden/world.ts';
import type { Draft, RecordedWorld } from '../../../golden/world.ts';

const occm = world('occm/basic-two-ports');
const OCCM_ID = occm.openstack[0]?.loadbalancer.id ?? '';

const dual =
  (policy: string) =>
  (draft: Draft<RecordedWorld>): void => {
    Object.assign(draft.service.spec, { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: policy });
  };

test.each(['PreferDualStack', 'RequireDualStack'])(
  'the one address that OCCM gave a %s Service stays, and the other one is told of',
  async (policy) => {
    const evaluation = await evaluateWorld(changed(occm, dual(policy)));
    expect(evaluation.plan.steps.every(({ verb }) => verb === 'update')).toBe(true);
    expect(evaluation.plan.problems.filter(({ blocking }) => blocking)).toEqual([]);
    expect(ingressOf(evaluation, addressesToPublish(evaluation, nothingApplied(evaluation)))).toEqual(
      occm.service.status?.loadBalancer?.ingress,
    );
    const told = JSON.stringify([evaluation.plan.refused, evaluation.plan.problems]);
    expect(told).toMatch(/additional_vips|has no IPv6 address/);
  },
);

test('any address that is published proves whose a load balancer is', async () => {
  const six = 'fd00:10::f816:3eff:fe00:7';
  const published = (ip: string) =>
    changed(occm, (draft) => {
      draft.service.metadata.annotations = {};
      draft.service.status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }, { ip }] } };
      const [first] = draft.openstack;
      if (first)
        first.loadbalancer['additional_vips'] = [
          { subnet_id: first.loadbalancer['vip_subnet_id'], ip_address: six },
        ];
    });
  expect((await evaluateWorld(published(six))).observed.loadBalancer?.id).toBe(OCCM_ID);
  expect((await evaluateWorld(published('fd00:10::1'))).observed.loadBalancer).toBeUndefined();
});
