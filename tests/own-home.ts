// Runs in each test file before it is loaded: neither the tests nor the programs that they start find the settings of
// whoever runs them, such as a git identity, or what another test file left behind.
import './same-packages.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Variables that name somebody, or settings outside of `HOME`. Git sets some of them for hooks. */
const PERSONAL = /^(?:EMAIL|XDG_.*|GIT_(?!CONFIG_|SSL_).*)$/

for (const name of Object.keys(process.env)) if (PERSONAL.test(name)) delete process.env[name]
process.env.HOME = temporaryFolder('hub-home-')
