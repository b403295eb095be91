// Writes a compressed tar archive: the folder of a skill, or a prompt file with its attestations.
import { gzipSync } from 'node:zlib'

const BLOCK = 512
/** The longest name that fits into a header; a longer one stands in a record before it. */
const MAX_NAME = 100

/** Packs files. @param files paths in ASCII, with slashes, and their bytes */
export function packTar(files: Iterable<readonly [path: string, bytes: Uint8Array]>): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = []
  for (const [path, bytes] of files) {
    if (path.length > MAX_NAME) add(parts, 'PaxHeader', 'x', Buffer.from(paxRecord('path', path)))
    add(parts, path.slice(0, MAX_NAME), '0', bytes)
  }
  return new Uint8Array(gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])))
}

function add(parts: Uint8Array[], name: string, kind: string, bytes: Uint8Array): void {
  const header = Buffer.alloc(BLOCK)
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`
  const fields: [offset: number, text: string][] = [
    [0, name],
    [100, octal(0o644, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(bytes.length, 12)],
    [136, octal(0, 12)],
    [148, ' '.repeat(8)],
    [156, kind],
    [257, 'ustar\x0000'],
  ]
  for (const [offset, text] of fields) header.write(text, offset, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  parts.push(header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK))
}

/** A record of an extended header begins with its own length, that number included. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  let length = rest.length
  while (`${length}${rest}`.length !== length) length = `${length}${rest}`.length
  return `${length}${rest}`
}
