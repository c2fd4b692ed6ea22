import { expect } from 'vitest';
import { expectFault, expectMeasured, type CloudCases } from '../cloud-case.ts';
import type { CloudSession } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';

type Body = Record<string, unknown>;
const nobody = '00000000-0000-0000-0000-000000000001';

async function networkOf(cloud: CloudSession): Promise<string> {
  return textAt((await cloud.neutron('GET', `subnets/${await cloud.subnet()}`)).body, 'subnet.network_id');
}

/** A port of the project's own on the private network. */
async function port(cloud: CloudSession, more: Body = {}): Promise<unknown> {
  const fixed_ips = [{ subnet_id: await cloud.subnet() }];
  const body = { network_id: await networkOf(cloud), name: 'conformance', fixed_ips, ...more };
  const made = at((await cloud.neutron('POST', 'ports', { port: body })).body, 'port');
  cloud.leave('network', `/v2.0/ports/${textAt(made, 'id')}`);
  return made;
}

export const vipCases: CloudCases = {
  'additional VIPs: one per subnet, all of one network': async (cloud) => {
    const own = await cloud.subnet();
    const six = await cloud.subnet(6);
    const refused = async (vips: Body[], status: number, text: string): Promise<void> => {
      expectFault(await cloud.postBalancer({ additional_vips: vips }), status, text);
    };
    const twice =
      'Validation failure: Duplicate VIP subnet(s) specified. Only one IP can be bound per subnet.';
    await refused([{ subnet_id: own }], 400, twice);
    await refused(
      [{}],
      400,
      "Invalid input for field/attribute subnet_id. Value: 'None'. Mandatory field missing.",
    );
    const unknown = 'Unknown attribute for argument load_balancer.loadbalancer.additional_vips: nonsense';
    await refused([{ subnet_id: six, nonsense: 1 }], 400, unknown);
    const missing = await cloud.measured('additional VIP in a subnet that is not there');
    expectMeasured(await cloud.postBalancer({ additional_vips: [{ subnet_id: nobody }] }), missing);
    const external = await cloud.externalNetwork();
    const seen = listAt((await cloud.neutron('GET', `subnets?network_id=${external}`)).body, 'subnets');
    const other = at(seen[0], 'id');
    const network = 'Validation failure: All VIP subnets must belong to the same network.';
    if (typeof other === 'string') await refused([{ subnet_id: other }], 400, network);
    const cidr = { protocol: 'TCP', protocol_port: 1, allowed_cidrs: ['fd00::/8'] };
    const dual = { additional_vips: [{ subnet_id: six }], listeners: [cidr] };
    expectFault(
      await cloud.postBalancer(dual),
      400,
      /^Validation failure: CIDR fd00::\/8 IP version incompatible with VIP 10\./,
    );
    for (const orphan of await orphans(cloud)) await cloud.neutron('DELETE', `ports/${orphan}`);
  },
  'a network alone gives its IPv4 subnet; with an address, the subnet that has it': async (cloud) => {
    const vip_network_id = await networkOf(cloud);
    const subnet = await cloud.subnet();
    const at4 = { vip_subnet_id: undefined, vip_network_id };
    const made = await cloud.postBalancer(at4);
    expect(at(made.body, 'loadbalancer')).toMatchObject({ vip_subnet_id: subnet, vip_network_id });
    const outside = await cloud.postBalancer({ ...at4, vip_address: '192.168.7.7' });
    const text = 'Validation failure: Supplied network does not contain a subnet for VIP address specified.';
    expectFault(outside, 400, text);
    const unknown = await cloud.postBalancer({ ...at4, vip_network_id: nobody });
    expectFault(unknown, 400, `Network ${nobody} not found.`);
  },
  'a port of one’s own: unused, with one address or with the one that is named; it outlives the VIP': async (
    cloud,
  ) => {
    const own = await port(cloud);
    const id = textAt(own, 'id');
    const address = textAt(own, 'fixed_ips.0.ip_address');
    const on = { vip_subnet_id: undefined, vip_port_id: id };
    const refused = async (more: Body, text: string): Promise<void> => {
      expectFault(await cloud.postBalancer({ ...on, ...more }), 400, text);
    };
    const which =
      "Validation failure: VIP port's subnet could not be determined. Please specify either a VIP subnet or address.";
    if (listAt(own, 'fixed_ips').length > 1) await refused({}, which);
    const there = 'Validation failure: Specified VIP address not found on the specified VIP port.';
    await refused({ vip_address: await cloud.address(4, 253) }, there);
    await refused({ vip_port_id: nobody }, `Port ${nobody} not found.`);
    const used = textAt(await port(cloud, { device_id: 'abc' }), 'id');
    await refused({ vip_port_id: used }, `Validation failure: Port ${used} is already used by device abc `);
    const made = await cloud.postBalancer({ ...on, vip_address: address });
    expect(at(made.body, 'loadbalancer')).toMatchObject({ vip_port_id: id, vip_address: address });
    const lb = textAt(made.body, 'loadbalancer.id');
    await cloud.settled(lb);
    await cloud.octavia('DELETE', `loadbalancers/${lb}`);
    await cloud.gone(lb);
    expect((await cloud.neutron('GET', `ports/${id}`)).status).toBe(200);
  },
  'there is no QoS, null is no flavor and no zone': async (cloud) => {
    const qos = 'Validation failure: VIP QoS policy is not allowed in this deployment.';
    expectFault(await cloud.postBalancer({ vip_qos_policy_id: nobody }), 400, qos);
    const flavor = await cloud.postBalancer({ flavor_id: null });
    expectFault(flavor, 400, 'Validation failure: Invalid flavor_id.');
    const text = await cloud.postBalancer({ flavor_id: 'x' });
    expectFault(
      text,
      400,
      "Invalid input for field/attribute flavor_id. Value: 'x'. Value should be UUID format",
    );
    const zone = await cloud.postBalancer({ availability_zone: null });
    expectFault(zone, 400, 'Validation failure: Invalid availability zone.');
    const id = await cloud.balancer();
    for (const value of [nobody, null]) {
      const body = { loadbalancer: { vip_qos_policy_id: value } };
      expectFault(await cloud.octavia('PUT', `loadbalancers/${id}`, body), 400, qos);
    }
    expectFault(await cloud.octavia('GET', `flavors/${nobody}`), 404, `Flavor ${nobody} not found.`);
  },
};

/** VIP ports that a refused create left behind. */
async function orphans(cloud: CloudSession): Promise<string[]> {
  const ports = listAt((await cloud.neutron('GET', 'ports?device_owner=Octavia')).body, 'ports');
  const found: string[] = [];
  for (const one of ports) {
    const lb = await cloud.octavia('GET', `loadbalancers/${textAt(one, 'device_id').replace('lb-', '')}`);
    if (lb.status === 404) found.push(textAt(one, 'id'));
  }
  return found;
}
