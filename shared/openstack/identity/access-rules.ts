import { isRecord, stringAt } from '../../model/json.ts';

/** What an application credential may call (Identity API v3, "Application Credentials", access rules). */
export interface AccessRule {
  readonly service: string;
  readonly method: string;
  readonly path: string;
}

/** The access rules of a token; undefined if it has none, and so may call everything that its roles allow. */
export function readAccessRules(token: Readonly<Record<string, unknown>>): readonly AccessRule[] | undefined {
  const credential = token['application_credential'];
  const rules = isRecord(credential) ? credential['access_rules'] : undefined;
  if (!Array.isArray(rules)) return undefined;
  return rules.map((rule: unknown) => ({
    service: stringAt(rule, 'service') ?? '',
    method: stringAt(rule, 'method') ?? '',
    path: stringAt(rule, 'path') ?? '',
  }));
}

/** The rule that a refused request lacks. A service sees the path with or without what its endpoint has before the version. */
export function missingRule(
  rules: readonly AccessRule[],
  { service, method, path }: AccessRule,
  url: string,
): string | undefined {
  const [bare = ''] = path.split('?');
  const seen = [bare, new URL(url).pathname];
  const isThere = rules.some(
    (rule) =>
      rule.service === service &&
      rule.method === method &&
      seen.some((one) => patternOf(rule.path).test(one)),
  );
  return isThere ? undefined : JSON.stringify({ service, method, path: withoutIds(bare) });
}

/** `{name}` and `*` stand for one part of a path, `**` for any number. */
function patternOf(path: string): RegExp {
  const parts = path.split(/(\{[^}]*\}|\*+)/).map((part, at) => {
    if (at % 2 === 0) return part.replaceAll(/[.+?^$()|[\]\\{}]/g, String.raw`\$&`);
    return part === '**' ? '.*' : '[^/]+';
  });
  return new RegExp(`^${parts.join('')}$`);
}

/** Some clouds put a word of their own beside the UUID. */
const withoutIds = (path: string): string =>
  path.replaceAll(/[^/]*[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}[^/]*/gi, '*');
