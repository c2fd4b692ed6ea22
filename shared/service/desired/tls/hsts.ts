import type { Problem } from '../../../model/plan.ts';
import type { Listener } from '../../../model/resources.ts';
import type { PortIntent } from '../../intent/read-annotations.ts';

const NEEDING = ['hsts_include_subdomains', 'hsts_preload'];

/** How far HSTS reaches means nothing without how long it lasts, and Octavia refuses it (Octavia API 2.27). */
export function withoutLooseHsts(
  settings: Partial<Listener>,
  { spelled }: PortIntent,
): { readonly attributes: Partial<Listener>; readonly problems: readonly Problem[] } {
  if (settings.hsts_max_age !== undefined) return { attributes: settings, problems: [] };
  const loose = Object.keys(settings).filter((name) => NEEDING.includes(name));
  const kept = Object.entries(settings).filter(([name]) => !loose.includes(name));
  return {
    attributes: Object.fromEntries(kept),
    problems: loose.map((attribute) => {
      const { name = attribute, text = '' } = spelled[`listener.${attribute}`] ?? {};
      const message = 'is not applied: it needs levelset.openstack.org/hsts-max-age';
      return { field: name, value: text, message };
    }),
  };
}
