/** Keystone and Neutron. */
import { addressPairCases } from './address-pair-cases.ts';
import { cloudSuite } from './cloud-suite.ts';
import { floatingIpCases } from './floating-ip-cases.ts';
import { identityCases } from './identity-cases.ts';
import { portCases } from './port-cases.ts';
import { routeCases } from './route-cases.ts';
import { routerCases } from './router-cases.ts';
import { securityGroupCases } from './security-group-cases.ts';

cloudSuite({
  identity: identityCases,
  'security groups': securityGroupCases,
  'ports and their groups': portCases,
  'floating IPs and ports': floatingIpCases,
  routers: routerCases,
  'routes of routers': routeCases,
  'addresses that a port may use': addressPairCases,
});
