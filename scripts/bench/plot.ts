// Draws build cost by size as SVG: CPU seconds over prompts, on logarithmic axes.
import type { Row } from './measure.ts'

const WIDTH = 640
const HEIGHT = 400
const MARGIN = { left: 60, right: 170, top: 20, bottom: 50 }
const LABEL_HEIGHT = 15
const COLOURS = ['#1f6feb', '#bf8700', '#2da44e', '#8250df']

/** Draws the builds among the rows. */
export function plotBuilds(rows: readonly Row[]): string {
  const builds = rows.filter(({ name, unit }) => name.startsWith('build: ') && unit === 's')
  const names = [...new Set(builds.map(({ name }) => name))]
  const sizes = builds.map(({ prompts }) => prompts)
  const powers = range(Math.floor(Math.log10(Math.min(...sizes))), Math.ceil(Math.log10(Math.max(...sizes))))
  const [low, high] = [10 ** powers[0]!, 10 ** powers.at(-1)!]
  const [least, most] = [0.1, 1_000]
  const x = (prompts: number) =>
    MARGIN.left + (Math.log10(prompts / low) / Math.log10(high / low)) * (WIDTH - MARGIN.left - MARGIN.right)
  const y = (seconds: number) =>
    HEIGHT -
    MARGIN.bottom -
    (Math.log10(seconds / least) / Math.log10(most / least)) * (HEIGHT - MARGIN.top - MARGIN.bottom)
  const place = (row: Row) => `${x(row.prompts).toFixed(1)},${y(secondsOf(row)).toFixed(1)}`
  const grid = [
    ...powers
      .map((power) => 10 ** power)
      .map(
        (prompts) =>
          `<path d="M${x(prompts)} ${MARGIN.top}V${HEIGHT - MARGIN.bottom}"/><text x="${x(prompts)}" y="${HEIGHT - MARGIN.bottom + 18}" text-anchor="middle">${prompts.toLocaleString('en')}</text>`,
      ),
    ...[0.1, 1, 10, 100, 1_000].map(
      (seconds) =>
        `<path d="M${MARGIN.left} ${y(seconds)}H${WIDTH - MARGIN.right}"/><text x="${MARGIN.left - 8}" y="${y(seconds) + 4}" text-anchor="end">${seconds} s</text>`,
    ),
  ]
  const labels = names
    .map((name) => builds.filter((row) => row.name === name).reduce((a, b) => (a.prompts > b.prompts ? a : b)))
    .map((last) => ({ name: last.name, x: x(last.prompts) + 8, y: y(secondsOf(last)) + 4 }))
    .sort((a, b) => a.y - b.y)
  // Lines that end at nearly the same place are named below each other.
  for (const [index, label] of labels.entries())
    label.y = Math.max(label.y, (labels[index - 1]?.y ?? -LABEL_HEIGHT) + LABEL_HEIGHT)
  const labelOf = (of: string) => labels.find(({ name }) => name === of)!
  const lines = names.map((name, index) => {
    const own = builds.filter((row) => row.name === name).sort((a, b) => a.prompts - b.prompts)
    const colour = COLOURS[index % COLOURS.length]
    const dots = own.map((row) => `<circle cx="${x(row.prompts)}" cy="${y(secondsOf(row))}" r="3" fill="${colour}"/>`)
    return `<polyline points="${own.map(place).join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join('')}<text x="${labelOf(name).x}" y="${labelOf(name).y}" fill="${colour}">${name.slice('build: '.length)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#57606a"><rect width="100%" height="100%" fill="#fff"/><g stroke="#d0d7de" stroke-width="0.5">${grid.join('').replaceAll('<text', '<text stroke="none"')}</g>${lines.join('')}<text x="${(WIDTH - MARGIN.right + MARGIN.left) / 2}" y="${HEIGHT - 10}" text-anchor="middle">prompts; processor time of \`npm run build\`</text></svg>\n`
}

/** Both ends included, and never only one number. */
function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(2, to - from + 1) }, (_, index) => from + index)
}

/** Of the processor where it is known: others that work on the same machine hardly change it. */
function secondsOf({ note, measured }: Row): number {
  const [, seconds] = /([\d.]+) s of processor time/.exec(note ?? '') ?? []
  return Math.max(0.1, seconds === undefined ? measured : Number(seconds))
}
