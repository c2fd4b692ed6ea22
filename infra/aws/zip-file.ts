import { crc32, deflateRawSync } from 'node:zlib';

/** A name inside the archive and its content. */
export interface ZipEntry {
  readonly name: string;
  readonly content: Buffer;
}

const VERSION = 20;
const UTF8_NAMES = 0x0800;
const DEFLATED = 8;
/** 1980-01-01 00:00, the earliest time in a zip file. It makes the archive of the same input the same to the byte. */
const DATE = 0x0021;
const READABLE = (0o100644 << 16) >>> 0;
const UNIX = 3 << 8;

/** A zip archive in memory (APPNOTE.TXT 6.3.10, without zip64): what Lambda takes as code. */
export function zipFile(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const path = Buffer.from(name);
    const data = deflateRawSync(content, { level: 9 });
    const facts = fileFacts(content, data, path);
    const local = Buffer.concat([numbers([0x04034b50, 4]), facts, path, data]);
    directory.push(
      numbers([0x02014b50, 4], [VERSION | UNIX, 2]),
      facts,
      numbers([0, 2], [0, 2], [0, 2], [READABLE, 4], [offset, 4]),
      path,
    );
    parts.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = numbers(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [entries.length, 2],
    [entries.length, 2],
    [index.length, 4],
    [offset, 4],
    [0, 2],
  );
  return Buffer.concat([...parts, index, end]);
}

/** The fields that the local header and the directory share. */
function fileFacts(content: Buffer, data: Buffer, path: Buffer): Buffer {
  return numbers(
    [VERSION, 2],
    [UTF8_NAMES, 2],
    [DEFLATED, 2],
    [0, 2],
    [DATE, 2],
    [crc32(content), 4],
    [data.length, 4],
    [content.length, 4],
    [path.length, 2],
    [0, 2],
  );
}

/** Little-endian numbers, each with its length in bytes. */
function numbers(...fields: readonly (readonly [value: number, bytes: 2 | 4])[]): Buffer {
  return Buffer.concat(
    fields.map(([value, bytes]) => {
      const buffer = Buffer.alloc(bytes);
      buffer.writeUIntLE(value, 0, bytes);
      return buffer;
    }),
  );
}
