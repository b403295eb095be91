// Defines a hub's name and look, and the default.

/** A hub's name and look: the values in `site.yml` and the logo that it names. */
export interface HubLook {
  name: string
  tagline: string
  /** A BCP 47 tag. */
  language: string
  /** As #rrggbb. */
  accent?: string | undefined
  footer: { text: string; url: string }[]
  /** Where readers report a prompt; `{prompt}` stands for the version. */
  report_url?: string | undefined
  security_contact?: string | undefined
  examples: string[]
  tasks: { text: string; query: string }[]
  /** `data` is base64. */
  logo: { name: string; data: string } | undefined
}

/** The name and look of a hub without a `site.yml`. */
export const DEFAULT_LOOK: HubLook = {
  name: 'Prompt Hub',
  tagline: 'Publish and version prompts like packages',
  language: 'en',
  footer: [],
  examples: [],
  tasks: [],
  logo: undefined,
}
