import type { Answer } from '../../exchange.ts';
import { asText, type Json } from '../../json.ts';
import { neutronError } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import type { SecurityGroup } from './objects.ts';
import { checkQuota } from './quotas.ts';
import { badRequest, checkNames } from './refusals.ts';

const settable = ['name', 'description', 'stateful'];

/** The id of the group `default`, which every project has from the start, in a list. */
export const defaultGroup = (world: CloudState, owner: string): string[] =>
  world.securityGroups
    .of('name', 'default')
    .filter((one) => one.project_id === owner)
    .map((one) => one.id);

/** A group as it is shown: with its rules, which have two more attributes here than in their own list. */
export function securityGroupView(world: CloudState, group: SecurityGroup): Json {
  const rules = world.securityGroupRules.of('security_group_id', group.id);
  const shown = rules.map((one, index) => ({ ...one, standard_attr_id: 1000 + index, tags: [] }));
  return { ...group, security_group_rules: shown.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

/** Makes a group. Every new group lets everything out: it has one rule for each family. */
export function makeSecurityGroup(
  world: CloudState,
  owner: string,
  name: string,
  more: Json = {},
): SecurityGroup {
  const at = world.clock.seconds();
  const who = { tenant_id: owner, project_id: owner };
  const times = { created_at: at, updated_at: at };
  const group: SecurityGroup = {
    ...{ id: world.newId(), name, stateful: true, description: '', shared: false },
    ...more,
    ...{ ...who, ...times, tags: [], revision_number: 1 },
  };
  world.securityGroups.push(group);
  for (const ethertype of ['IPv4', 'IPv6'])
    world.securityGroupRules.push({
      ...{ id: world.newId(), ...who, security_group_id: group.id, ethertype, direction: 'egress' },
      ...{ protocol: null, port_range_min: null, port_range_max: null, remote_ip_prefix: null },
      ...{ remote_address_group_id: null, normalized_cidr: null, remote_group_id: null },
      ...{ description: null, ...times, revision_number: 0 },
    });
  return group;
}

export function createSecurityGroup(world: CloudState, owner: string, body: Json): Answer {
  if ('tags' in body) throw badRequest("Attribute 'tags' not allowed in POST");
  checkNames(body, [...settable, 'project_id', 'tenant_id']);
  const name = asText(body['name']);
  if (name.length > 255)
    throw badRequest(`Invalid input for name. Reason: '${name}' exceeds maximum length of 255.`);
  const asked = body['project_id'] ?? body['tenant_id'] ?? owner;
  if (asked !== owner) {
    const text =
      "Specifying 'project_id' or 'tenant_id' other than the authenticated project in request requires admin or advsvc privileges";
    throw badRequest(text);
  }
  checkDefault(body);
  checkQuota(world, 'security_group', world.securityGroups, owner);
  const more = Object.fromEntries(Object.entries(body).filter(([name]) => settable.includes(name)));
  const group = makeSecurityGroup(world, owner, name, { ...more, name });
  return { status: 201, body: { security_group: securityGroupView(world, group) } };
}

function checkDefault(body: Json): void {
  if (body['name'] !== 'default') return;
  throw neutronError(409, 'SecurityGroupDefaultAlreadyExists', 'Default security group already exists.');
}

export function updateSecurityGroup(world: CloudState, group: SecurityGroup, body: Json): Answer {
  const readOnly = ['id', 'tenant_id', 'project_id', 'security_group_rules', 'revision_number'];
  checkNames(body, settable, readOnly);
  checkDefault(body);
  Object.assign(group, body);
  world.touch(group);
  return { status: 200, body: { security_group: securityGroupView(world, group) } };
}

export function deleteSecurityGroup(world: CloudState, group: SecurityGroup): void {
  if (world.ports.count('security_groups', group.id) > 0)
    throw neutronError(409, 'SecurityGroupInUse', `Security Group ${group.id} in use.`);
  if (group.name === 'default') {
    const text = 'Insufficient rights for removing default security group.';
    throw neutronError(409, 'SecurityGroupCannotRemoveDefault', text);
  }
  for (const index of ['security_group_id', 'remote_group_id'])
    for (const rule of world.securityGroupRules.of(index, group.id)) world.securityGroupRules.remove(rule);
  world.securityGroups.remove(group);
}
