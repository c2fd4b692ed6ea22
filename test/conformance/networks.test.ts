/** Keystone and Neutron. */
import { addressPairCases } from './neutron/address-pair-cases.ts';
import { cloudSuite } from './cloud-suite.ts';
import { floatingIpCases } from './neutron/floating-ip-cases.ts';
import { identityCases } from './keystone/identity-cases.ts';
import { portCases } from './neutron/port-cases.ts';
import { routeCases } from './neutron/route-cases.ts';
import { routerCases } from './neutron/router-cases.ts';
import { securityGroupCases } from './neutron/security-group-cases.ts';

cloudSuite({
  identity: identityCases,
  'security groups': securityGroupCases,
  'ports and their groups': portCases,
  'floating IPs and ports': floatingIpCases,
  routers: routerCases,
  'routes of routers': routeCases,
  'addresses that a port may use': addressPairCases,
});
