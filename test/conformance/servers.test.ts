/** Nova. */
import { cloudSuite } from './cloud-suite.ts';
import { serverCases } from './server-cases.ts';
import { serverListCases } from './server-list-cases.ts';

cloudSuite({
  servers: serverCases,
  'lists and addresses of servers': serverListCases,
});
