// Makes the npm package of a version. Its bytes depend on what never changes alone, so a lock file of npm holds for ever.
import { hash } from 'node:crypto'
import type { VersionRecord } from '../domain/api/schema.ts'
import { type ArchivedFile, packFiles } from '../files/archive.ts'
import type { PackageDigests } from './npm.ts'
import { listPluginFiles } from './plugin.ts'

/**
 * Packs a version for npm. Everything is below `package/`, as npm expects; the files of a skill are in a folder of their own, because npm runs what a `binding.gyp` at the root says.
 *
 * @param files those beside the SKILL.md, sorted by path
 */
export function packPackage(record: VersionRecord, files: readonly ArchivedFile[]): Uint8Array<ArrayBuffer> {
  const { owner, name, full_name, version, format, content, content_sha256, variables, parameters, skill } = record
  const manifest = {
    name: `@${owner}/${name}`,
    version,
    ...(skill && { description: skill.description, ...(skill.license !== null && { license: skill.license }) }),
    main: 'prompt.json',
    exports: { '.': './prompt.json', './*': './*' },
  }
  const prompt = { full_name, version, format, content, content_sha256, variables, parameters }
  const plugin = skill ? listPluginFiles({ ...record, skill }, files) : []
  const all = [
    { path: 'package.json', bytes: Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`) },
    { path: 'prompt.json', bytes: Buffer.from(`${JSON.stringify(prompt, undefined, 2)}\n`) },
    { path: 'PROMPT.md', bytes: Buffer.from(content) },
    ...plugin,
  ]
  return packFiles(all.map(({ path, bytes }) => ({ path: `package/${path}`, bytes })))
}

/** Computes what npm verifies of a package: SHA-512, and SHA-1 for Yarn 1. */
export function digestPackage(bytes: Uint8Array): PackageDigests {
  return { integrity: `sha512-${hash('sha512', bytes, 'base64')}`, shasum: hash('sha1', bytes) }
}
