/** How annotations begin. */

/** Our annotations and condition types. */
export const ANNOTATION_PREFIX = 'levelset.openstack.org/';

/** OCCM's annotations. */
export const OCCM = 'loadbalancer.openstack.org/';

/** Annotations of kinx (docs/sources/kinx.md, "Annotations of kinx"). */
export const KINX = 'service.beta.kubernetes.io/kinx-load-balancer-';

/** The full name of an annotation of ours. */
export const own = (name: string): string => ANNOTATION_PREFIX + name;
