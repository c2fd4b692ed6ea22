import { expect } from 'vitest';
import { expectNeutron, type CloudCases } from '../cloud-case.ts';
import { at, listAt } from '../json-path.ts';
import { aRouter, type Hop } from './router-cases.ts';

const near = '10.78.0.5';
const one: Hop = ['10.244.0.0/24', near];
const other: Hop = ['10.245.0.0/24', '10.78.0.6'];

export const routeCases: CloudCases = {
  'PUT gives all routes, shown by destination; one that changes nothing leaves the revision': async (
    cloud,
  ) => {
    const router = await aRouter(cloud);
    const before = await router.revision();
    expect((await router.put([other, one])).status).toBe(200);
    expect(await router.routes()).toEqual([one, other]);
    expect(await router.revision()).toBe(before + 1);
    expect((await router.put([one, other])).status).toBe(200);
    expect(await router.revision()).toBe(before + 1);
    const two: Hop[] = [one, ['10.244.0.0/24', '10.78.0.9']];
    expect((await router.put(two)).status).toBe(200);
    expect(await router.routes()).toEqual(two);
    await router.put([['fd01::/64', near]]);
    expect(await router.routes()).toEqual([['fd01::/64', near]]);
    await router.leave();
  },
  'who read an older revision is refused, by PUT and by the atomic actions': async (cloud) => {
    const router = await aRouter(cloud);
    const revision = await router.revision();
    const match = { 'If-Match': `revision_number=${revision}` };
    expect((await router.put([one], match)).status).toBe(200);
    const late = await router.put([other], match);
    expectNeutron(late, 412, 'RevisionNumberConstraintFailed');
    const text = `Constrained to ${revision}, but current revision is ${revision + 1}`;
    expect(at(late.body, 'NeutronError.message')).toBe(text);
    const routes = [{ destination: other[0], nexthop: other[1] }];
    const action = await router.action('add_extraroutes', { router: { routes } }, match);
    expectNeutron(action, 412, 'RevisionNumberConstraintFailed');
    expect(await router.routes()).toEqual([one]);
    await router.leave();
  },
  'extraroute-atomic adds and removes what is named, and nothing is a change that is there or gone already':
    async (cloud) => {
      const { body } = await cloud.neutron('GET', 'extensions');
      const aliases = listAt(body, 'extensions').map((extension) => at(extension, 'alias'));
      for (const alias of ['extraroute', 'extraroute-atomic', 'allowed-address-pairs'])
        expect(aliases).toContain(alias);
      expect((await cloud.neutron('GET', 'extensions/extraroute-atomic')).status).toBe(200);
      expect((await cloud.neutron('GET', 'extensions/nonsense')).status).toBe(404);
      const router = await aRouter(cloud);
      const before = await router.revision();
      const added = await router.add(other, one);
      expect(listAt(added.body, 'router.routes')).toHaveLength(2);
      expect([await router.routes(), await router.revision()]).toEqual([[one, other], before + 1]);
      expect((await router.add(one)).status).toBe(200);
      expect((await router.remove(['10.250.0.0/24', near])).status).toBe(200);
      expect((await router.remove([one[0], '10.78.0.9'])).status).toBe(200);
      expect([await router.routes(), await router.revision()]).toEqual([[one, other], before + 1]);
      expect((await router.add([one[0], '10.78.0.9'])).status).toBe(200);
      expect(await router.routes()).toEqual([one, [one[0], '10.78.0.9'], other]);
      expect((await router.remove(one)).status).toBe(200);
      expect(await router.routes()).toEqual([[one[0], '10.78.0.9'], other]);
      await router.leave();
    },
  'a route that cannot be added leaves the others as they are, and its refusal names them all': async (
    cloud,
  ) => {
    const router = await aRouter(cloud);
    await router.put([one]);
    const far = await router.add(['10.246.0.0/24', '192.168.77.1']);
    expectNeutron(far, 400, 'InvalidRoutes');
    expect(at(far.body, 'NeutronError.message')).toContain(
      `[{'destination': '${one[0]}', 'nexthop': '${near}'}, {`,
    );
    expectNeutron(await router.add(['x', near]), 400, 'AddrFormatError');
    expectNeutron(await router.action('add_extraroutes', { router: {} }), 500, 'HTTPInternalServerError');
    expect(await router.routes()).toEqual([one]);
    await router.leave();
  },
};
