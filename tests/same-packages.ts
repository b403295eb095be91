// Lets tests use the same copy of a package as the code they test, although the packages of the tests include others.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const SHARED = new Set(Object.keys({ ...dependencies, ...devDependencies }))
const ROOT = pathToFileURL('package.json').href
const TESTS = new URL('.', import.meta.url).href

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context
    if (!parentURL.startsWith(TESTS) || parentURL.includes('/node_modules/')) return next(specifier, context)
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ''
    return next(specifier, SHARED.has(name) ? { ...context, parentURL: ROOT } : context)
  },
})
