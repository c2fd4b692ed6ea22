/** Nova. */
import { cloudSuite } from './cloud-suite.ts';
import { serverCases } from './nova/server-cases.ts';
import { serverListCases } from './nova/server-list-cases.ts';

cloudSuite({
  servers: serverCases,
  'lists and addresses of servers': serverListCases,
});
