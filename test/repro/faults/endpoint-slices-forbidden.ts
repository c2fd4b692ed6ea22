/**
 * The apiserver refuses the EndpointSlices of one Service with externalTrafficPolicy: Local. The whole sweep fails, and no
 * Service gets the node that joined.
 */
import { sweep } from '../../../shared/sweep.ts';
import { pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { show } from '../show.ts';

const it = await startSandboxWorld();
const { kube, cloud } = it.sandbox;
kube.apply(aService({ name: 'local', spec: { externalTrafficPolicy: 'Local' } }));
kube.apply(aService({ name: 'plain' }));
await it.settle('local');
await it.settle('plain');
await pause(2_500);
await it.sweepUntilSettled();
it.sandbox.fault({
  match: { side: 'kube', method: 'GET', path: /endpointslices/ },
  kind: 'fail-before',
  times: 1_000,
  status: 403,
  body: {
    kind: 'Status',
    status: 'Failure',
    message: 'endpointslices is forbidden',
    reason: 'Forbidden',
    code: 403,
  },
});
kube.addNode('node-9');
const found = await sweep(it.world);
show('sweep', found.failed);
show('queued', found.requests.length);
show('members for node-9', cloud.members.filter(({ name }) => name.includes('node-9')).length);
await it.close();
