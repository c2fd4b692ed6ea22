import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ReconcileError } from '../../model/errors.ts';

type Map = Readonly<Record<string, unknown>>;

/** One map of a kubeconfig, read field by field. Every complaint names file, field, value and what is allowed. */
export class KubeconfigFields {
  private readonly map: Map;
  /** File or variable. */
  private readonly source: string;
  /** Such as `users[admin].user`. */
  private readonly path: string;

  constructor(source: string, path: string, value: unknown) {
    this.source = source;
    this.path = path;
    if (!isMap(value)) throw this.invalid('', value, 'a map');
    this.map = value;
  }

  has(field: string): boolean {
    return this.map[field] !== undefined && this.map[field] !== null;
  }

  /** Undefined when it is not there or empty. The value is shown in the complaint, so not for secrets. */
  text(field: string): string | undefined {
    return this.scalar(field, 'string', 'a text');
  }

  flag(field: string): boolean {
    return this.scalar(field, 'boolean', 'true or false') ?? false;
  }

  /** As `text`, never shown. */
  secret(field: string): string | undefined {
    const value = this.map[field];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === 'string') return value;
    throw this.invalid(field, undefined, 'a text (put it in quotes)');
  }

  section(field: string): KubeconfigFields {
    return new KubeconfigFields(this.source, this.at(field), this.map[field]);
  }

  /** The entry called `name` in a list of `{ name, ... }`. */
  named(list: string, name: string): KubeconfigFields {
    const entries = Array.isArray(this.map[list]) ? (this.map[list] as unknown[]).filter(isMap) : [];
    const entry = entries.find((one) => one['name'] === name);
    if (entry) return new KubeconfigFields(this.source, `${list}[${name}]`, entry);
    const known = entries.map((one) => String(one['name'])).join(', ');
    throw this.invalid(list, name, known === '' ? 'an entry of that name' : `one of ${known}`);
  }

  raw(): Map {
    return this.map;
  }

  /** A path beside the kubeconfig, as kubectl reads it. */
  file(field: string): string | undefined {
    const path = this.text(field);
    return path === undefined ? undefined : resolve(dirname(this.source), path);
  }

  /** PEM text from `<field>-data` (base64, counts first, as in client-go) or the file that `<field>` names. */
  async pem(field: string): Promise<string | undefined> {
    const data = this.secret(`${field}-data`);
    if (data !== undefined) {
      const pem = Buffer.from(data, 'base64').toString('utf8');
      if (pem.includes('-----BEGIN ')) return pem;
      throw this.invalid(`${field}-data`, undefined, 'PEM text in base64');
    }
    const path = this.file(field);
    if (path === undefined) return undefined;
    const pem = await readFile(path, 'utf8').catch((cause: unknown) => {
      throw this.invalid(
        field,
        path,
        `a readable file (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'})`,
      );
    });
    if (pem.includes('-----BEGIN ')) return pem;
    throw this.invalid(field, path, 'a file with PEM text');
  }

  at(field: string): string {
    return [this.path, field].filter((part) => part !== '').join('.');
  }

  /** `value` undefined: it is not shown. */
  invalid(field: string, value: unknown, allowed: string): ReconcileError {
    const shown = value === undefined ? '' : ` is ${JSON.stringify(value)}`;
    return new ReconcileError(
      'CONFIG_INVALID',
      `${this.source}: ${this.at(field)}${shown}: must be ${allowed}`,
    );
  }

  private scalar<T extends 'string' | 'boolean'>(field: string, type: T, allowed: string) {
    const value = this.map[field];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === type) return value as T extends 'string' ? string : boolean;
    throw this.invalid(field, value, allowed);
  }
}

function isMap(value: unknown): value is Map {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
