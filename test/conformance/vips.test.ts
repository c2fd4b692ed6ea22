/** Where a load balancer is reached: its addresses, and the port that has them. */
import { cloudSuite } from './cloud-suite.ts';
import { dualStackCases } from './neutron/dual-stack-cases.ts';
import { vipCases } from './octavia/vip-cases.ts';

cloudSuite({
  VIPs: vipCases,
  'VIPs of both families': dualStackCases,
});
