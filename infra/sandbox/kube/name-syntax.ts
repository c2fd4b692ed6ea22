const rfc1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const labelValue = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?';
const labelName = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const ends = 'and must start and end with an alphanumeric character';
const chars = `must consist of alphanumeric characters, '-', '_' or '.', ${ends}`;
const names = `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${labelName}')`;

/** Why the apiserver refuses the value of a label or taint; undefined if it does not. Recorded on the lab (1.36.3). */
export function labelValueProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return `Invalid value: ${JSON.stringify(value)}: must be a string`;
  if (Buffer.byteLength(value) > 63) return `Invalid value: "${value}": must be no more than 63 bytes`;
  if (matches(labelValue, value)) return undefined;
  const rule = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${ends}`;
  const example = `(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${labelValue}')`;
  return `Invalid value: "${value}": ${rule} ${example}`;
}

/** Why the apiserver refuses a qualified name, which is the key of a label, an annotation or a taint. */
export function qualifiedNameProblem(key: string): string | undefined {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.length > 2) {
    const shape = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return `Invalid value: "${key}": a valid label key ${chars} ${names} ${shape}`;
  }
  if (Buffer.byteLength(name) > 63) return `Invalid value: "${key}": name part must be no more than 63 bytes`;
  if (!matches(labelName, name)) return `Invalid value: "${key}": name part ${chars} ${names}`;
  const prefix = parts.length === 2 ? parts[0] : undefined;
  return prefix === undefined ? undefined : subdomainProblem(prefix, key, 'prefix part ');
}

/** Why the apiserver refuses a DNS subdomain, such as the name of a Node. */
export function subdomainProblem(text: string, shown = text, part = ''): string | undefined {
  if (matches(rfc1123, text) && text.length <= 253) return undefined;
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'";
  return `Invalid value: "${shown}": ${part}${rule}, ${ends} (e.g. 'example.com', regex used for validation is '${rfc1123}')`;
}

const matches = (pattern: string, text: string): boolean => new RegExp(`^${pattern}$`).test(text);
