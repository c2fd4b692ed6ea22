import { expect, it } from 'vitest';
import type { ErrorCode } from '../../../shared/model/errors.ts';
import { refusal } from '../../../shared/openstack/refusal.ts';

/** Bodies as a real OpenStack answered them. */
const octavia = (faultstring: string): unknown => ({ faultcode: 'Client', faultstring, debuginfo: null });
const neutron = (type: string, message: string): unknown => ({ NeutronError: { type, message, detail: '' } });
const LB = 'b89fa3b5-ffe8-407d-8ab9-810787de175f';

// prettier-ignore
const ROWS: readonly (readonly [what: string, status: number, body: unknown, code: ErrorCode, says: string])[] = [
  ['Octavia 400', 400, octavia("Provider 'nope' is not enabled."), 'REJECTED', "Provider 'nope' is not enabled."],
  ['Neutron 404 of a network that the request names', 404, neutron('NetworkNotFound', 'Network 0000 could not be found.'), 'NOT_FOUND', 'Network 0000 could not be found.'],
  ['Neutron 404 of the port that it is about', 404, neutron('PortNotFound', 'Port 0000 could not be found.'), 'GONE', 'Port 0000 could not be found.'],
  ['keystonemiddleware 401', 401, { error: { code: 401, message: 'The request you have made requires authentication.' } }, 'UNAUTHORIZED', 'requires authentication'],
  ['Octavia policy', 403, octavia('Policy does not allow this request to be performed.'), 'FORBIDDEN', 'Policy'],
  ['Octavia quota', 403, octavia('Quota has been met for resources: Load Balancer'), 'QUOTA_EXCEEDED', 'Load Balancer'],
  ['Octavia gone', 404, octavia(`Load Balancer ${LB} not found.`), 'GONE', 'not found'],
  ['a path that is none', 404, { code: 404, title: 'Not Found', description: '' }, 'UNEXPECTED_RESPONSE', 'Not Found'],
  ['a proxy that knows nothing', 404, undefined, 'UNEXPECTED_RESPONSE', 'HTTP 404'],
  ['immutable load balancer', 409, octavia(`Load Balancer ${LB} is immutable and cannot be updated.`), 'LOAD_BALANCER_BUSY', 'immutable'],
  ['invalid state', 409, octavia(`Invalid state PENDING_UPDATE of loadbalancer resource ${LB}`), 'LOAD_BALANCER_BUSY', 'PENDING_UPDATE'],
  ['in error', 409, octavia(`Invalid state ERROR of loadbalancer resource ${LB}`), 'LOAD_BALANCER_ERROR', 'ERROR'],
  ['listener twice', 409, octavia('Another Listener on this Load Balancer is already using protocol HTTP and protocol_port 80'), 'CONFLICT', 'already using'],
  ['Neutron quota', 409, neutron('OverQuota', "Quota exceeded for resources: ['floatingip']."), 'QUOTA_EXCEEDED', 'floatingip'],
  ['no address left in a subnet', 409, neutron('IpAddressGenerationFailure', 'No more IP addresses available on network X.'), 'ADDRESSES_EXHAUSTED', 'on network X'],
  ['no address left outside', 400, neutron('ExternalIpAddressExhausted', 'Unable to find any IP address on external network X.'), 'ADDRESSES_EXHAUSTED', 'on external network X'],
  ['revision', 412, neutron('RevisionNumberConstraintFailed', 'Constrained to 5'), 'CHANGED_MEANWHILE', 'Constrained to 5'],
  ['unprocessable', 422, octavia('no'), 'REJECTED', 'no'],
  ['VIP in use', 500, octavia("Provider 'amphora' reports error: IP address 10.0.0.193 already allocated in subnet X\nNeutron"), 'REJECTED', 'already allocated'],
  ['VIP in use, 2026.2', 409, octavia('The VIP IP address is already in use: IP address 10.0.0.193 already allocated in subnet X'), 'REJECTED', 'already allocated'],
  ['VIP port beyond the quota, 2026.2', 409, octavia("The VIP IP address is already in use: Quota exceeded for resources: ['port']."), 'QUOTA_EXCEEDED', 'Quota exceeded'],
  ['subnet of the VIP used up, 2026.2', 409, octavia('The VIP IP address is already in use: No more IP addresses available on network X.'), 'ADDRESSES_EXHAUSTED', 'No more IP addresses'],
  ['VIP outside, 2026.2', 500, octavia("Provider 'amphora' reports error: BadRequestException: 400"), 'REJECTED', 'BadRequestException: 400'],
  ['VIP outside', 500, octavia("Provider 'amphora' reports error: IP address 192.168.1.1 is not a valid IP for the specified subnet."), 'REJECTED', 'not a valid IP'],
  ['VIP by SLAAC', 500, octavia("Provider 'amphora' reports error: IPv6 address fd00:10::5 cannot be directly assigned to a port on subnet X as the subnet is configured for automatic addresses"), 'REJECTED', 'cannot be directly assigned'],
  ['provider in trouble', 500, octavia("Provider 'amphora' reports error: cannot connect to Neutron"), 'CLOUD_UNAVAILABLE', 'cannot connect'],
  ['not implemented', 501, octavia("Provider 'amphora' does not support a requested option: x"), 'REJECTED', 'does not support'],
  ['unavailable', 503, undefined, 'CLOUD_UNAVAILABLE', 'HTTP 503'],
  ['webob', 403, { message: 'disallowed by rule:get_x.<br /><br />\n', code: '403 Forbidden', title: 'Forbidden' }, 'FORBIDDEN', 'disallowed by rule:get_x.'],
  ['a gateway’s message', 429, { message: 'too many calls of this key' }, 'RATE_LIMITED', 'too many calls of this key'],
  ['a list of errors', 500, { errors: [{ status: 500, title: 'Server Error', detail: 'no database' }] }, 'CLOUD_UNAVAILABLE', 'no database'],
  ['a limit of old in other words', 413, { overLimit: { code: 413, message: 'Only 10 requests can be made', retryAfter: '3' } }, 'RATE_LIMITED', 'Only 10'],
  ['a gateway’s limit of bodies', 413, { message: 'Request size limit exceeded' }, 'CLOUD_UNAVAILABLE', 'Request size limit exceeded; a proxy in front of OpenStack refuses a body of this size'],
  ['no way to the outside', 404, neutron('ExternalGatewayForFloatingIPNotFound', 'External network X is not reachable from subnet Y.'), 'CONFLICT', 'not reachable from subnet Y.; a router has to join the subnet to the external network'],
  ['a group that a request names', 404, neutron('SecurityGroupNotFound', 'Security group X does not exist'), 'NOT_FOUND', 'X does not exist'],
  ['the quota of ports, by way of a provider', 500, octavia("Provider 'ovn' reports error: Quota exceeded for resources: ['port']."), 'QUOTA_EXCEEDED', 'Quota exceeded'],
  ['no address for the VIP, by way of a provider', 500, octavia("Provider 'amphora' reports error: No more IP addresses available on network X."), 'ADDRESSES_EXHAUSTED', 'on network X'],
  ['a policy, by way of a provider', 500, octavia("Provider 'amphora' reports error: rule:create_port:fixed_ips is disallowed by policy"), 'FORBIDDEN', 'by policy'],
];

/** What stands before OpenStack has no request id. */
// prettier-ignore
const FOREIGN: readonly (readonly [what: string, answer: object, code: ErrorCode, says: string])[] = [
  ['a gateway’s code', { body: { error_msg: 'no such stage', error_code: 'GW.1', request_id: 'f' } }, 'CLOUD_UNAVAILABLE', 'no such stage'],
  ['a page', { body: undefined, page: 'Blocked | Front' }, 'CLOUD_UNAVAILABLE', 'HTTP 403: Blocked | Front'],
  ['Octavia’s own refusal', { body: octavia('Policy does not allow this.') }, 'FORBIDDEN', 'Policy does not'],
  ['Neutron’s own refusal', { body: neutron('PolicyNotAuthorized', 'rule is disallowed') }, 'FORBIDDEN', 'rule is'],
  ['Barbican’s own refusal', { body: { code: 403, title: 'Forbidden', description: 'no creator' } }, 'FORBIDDEN', 'no creator'],
  ['nothing at all', { body: undefined }, 'CLOUD_UNAVAILABLE', 'refuses it: HTTP 403'],
  ['nothing but a request id', { body: undefined, requestId: 'req-7' }, 'FORBIDDEN', 'HTTP 403'],
];

it.each(ROWS)('%s', (_what, status, body, code, says) => {
  const error = refusal('update load balancer X', { status, body, requestId: 'req-7', retryAfterMs: 5 });
  expect(error.code).toBe(code);
  expect(error.message).toContain('update load balancer X: ');
  expect(error.message).toContain(says);
  expect(error.context).toEqual({ status, requestId: 'req-7', retryAfterMs: 5 });
});

it.each(FOREIGN)('a 403 that is %s', (_what, answer, code, says) => {
  const error = refusal('list ports', { status: 403, body: undefined, ...answer });
  expect(error.code).toBe(code);
  expect(error.message).toContain(says);
});

const ATTEMPTS = ['update security group X', 'create a security group rule', 'delete security group X'];

it.each(ATTEMPTS)('a 404 of a group that vanished while levelset tried to %s is no mistake', (attempt) => {
  const body = neutron('SecurityGroupNotFound', 'Security group X does not exist');
  expect(refusal(attempt, { status: 404, body }).code).toBe('GONE');
});

it('keeps a message to one line of bounded length', () => {
  const { message } = refusal('x', { status: 400, body: octavia(`a\n\u001b[31m${'b'.repeat(2_000)}`) });
  expect(message.length).toBeLessThan(520);
  expect(message).not.toMatch(/[\n\u001b]/);
});
