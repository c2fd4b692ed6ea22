/**
 * The name of a floating subnet may be a pattern. Reading one of opening brackets takes time that grows with the square of
 * its length, in one piece: 250 kB, which an annotation may have, stop the process for more than a minute.
 */
import { readAnnotations } from '../../../shared/service/intent/read-annotations.ts';
import { aConfig } from '../../support/config.ts';
import { aStoredService } from '../../support/service.ts';
import { show } from '../show.ts';

const SUBNET = 'loadbalancer.openstack.org/floating-subnet';
for (const part of ['[', '[[:'])
  for (const length of [10_000, 20_000, 40_000]) {
    const service = aStoredService({ annotations: { [SUBNET]: part.repeat(length / part.length) } });
    const started = performance.now();
    readAnnotations(service, aConfig());
    show(`${length} characters of ${part}`, `${Math.round(performance.now() - started)} ms`);
  }
