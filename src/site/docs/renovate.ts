// The preset for Renovate: how to find versions of prompts in a project's files, and where to look up newer ones. https://docs.renovatebot.com/modules/datasource/custom/

/** A version of a prompt, with the names that Renovate expects. RE2 runs these patterns. */
const NAME = '(?<depName>[a-z0-9-]{1,39}/[a-z0-9-]{1,64})'
const VERSION = '(?<currentValue>\\d{1,6}\\.\\d{1,6}\\.\\d{1,6})'

/** Files in which programs and scripts name prompts. */
const FILES = [
  '/\\.[cm]?[jt]sx?$/',
  '/\\.pyi?$/',
  '/\\.(?:sh|bash|ya?ml|md|toml)$/',
  '/(?:^|/)(?:Makefile|Dockerfile|justfile)$/',
]

/** Returns the preset of a hub. @param baseUrl the hub's URL, without a trailing slash */
export function describeForRenovate(baseUrl: string): Record<string, unknown> {
  const address = baseUrl.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return {
    $schema: 'https://docs.renovatebot.com/renovate-schema.json',
    description: [`Finds newer versions of prompts on ${baseUrl}`],
    customDatasources: {
      'prompt-hub': {
        defaultRegistryUrlTemplate: `${baseUrl}/data/v1/repos/{{packageName}}/versions.json`,
        transformTemplates: [
          '{"releases": [data[yanked = false].{"version": version, "releaseTimestamp": available_at, "newDigest": content_sha256}]}',
        ],
      },
    },
    customManagers: [
      {
        customType: 'regex',
        managerFilePatterns: FILES,
        matchStrings: [
          `\\.get\\(\\s*["'\`]${NAME}@${VERSION}["'\`]`,
          `\\bhubcli (?:cat|pull|render|export) ["']?${NAME}@${VERSION}\\b`,
          `${address}/api/v1/repos/${NAME}/raw\\?version=${VERSION}\\b`,
        ],
        datasourceTemplate: 'custom.prompt-hub',
        versioningTemplate: 'semver',
        packageNameTemplate: '{{depName}}',
      },
    ],
    packageRules: [
      {
        description: 'A day is enough for others to notice a bad version',
        matchDatasources: ['custom.prompt-hub'],
        minimumReleaseAge: '1 day',
      },
    ],
  }
}
