import { expect } from 'vitest';
import { at, listAt, textAt } from '../json-path.ts';
import { expectStatus, type KubeCases } from './kube-case.ts';

const familiesOf = (body: unknown) => ({
  policy: at(body, 'spec.ipFamilyPolicy'),
  families: at(body, 'spec.ipFamilies'),
  addresses: listAt(body, 'spec.clusterIPs').map((one) => (String(one).includes(':') ? 'IPv6' : 'IPv4')),
});

/** Of a dual-stack cluster whose first family is IPv4. */
export const serviceFamilyCases: KubeCases = {
  'a policy brings the second family, and the first one is the one that is named': async (kube) => {
    const asked: readonly (readonly [string, object, readonly string[]])[] = [
      ['prefer', { ipFamilyPolicy: 'PreferDualStack' }, ['IPv4', 'IPv6']],
      ['require', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] }, ['IPv6', 'IPv4']],
    ];
    for (const [name, spec, families] of asked) {
      const { body } = await kube.service(name, { ...spec });
      expect(familiesOf(body)).toMatchObject({ families, addresses: families });
      expect(at(body, 'spec.clusterIP')).toBe(textAt(body, 'spec.clusterIPs.0'));
    }
    const six = await kube.service('six', { ipFamilies: ['IPv6'] });
    const alone = { policy: 'SingleStack', families: ['IPv6'], addresses: ['IPv6'] };
    expect(familiesOf(six.body)).toEqual(alone);
  },
  'the second family comes and goes with the policy, the first one stays': async (kube) => {
    const first = await kube.service('turns');
    const path = kube.path('services', 'turns');
    const more = await kube.merge(path, { spec: { ipFamilyPolicy: 'PreferDualStack' } });
    expect(familiesOf(more.body).addresses).toEqual(['IPv4', 'IPv6']);
    expect(at(more.body, 'spec.clusterIP')).toBe(textAt(first.body, 'spec.clusterIP'));
    const less = await kube.merge(path, { spec: { ipFamilyPolicy: 'SingleStack' } });
    expect(familiesOf(less.body)).toEqual({
      policy: 'SingleStack',
      families: ['IPv4'],
      addresses: ['IPv4'],
    });
    const other = await kube.merge(path, { spec: { ipFamilies: ['IPv6'] } });
    expectStatus(other, 422, 'Invalid');
    expect(at(other.body, 'message')).toMatch(/expected an IPv6 value as indicated by `ipFamilies\[0]`/);
  },
  'two families need a policy, and are two': async (kube) => {
    const refused = async (spec: object, text: RegExp): Promise<void> => {
      const full = { type: 'LoadBalancer', ports: [{ port: 80 }], ...spec };
      const reply = await kube.create('services', { metadata: { name: 'refused' }, spec: full });
      expectStatus(reply, 422, 'Invalid');
      expect(at(reply.body, 'message')).toMatch(text);
    };
    await refused({ ipFamilies: ['IPv4', 'IPv6'] }, /spec\.ipFamilyPolicy: Invalid value: "SingleStack"/);
    await refused({ ipFamilies: ['IPv4', 'IPv4'] }, /spec\.ipFamilies\[1]: Duplicate value: "IPv4"/);
    await refused({ ipFamilies: ['IPv5'] }, /spec\.ipFamilies\[0]: Unsupported value: "IPv5"/);
  },
};
