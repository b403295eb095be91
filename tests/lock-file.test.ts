// Checks package-lock.json: everything that npm installs is verified against a checksum in it.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
      inBundle: z.boolean().optional(),
    }),
  ),
})

/** All installed packages except bundled ones, which are covered by the checksum of the package that contains them. */
const installed = Object.entries(Lock.parse(JSON.parse(readFileSync('package-lock.json', 'utf8'))).packages).filter(
  ([path, { link, inBundle }]) => path !== '' && !link && !inBundle,
)

/**
 * Binaries for other platforms, which were not installed when the lock file was created, so it has no checksum for
 * these versions. To remove one from this list, get the checksum with `npm view {name}@{version} dist.integrity`.
 */
const WITHOUT_CHECKSUM = [
  '@astrojs/compiler-binding-android-arm64@0.5.1',
  '@astrojs/compiler-binding-darwin-arm64@0.5.1',
  '@astrojs/compiler-binding-darwin-x64@0.5.1',
  '@astrojs/compiler-binding-linux-arm64-gnu@0.5.1',
  '@astrojs/compiler-binding-linux-arm64-musl@0.5.1',
  '@astrojs/compiler-binding-wasm32-wasi@0.5.1',
  '@astrojs/compiler-binding-win32-arm64-msvc@0.5.1',
  '@astrojs/compiler-binding-win32-x64-msvc@0.5.1',
  '@biomejs/cli-android-arm64@2.6.8',
  '@biomejs/cli-android-x64@2.6.8',
  '@biomejs/cli-darwin-arm64@2.6.8',
  '@biomejs/cli-darwin-x64@2.6.8',
  '@biomejs/cli-linux-arm64-musl@2.6.8',
  '@biomejs/cli-linux-x64-musl@2.6.8',
  '@biomejs/cli-win32-arm64@2.6.8',
  '@biomejs/cli-win32-x64@2.6.8',
]

test('every lock file entry has a checksum, except those listed here', () => {
  expect(installed.length).toBeGreaterThan(500)
  const without = installed
    .filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
  expect(without.sort()).toEqual(WITHOUT_CHECKSUM)
})
