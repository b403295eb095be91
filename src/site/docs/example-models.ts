// The models that all examples of the docs name. src/site/docs/example-models.test.ts fails when one of them is about to retire.

/** Current models without an announced end, by the name that stands for them in the text of a guide. */
export const EXAMPLE_MODELS = {
  OPENAI_MODEL: 'gpt-6.1-sol',
  ANTHROPIC_MODEL: 'claude-opus-5-5',
} as const

/** Replaces the names in a text by the models. */
export function nameModels(text: string): string {
  return Object.entries(EXAMPLE_MODELS).reduce((named, [name, model]) => named.replaceAll(name, model), text)
}
