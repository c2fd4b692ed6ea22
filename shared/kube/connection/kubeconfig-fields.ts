import { dirname, resolve } from 'node:path';
import { ReconcileError } from '../../model/errors.ts';
import { isRecord } from '../../model/json.ts';
import { readNamedFile } from '../../named-file.ts';
import { stat } from 'node:fs/promises';
import type { CredentialSource } from './connection.ts';

export interface Origin {
  readonly source: string;
  /** It is that of a registry's entry, and may name no files of this machine. */
  readonly isEntry?: true;
}

export type Map = Readonly<Record<string, unknown>>;

/** One map of a kubeconfig, read field by field. Errors name file, field and what is allowed. */
export class KubeconfigFields {
  readonly map: Map;
  private readonly origin: Origin;
  private readonly path: string;

  constructor(origin: Origin, path: string, value: unknown) {
    this.origin = origin;
    this.path = path;
    if (!isRecord(value)) throw this.invalid('', 'a map');
    this.map = value;
  }

  has(field: string): boolean {
    return this.map[field] !== undefined && this.map[field] !== null;
  }

  text(field: string): string | undefined {
    const value = this.map[field] ?? '';
    if (typeof value !== 'string') throw this.invalid(field, 'a text (put it in quotes)');
    return value === '' ? undefined : value;
  }

  needed(field: string, allowed: string): string {
    const text = this.text(field);
    if (text === undefined) throw this.invalid(field, allowed);
    return text;
  }

  flag(field: string): boolean {
    const value = this.map[field] ?? '';
    if (value !== '' && typeof value !== 'boolean') throw this.invalid(field, 'true or false');
    return value === true;
  }

  section(field: string): KubeconfigFields {
    return new KubeconfigFields(this.origin, this.at(field), this.map[field]);
  }

  named(list: string, name: string): KubeconfigFields {
    const listed = this.map[list];
    const entries: readonly unknown[] = Array.isArray(listed) ? listed : [];
    const index = entries.findIndex((one) => isRecord(one) && one['name'] === name);
    if (index >= 0) return new KubeconfigFields(this.origin, `${list}[${index}]`, entries[index]);
    const named = { contexts: 'current-context', clusters: 'the context', users: 'the context' }[list] ?? '';
    throw this.invalid(list, `a list with the entry that ${named} names; it has ${entries.length}`);
  }

  /** A path beside the kubeconfig, as kubectl reads it. */
  file(field: string, instead: string): string | undefined {
    const path = this.text(field);
    if (path === undefined) return undefined;
    if (this.origin.isEntry) throw this.invalid(field, `left out, as it leads out of the entry: ${instead}`);
    return resolve(dirname(this.origin.source), path);
  }

  /** PEM text from `<field>-data` (base64), or else from the file that `<field>` names, as in client-go. */
  pem(field: string): RotatedText | undefined {
    const checked = (pem: string, given: string, allowed: string): string => {
      if (pem.includes('-----BEGIN ')) return pem;
      throw this.invalid(given, allowed);
    };
    const data = this.text(`${field}-data`);
    if (data !== undefined) {
      const decoded = Buffer.from(data, 'base64').toString('utf8');
      const pem = checked(decoded, `${field}-data`, 'PEM text in base64');
      return () => Promise.resolve(pem);
    }
    const path = this.file(field, `give ${field}-data, as kubectl config view --minify --flatten --raw does`);
    if (path === undefined) return undefined;
    return rotatedFile(path, async () => {
      const instead = `; without a file, as on AWS Lambda, give ${field}-data`;
      return checked(await readNamedFile(this.placeOf(field), path, instead), field, 'a file with PEM text');
    });
  }

  placeOf(field: string): string {
    return [this.origin.source, this.at(field)].filter((part) => part !== '').join(': ');
  }

  invalid(field: string, allowed: string): ReconcileError {
    return new ReconcileError('CONFIG_INVALID', `${this.placeOf(field)}: must be ${allowed}`);
  }

  private at(field: string): string {
    return [this.path, field].filter((part) => part !== '').join('.');
  }
}

/** A text that somebody else may replace. `refused`: the last one did not do. */
export type RotatedText = (refused: boolean) => Promise<string>;

/**
 * The text of a file that somebody else rotates, read again when its mtime changes and when it was refused. While
 * that fails the last text counts, as in client-go.
 */
export function rotatedFile(path: string, read: () => Promise<string>): RotatedText {
  let mtimeMs: number | undefined;
  let text: string | undefined;
  return async (refused) => {
    const changed = (await stat(path).catch(() => undefined))?.mtimeMs;
    if (text !== undefined && !refused && changed === mtimeMs) return text;
    try {
      text = await read();
      mtimeMs = changed;
    } catch (error) {
      if (text === undefined) throw error;
    }
    return text;
  };
}

export function tokenFile(namedBy: string, path: string): CredentialSource {
  const token = rotatedFile(path, async () => (await readNamedFile(namedBy, path)).trim());
  return async (refused) => ({ authorization: `Bearer ${await token(refused)}` });
}
