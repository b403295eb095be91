// Checks the lock files: everything that npm installs is verified against a checksum in them.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      integrity: z.string().optional(),
      link: z.boolean().optional(),
      inBundle: z.boolean().optional(),
    }),
  ),
})

test.each([
  ['package-lock.json', 400],
  ['tests/package-lock.json', 1000],
])('%s has a checksum for every package', (path, least) => {
  // Bundled packages are covered by the checksum of the package that contains them.
  const packages = Object.entries(Lock.parse(JSON.parse(readFileSync(path, 'utf8'))).packages).filter(
    ([place, { link, inBundle }]) => place.includes('node_modules/') && !link && !inBundle,
  )
  expect(packages.length).toBeGreaterThan(least)
  const without = packages.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''))
  expect(without.map(([place]) => place)).toEqual([])
})
