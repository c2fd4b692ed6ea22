import { transportOf } from '../../../model/address.ts';
import { ANNOTATIONS } from '../../intent/annotations.ts';
import type { ServicePort } from '../../../model/kubernetes.ts';
import type { SpelledBy } from './capabilities.ts';
import type { ServiceIntent } from '../../intent/service-intent.ts';

/** Which annotation of the Service asked for an attribute of what is desired for one of its ports. */
export function spelledBy({ service, annotated }: ServiceIntent): SpelledBy {
  return ({ kind, address }, attribute) => {
    const at = address.split('/').slice(1, 3).join('/');
    const index = (service.spec.ports ?? []).findIndex((port) => placeOf(port) === at);
    const spelled = annotated.ports[index]?.spelled ?? {};
    return settersOf(`${kind}.${attribute}`).flatMap((what) => spelled[what] ?? [])[0];
  };
}

/** What sets an attribute, or ends up in it. */
function settersOf(attribute: string): readonly string[] {
  const rows = ANNOTATIONS.filter(
    (row) => `${row.on}.${row.sets}` === attribute || row.becomes === attribute,
  );
  return rows.map(({ on, sets }) => `${on}.${sets}`);
}

/** `tcp/80` */
function placeOf({ protocol = 'TCP', port }: ServicePort): string {
  return `${transportOf(protocol)}/${port}`;
}
