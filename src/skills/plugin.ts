// Lists the files of a skill as a plugin: that of Agent Plugins 1.0 (https://agent-plugins.org), which Claude Code reads too, from a folder of its own.
import { hash } from 'node:crypto'
import { formatSkill, type SkillVersion } from '../domain/content/skill.ts'
import type { ArchivedFile } from '../files/archive.ts'
import { packZip } from '../files/zip.ts'

/** Describes a skill for `plugin.json`. It says nothing that can change. */
function describePlugin({ name, version, skill }: Pick<SkillVersion, 'name' | 'version' | 'skill'>) {
  return {
    $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json',
    name,
    version,
    description: skill.description,
    ...(skill.license !== null && { license: skill.license }),
  }
}

/** Formats the manifest of a skill as a plugin. */
export const formatPlugin = (version: Pick<SkillVersion, 'name' | 'version' | 'skill'>): string =>
  `${JSON.stringify(describePlugin(version), undefined, 2)}\n`

/** Lists all files of a skill as a plugin: both manifests, then the skill. @param files those beside the SKILL.md, sorted by path */
export function listPluginFiles(version: SkillVersion, files: readonly ArchivedFile[]): ArchivedFile[] {
  const manifest = Buffer.from(formatPlugin(version))
  return [
    { path: '.claude-plugin/plugin.json', bytes: manifest },
    { path: 'plugin.json', bytes: manifest },
    { path: `skills/${version.name}/SKILL.md`, bytes: Buffer.from(formatSkill(version)) },
    ...files.map(({ path, bytes }) => ({ path: `skills/${version.name}/${path}`, bytes })),
  ]
}

/** Packs a skill as a plugin, `plugin.zip`. @param files those beside the SKILL.md, sorted by path */
export const packPlugin = (version: SkillVersion, files: readonly ArchivedFile[]): Uint8Array<ArrayBuffer> =>
  packZip(listPluginFiles(version, files))

/** Computes the SHA-256 of a `plugin.zip`, in hex. */
export const digestPlugin = (version: SkillVersion, files: readonly ArchivedFile[]): string =>
  hash('sha256', packPlugin(version, files))
