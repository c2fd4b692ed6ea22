import { transportOf } from '../model/transport.ts';
import type { ServicePort } from '../model/kubernetes.ts';
import type { SpelledBy } from './capabilities.ts';
import type { Wishes } from './wishes.ts';

/** Which annotation of these Services asked for an attribute of what is desired for one of their ports. */
export function spelledBy(wanted: readonly Wishes[]): SpelledBy {
  return ({ kind, address }, attribute) => {
    const at = address.split('/').slice(1, 3).join('/');
    for (const { service, annotated } of wanted) {
      const index = (service.spec.ports ?? []).findIndex((port) => placeOf(port) === at);
      const spelled = annotated.ports[index]?.spelled[`${kind}.${attribute}`];
      if (spelled) return spelled;
    }
    return undefined;
  };
}

/** `tcp/80` */
function placeOf({ protocol = 'TCP', port }: ServicePort): string {
  return `${transportOf(protocol)}/${port}`;
}
