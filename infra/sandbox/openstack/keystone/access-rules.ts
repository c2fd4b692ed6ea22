/** A rule of an application credential: a request that it may make (Identity API v3, "Application Credentials"). */
export interface AccessRule {
  /** Type of the service in the catalog. */
  readonly service: string;
  readonly method: string;
  /** `{name}` and `*` stand for one part of a path, `**` for any number. */
  readonly path: string;
}

/** Whether the rules allow a request, compared as keystonemiddleware does; without rules everything is allowed. */
export function allows(rules: readonly AccessRule[] | undefined, asked: AccessRule): boolean {
  if (rules === undefined) return true;
  return rules.some(
    ({ service, method, path }) =>
      service === asked.service && method === asked.method && patternOf(path).test(asked.path),
  );
}

/** Other characters count as in a regular expression: keystonemiddleware does not escape them. */
function patternOf(path: string): RegExp {
  const pattern = path.replaceAll(/\{[^}]*\}|\*+/g, (wild) => (wild === '**' ? '.*' : '[^/]+'));
  return new RegExp(`^${pattern}$`);
}
