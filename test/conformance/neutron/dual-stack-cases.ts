import { expect } from 'vitest';
import { expectFault, expectMeasured, expectNeutron, type CloudCases } from '../cloud-case.ts';
import type { CloudSession } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

const UNKNOWN = 'Unknown attribute for argument load_balancer.loadbalancer';
const nobody = '00000000-0000-0000-0000-000000000001';

async function bothSubnets(cloud: CloudSession): Promise<{ four: string; six: string; network: string }> {
  const [four, six] = [await cloud.subnet(), await cloud.subnet(6)];
  const { body } = await cloud.neutron('GET', `subnets/${six}`);
  return { four, six, network: textAt(body, 'subnet.network_id') };
}

export const dualStackCases: CloudCases = {
  'a VIP of each family on one port: the floating IP is on the IPv4 one, and members are of either family':
    async (cloud) => {
      const { four, six } = await bothSubnets(cloud);
      const members = ['10.0.0.201', 'fd00:10::201'].map((address) => ({ address, protocol_port: 8080 }));
      const default_pool = { name: 'a', protocol: 'UDP', lb_algorithm: 'ROUND_ROBIN', members };
      const listeners = [{ protocol: 'UDP', protocol_port: 53, default_pool }];
      const id = await cloud.balancer({
        vip_subnet_id: six,
        additional_vips: [{ subnet_id: four }],
        listeners,
      });
      const { body } = await cloud.octavia('GET', `loadbalancers/${id}`);
      const lb = at(body, 'loadbalancer');
      expect(textAt(lb, 'vip_address').startsWith((await cloud.address(6, 1)).slice(0, -1))).toBe(true);
      const additional = textAt(lb, 'additional_vips.0.ip_address');
      expect(listAt(lb, 'additional_vips')).toEqual([{ subnet_id: four, ip_address: additional }]);
      expect(additional).toMatch(/^10\./);
      const port_id = textAt(lb, 'vip_port_id');
      const port = await cloud.neutron('GET', `ports/${port_id}`);
      const fixed = listAt(port.body, 'port.fixed_ips').map((one) => at(one, 'ip_address'));
      expect([...fixed].sort()).toEqual([additional, textAt(lb, 'vip_address')]);
      const ip = await cloud.postFloatingIp({ port_id });
      expect(at(ip.body, 'floatingip.fixed_ip_address')).toBe(additional);
    },
  'VIPs stay as they are, and an older Octavia has no security groups on the VIP port': async (cloud) => {
    const id = await cloud.balancer();
    const groups = (await cloud.measured('security groups of the VIP')) === 'yes' ? [] : ['vip_sg_ids'];
    for (const name of ['additional_vips', 'vip_address', ...groups]) {
      const put = await cloud.octavia('PUT', `loadbalancers/${id}`, { loadbalancer: { [name]: [] } });
      expectFault(put, 400, `${UNKNOWN}: ${name}`);
    }
    for (const name of groups)
      expectFault(await cloud.postBalancer({ [name]: [nobody] }), 400, `${UNKNOWN}: ${name}`);
  },
  'where ports make their own addresses none can be asked for': async (cloud) => {
    const { six, network } = await bothSubnets(cloud);
    const ip_address = await cloud.address(6, 5);
    const asked = { subnet_id: six, ip_address };
    const port = { network_id: network, fixed_ips: [asked] };
    const made = await cloud.neutron('POST', 'ports', { port });
    expectNeutron(made, 400, 'AllocationOnAutoAddressSubnet');
    const row = await cloud.measured('VIP address that Neutron refuses');
    const reason = `IPv6 address ${ip_address} cannot be directly assigned`;
    expectMeasured(await cloud.postBalancer({ additional_vips: [asked] }), row, reason);
    const primary = { vip_subnet_id: six, vip_address: ip_address };
    expectMeasured(await cloud.postBalancer(primary), row, reason);
  },
  'on a port with several IPv4 addresses a floating IP names one, and always with the port': async (
    cloud,
  ) => {
    const { four, network } = await bothSubnets(cloud);
    const subnet = { network_id: network, ip_version: 4, cidr: '10.77.0.0/24', name: 'conformance' };
    const made = await cloud.neutron('POST', 'subnets', { subnet });
    const more = textAt(made.body, 'subnet.id');
    cloud.leave('network', `/v2.0/subnets/${more}`);
    const posted = await cloud.postBalancer({
      vip_subnet_id: four,
      additional_vips: [{ subnet_id: more }],
    });
    const [port_id, fixed_ip_address] = ['vip_port_id', 'vip_address'].map((name) =>
      textAt(posted.body, `loadbalancer.${name}`),
    );
    const others = [await cloud.address(4, 254), await cloud.address(6, 5)];
    for (const wrong of [{}, ...others.map((other) => ({ fixed_ip_address: other }))])
      expectNeutron(await cloud.postFloatingIp({ port_id, ...wrong }), 400, 'BadRequest');
    const ip = await cloud.postFloatingIp({ port_id, fixed_ip_address });
    expect(at(ip.body, 'floatingip.fixed_ip_address')).toBe(fixed_ip_address);
    const path = `floatingips/${textAt(ip.body, 'floatingip.id')}`;
    const alone = await cloud.neutron('PUT', path, { floatingip: { fixed_ip_address } });
    expectNeutron(alone, 400, 'BadRequest');
  },
  'a Neutron without QoS knows no policy, in the words of one that is not there': async (cloud) => {
    expectNeutron(await cloud.neutron('GET', `qos/policies/${nobody}`), 404, 'HTTPNotFound');
  },
};
