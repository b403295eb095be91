// Shortens large numbers for lists.
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** Formats a number with at most three digits or so, such as `68k` or `1.2m`. */
export const formatShortCount = (count: number): string => SHORT.format(count).toLowerCase()
