// Builds the packages of the libraries: an npm tarball and a Python wheel. The same files produce the same bytes.
import { createHash } from 'node:crypto'
import { gzipSync, type Zippable, zipSync } from 'fflate'
import { createTar } from 'nanotar'

/** The files of a package: path → content. */
export type PackageFiles = ReadonlyMap<string, string>

/** A release, as in the repository: in its files, the hub's URL is still a placeholder. */
export interface Release {
  /** The release number, such as `1.0.0`. */
  number: string
  files: PackageFiles
}

/** A fixed modification time for every file, so that repeated builds produce the same bytes. Zip files cannot store a year before 1980, and store local time: this is the same time of day in every time zone. */
const LONG_AGO = [1980, 0, 2] as const

/** Packs an npm package. @see https://docs.npmjs.com/cli/v11/commands/npm-pack */
export function packTarball(files: PackageFiles): Uint8Array {
  return packTar(new Map([...files].map(([path, text]) => [`package/${path}`, text])))
}

/** Packs files into a compressed tar archive. */
export function packTar(files: PackageFiles): Uint8Array {
  const entries = inOrder(files).map(([path, text]) => ({
    name: path,
    data: text,
    attrs: {
      mtime: Date.UTC(...LONG_AGO),
      uid: 0,
      gid: 0,
      user: '',
      group: '',
      mode: path.endsWith('command.js') ? '755' : '644',
    },
  }))
  return gzipSync(createTar(entries), { level: 9, mtime: Date.UTC(...LONG_AGO) })
}

/**
 * Packs a wheel of a pure Python package.
 *
 * @param name the import name, such as `prompt_hub` @see https://packaging.python.org/en/latest/specifications/binary-distribution-format/
 */
export function packWheel(files: PackageFiles, { name, version, summary, readme }: Wheel): Uint8Array {
  const info = `${name}_client-${version}.dist-info`
  const all = new Map([
    ...files,
    [`${info}/METADATA`, formatMetadata({ name, version, summary, readme })],
    [`${info}/WHEEL`, 'Wheel-Version: 1.0\nGenerator: prompt-hub\nRoot-Is-Purelib: true\nTag: py3-none-any\n'],
  ])
  const record = inOrder(all).map(([path, text]) => `${path},sha256=${digestOf(text)},${Buffer.byteLength(text)}\n`)
  all.set(`${info}/RECORD`, `${record.join('')}${info}/RECORD,,\n`)
  const zip: Zippable = {}
  for (const [path, text] of inOrder(all)) zip[path] = [Buffer.from(text), { mtime: new Date(...LONG_AGO), level: 9 }]
  return zipSync(zip)
}

/** The metadata of a wheel. */
interface Wheel {
  name: string
  version: string
  summary: string
  readme: string
}

/** @see https://packaging.python.org/en/latest/specifications/core-metadata/ */
function formatMetadata({ name, version, summary, readme }: Wheel): string {
  return [
    'Metadata-Version: 2.4',
    `Name: ${name.replaceAll('_', '-')}-client`,
    `Version: ${version}`,
    `Summary: ${summary}`,
    'License-Expression: MIT',
    'Requires-Python: >=3.9',
    'Description-Content-Type: text/markdown',
    '',
    readme,
  ].join('\n')
}

/** RECORD requires base64url without padding. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function inOrder(files: PackageFiles): [string, string][] {
  return [...files].sort(([a], [b]) => (a < b ? -1 : 1))
}
