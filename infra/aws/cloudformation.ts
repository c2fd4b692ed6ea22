export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
}

/** The resource without what `DependsOn` says a second time: CloudFormation waits for each `Ref` and `Fn::GetAtt` anyhow. */
export function withoutNeedlessDependencies(resource: Resource): Resource {
  const { DependsOn, ...rest } = resource;
  if (DependsOn === undefined) return resource;
  const named = new Set(referred(rest.Properties));
  const needed = [DependsOn].flat().filter((name) => !named.has(name));
  return needed.length === 0 ? rest : { ...rest, DependsOn: needed };
}

/** The logical ids that `Ref` and `Fn::GetAtt` name anywhere in a value. */
function referred(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referred);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    if (name === 'Ref') return [String(inner)];
    if (name === 'Fn::GetAtt') return [String(Array.isArray(inner) ? inner[0] : inner).split('.')[0] ?? ''];
    return referred(inner);
  });
}

/** `reconcile` to `Reconcile`, as osls begins the logical ids of a function's resources. */
export function titled(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
