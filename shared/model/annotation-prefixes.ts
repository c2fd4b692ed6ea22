export const ANNOTATION_PREFIX = 'levelset.openstack.org/';

export const OCCM = 'loadbalancer.openstack.org/';

/** Annotations of kinx (docs/sources/kinx.md, "Annotations of kinx"). */
export const KINX = 'service.beta.kubernetes.io/kinx-load-balancer-';

export const own = (name: string): string => ANNOTATION_PREFIX + name;
