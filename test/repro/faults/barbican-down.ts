/** Barbican is down. No Service can be made, changed or deleted, not even one without TLS, and every sweep fails. */
import { sweep } from '../../../shared/sweep.ts';
import { run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { serviceOf } from '../../support/told.ts';
import { show } from '../show.ts';

const it = await startSandboxWorld();
const { kube } = it.sandbox;
kube.apply(aService({ name: 'old' }));
await it.settle('old');
it.sandbox.fault({
  match: { side: 'openstack', path: /key-manager|secrets/ },
  kind: 'fail-before',
  status: 502,
  body: '<html>bad gateway</html>',
  times: 1e6,
});
const world = await it.another();
kube.apply(aService({ name: 'new' }));
show('create', (await run({ key: 'service/default/new', trigger: 'audit' }, world)).outcome);
kube.delete('Service', 'default', 'old');
show('delete', (await run({ key: 'service/default/old', trigger: 'audit' }, world)).outcome);
show('the deleted Service is still there', serviceOf(it.sandbox, 'old') !== undefined);
kube.addNode('node-9');
show('sweep for the new node', (await sweep(world, { servicesOnly: true })).failed);
await it.close();
