// Mixes an accent colour with enough contrast in both colour schemes.

/** WCAG requires 4.5:1 for text; the extra contrast is for links on tinted backgrounds. */
const MIN_CONTRAST = 5.5
/** The darkest background in light mode, and the lightest in dark mode. Keep them equal to `src/site/styles/tokens.css`. */
const LIGHT_GROUND = [0xf2, 0xf2, 0xee]
const DARK_GROUND = [0x1c, 0x27, 0x40]

/** Returns the accent for both colour schemes: the colour mixed with black or white until it has enough contrast. @param hex as #rrggbb */
export function accentColours(hex: string): { light: string; dark: string } {
  const given = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  return { light: mixUntilClear(given, 0, LIGHT_GROUND), dark: mixUntilClear(given, 255, DARK_GROUND) }
}

function mixUntilClear(colour: readonly number[], target: number, ground: readonly number[]): string {
  for (let percent = 0; ; percent += 2) {
    const mixed = colour.map((part) => Math.round(part + ((target - part) * percent) / 100))
    if (percent >= 100 || contrast(mixed, ground) >= MIN_CONTRAST)
      return `#${mixed.map((part) => part.toString(16).padStart(2, '0')).join('')}`
  }
}

/** Returns the contrast ratio of two colours, from 1 to 21. See WCAG 2.2, relative luminance. */
export function contrast(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

function luminance(colour: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = colour.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
