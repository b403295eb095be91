// `npm run pack:release -- FOLDER`: packs the committed code with its packages, so that an upgrade needs no registry; with its SBOM and checksums.
import { execFileSync, spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { VERSION } from '../../src/version.ts'
import { runCommand } from '../run-command.ts'

const USAGE = `Usage: npm run pack:release -- FOLDER

Writes prompt-hub-${VERSION}-PLATFORM.tar.gz, its SBOM (CycloneDX) and SHA256SUMS to the folder. The packages include
programs, so the archive is for the platform of this machine.`

await runCommand({ help: USAGE, allowPositionals: true }, ({ positionals: [given, ...more] }) => {
  if (given === undefined || more.length > 0) throw new Error('expected one folder')
  const folder = resolve(given)
  mkdirSync(folder, { recursive: true })
  const work = mkdtempSync(join(folder, 'pack-'))
  try {
    for (const name of pack(folder, work)) console.log(join(folder, name))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
})

function pack(folder: string, work: string): string[] {
  const name = `prompt-hub-${VERSION}`
  const archive = `${name}-${process.platform}-${process.arch}.tar.gz`
  const sbom = `${name}.cdx.json`
  const code = join(work, name)
  const tar = join(work, 'code.tar')
  execFileSync('git', ['archive', '--format=tar', `--prefix=${name}/`, `--output=${tar}`, 'HEAD'])
  execFileSync('tar', ['--extract', `--file=${tar}`, `--directory=${work}`])
  const { status } = spawnSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: code, stdio: 'inherit' })
  if (status !== 0) throw new Error('The packages were not installed.')
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only']
  writeFileSync(join(folder, sbom), execFileSync('npm', args, { cwd: code, maxBuffer: 2 ** 26 }))
  const time = execFileSync('git', ['log', '-1', '--format=%cI'], { encoding: 'utf8' }).trim()
  // The same commit and packages make the same order, times and owners.
  const stable = ['--sort=name', `--mtime=${time}`, '--owner=0', '--group=0', '--numeric-owner']
  execFileSync('tar', ['--create', '--gzip', ...stable, `--file=${join(folder, archive)}`, `--directory=${work}`, name])
  const sums = [archive, sbom].map((file) => `${hash('sha256', readFileSync(join(folder, file)))}  ${file}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
  return [archive, sbom, 'SHA256SUMS']
}
