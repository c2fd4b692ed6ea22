/** Where a load balancer sends requests, and how it knows who answers. */
import { cloudSuite } from './cloud-suite.ts';
import { healthMonitorCases } from './octavia/health-monitor-cases.ts';
import { memberCases } from './octavia/member-cases.ts';
import { poolAttributeCases } from './octavia/pool-attribute-cases.ts';

cloudSuite({
  'attributes of pools and members': poolAttributeCases,
  'health monitors': healthMonitorCases,
  members: memberCases,
});
