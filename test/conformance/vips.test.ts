/** Where a load balancer is reached: its addresses, and the port that has them. */
import { expect } from 'vitest';
import { expectFault, expectMeasured, expectNeutron, orphans, refusing } from './cloud-case.ts';
import type { Body, CloudCases } from './cloud-case.ts';
import type { CloudSession } from './cloud-session.ts';
import { cloudSuite } from './cloud-suite.ts';
import { at, listAt, textAt } from './json-path.ts';
import { aPort } from './neutron/port-cases.ts';

const nobody = '00000000-0000-0000-0000-000000000001';
const FAILURE = 'Validation failure:';
const UNKNOWN = 'Unknown attribute for argument load_balancer.loadbalancer';

/** A port of the project's own on the private network. */
async function port(cloud: CloudSession, more: Body = {}): Promise<unknown> {
  const fixed_ips = [{ subnet_id: await cloud.subnet() }];
  const network_id = await cloud.network();
  return (await aPort(cloud, { network_id, name: 'conformance', fixed_ips, ...more })).made;
}

const vipCases: CloudCases = {
  'additional VIPs: one per subnet, all of one network': async (cloud) => {
    const own = await cloud.subnet();
    const six = await cloud.subnet(6);
    const refused = refusing((vip) => cloud.postBalancer({ additional_vips: [vip] }));
    const twice = 'Duplicate VIP subnet(s) specified. Only one IP can be bound per subnet.';
    await refused({ subnet_id: own }, `${FAILURE} ${twice}`);
    await refused({}, "Invalid input for field/attribute subnet_id. Value: 'None'. Mandatory field missing.");
    await refused({ subnet_id: six, nonsense: 1 }, `${UNKNOWN}.additional_vips: nonsense`);
    const missing = await cloud.measured('additional VIP in a subnet that is not there');
    expectMeasured(await cloud.postBalancer({ additional_vips: [{ subnet_id: nobody }] }), missing);
    const [other] = await cloud.ids('neutron', `subnets?network_id=${await cloud.externalNetwork()}`);
    const network = `${FAILURE} All VIP subnets must belong to the same network.`;
    if (typeof other === 'string') await refused({ subnet_id: other }, network);
    const cidr = { protocol: 'TCP', protocol_port: 1, allowed_cidrs: ['fd00::/8'] };
    const dual = await cloud.postBalancer({ additional_vips: [{ subnet_id: six }], listeners: [cidr] });
    expectFault(dual, 400, /^Validation failure: CIDR fd00::\/8 IP version incompatible with VIP 10\./);
    for (const orphan of await orphans(cloud)) await cloud.neutron('DELETE', `ports/${orphan}`);
  },
  'a network alone gives its IPv4 subnet; with an address, the subnet that has it': async (cloud) => {
    const vip_network_id = await cloud.network();
    const vip_subnet_id = await cloud.subnet();
    const at4 = { vip_subnet_id: undefined, vip_network_id };
    const made = await cloud.postBalancer(at4);
    expect(at(made.body, 'loadbalancer')).toMatchObject({ vip_subnet_id, vip_network_id });
    const refused = refusing((body) => cloud.postBalancer(body), at4);
    const outside = 'Supplied network does not contain a subnet for VIP address specified.';
    await refused({ vip_address: '192.168.7.7' }, `${FAILURE} ${outside}`);
    await refused({ vip_network_id: nobody }, `Network ${nobody} not found.`);
  },
  'a port of one’s own: unused, with one address or the one named; it outlives the VIP': async (cloud) => {
    const own = await port(cloud);
    const id = textAt(own, 'id');
    const vip_address = textAt(own, 'fixed_ips.0.ip_address');
    const on = { vip_subnet_id: undefined, vip_port_id: id };
    const refused = refusing((body) => cloud.postBalancer(body), on);
    const which = "VIP port's subnet could not be determined. Please specify either a VIP subnet or address.";
    if (listAt(own, 'fixed_ips').length > 1) await refused({}, `${FAILURE} ${which}`);
    const there = `${FAILURE} Specified VIP address not found on the specified VIP port.`;
    await refused({ vip_address: await cloud.address(4, 253) }, there);
    await refused({ vip_port_id: nobody }, `Port ${nobody} not found.`);
    const used = textAt(await port(cloud, { device_id: 'abc' }), 'id');
    await refused({ vip_port_id: used }, `${FAILURE} Port ${used} is already used by device abc `);
    const made = at((await cloud.postBalancer({ ...on, vip_address })).body, 'loadbalancer');
    expect(made).toMatchObject({ vip_port_id: id, vip_address });
    const lb = textAt(made, 'id');
    await cloud.settled(lb);
    await cloud.octavia('DELETE', `loadbalancers/${lb}`);
    await cloud.gone(lb);
    expect((await cloud.neutron('GET', `ports/${id}`)).status).toBe(200);
  },
  'there is no QoS, null is no flavor and no zone': async (cloud) => {
    const refused = refusing((body) => cloud.postBalancer(body));
    const qos = `${FAILURE} VIP QoS policy is not allowed in this deployment.`;
    await refused({ vip_qos_policy_id: nobody }, qos);
    await refused({ flavor_id: null }, `${FAILURE} Invalid flavor_id.`);
    const uuid = "Invalid input for field/attribute flavor_id. Value: 'x'. Value should be UUID format";
    await refused({ flavor_id: 'x' }, uuid);
    await refused({ availability_zone: null }, `${FAILURE} Invalid availability zone.`);
    const id = await cloud.balancer();
    for (const value of [nobody, null]) {
      const body = { loadbalancer: { vip_qos_policy_id: value } };
      expectFault(await cloud.octavia('PUT', `loadbalancers/${id}`, body), 400, qos);
    }
    expectFault(await cloud.octavia('GET', `flavors/${nobody}`), 404, `Flavor ${nobody} not found.`);
  },
};

async function bothSubnets(cloud: CloudSession): Promise<{ four: string; six: string; network_id: string }> {
  const [four, six] = [await cloud.subnet(), await cloud.subnet(6)];
  const { body } = await cloud.neutron('GET', `subnets/${six}`);
  return { four, six, network_id: textAt(body, 'subnet.network_id') };
}

const dualStackCases: CloudCases = {
  'a VIP of each family on one port: floating IP on the IPv4 one, members of either': async (cloud) => {
    const { four, six } = await bothSubnets(cloud);
    const members = ['10.0.0.201', 'fd00:10::201'].map((address) => ({ address, protocol_port: 8080 }));
    const default_pool = { name: 'a', protocol: 'UDP', lb_algorithm: 'ROUND_ROBIN', members };
    const listeners = [{ protocol: 'UDP', protocol_port: 53, default_pool }];
    const vips = { vip_subnet_id: six, additional_vips: [{ subnet_id: four }] };
    const lb = await cloud.shown(`loadbalancers/${await cloud.balancer({ ...vips, listeners })}`);
    expect(textAt(lb, 'vip_address').startsWith((await cloud.address(6, 1)).slice(0, -1))).toBe(true);
    const additional = textAt(lb, 'additional_vips.0.ip_address');
    expect(listAt(lb, 'additional_vips')).toEqual([{ subnet_id: four, ip_address: additional }]);
    expect(additional).toMatch(/^10\./);
    const port_id = textAt(lb, 'vip_port_id');
    const shown = await cloud.neutron('GET', `ports/${port_id}`);
    const fixed = listAt(shown.body, 'port.fixed_ips').map((one) => at(one, 'ip_address'));
    expect(fixed.sort()).toEqual([additional, textAt(lb, 'vip_address')]);
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
    const { six, network_id } = await bothSubnets(cloud);
    const ip_address = await cloud.address(6, 5);
    const asked = { subnet_id: six, ip_address };
    const made = await cloud.neutron('POST', 'ports', { port: { network_id, fixed_ips: [asked] } });
    expectNeutron(made, 400, 'AllocationOnAutoAddressSubnet');
    const row = await cloud.measured('VIP address that Neutron refuses');
    const reason = `IPv6 address ${ip_address} cannot be directly assigned`;
    for (const vip of [{ additional_vips: [asked] }, { vip_subnet_id: six, vip_address: ip_address }])
      expectMeasured(await cloud.postBalancer(vip), row, reason);
  },
  'on a port with several IPv4 addresses a floating IP names one, always with the port': async (cloud) => {
    const { four, network_id } = await bothSubnets(cloud);
    const subnet = { network_id, ip_version: 4, cidr: '10.77.0.0/24', name: 'conformance' };
    const more = textAt((await cloud.neutron('POST', 'subnets', { subnet })).body, 'subnet.id');
    cloud.leave('network', `/v2.0/subnets/${more}`);
    const posted = await cloud.postBalancer({ vip_subnet_id: four, additional_vips: [{ subnet_id: more }] });
    const [port_id, fixed_ip_address] = ['vip_port_id', 'vip_address'].map((name) =>
      textAt(posted.body, `loadbalancer.${name}`),
    );
    const others = [await cloud.address(4, 254), await cloud.address(6, 5)];
    for (const wrong of [{}, ...others.map((other) => ({ fixed_ip_address: other }))])
      expectNeutron(await cloud.postFloatingIp({ port_id, ...wrong }), 400, 'BadRequest');
    const ip = await cloud.postFloatingIp({ port_id, fixed_ip_address });
    expect(at(ip.body, 'floatingip.fixed_ip_address')).toBe(fixed_ip_address);
    const path = `floatingips/${textAt(ip.body, 'floatingip.id')}`;
    expectNeutron(await cloud.neutron('PUT', path, { floatingip: { fixed_ip_address } }), 400, 'BadRequest');
  },
  'a Neutron without QoS knows no policy, in the words of one that is not there': async (cloud) => {
    expectNeutron(await cloud.neutron('GET', `qos/policies/${nobody}`), 404, 'HTTPNotFound');
  },
};

cloudSuite({ VIPs: vipCases, 'VIPs of both families': dualStackCases });
