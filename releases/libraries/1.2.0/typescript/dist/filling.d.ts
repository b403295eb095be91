import type { Variable } from './records.ts';
/** Values by variable. */
export type Values = Readonly<Record<string, string | number | boolean | null | undefined>>;
/** The inputs of filling for one variable. */
export type FillableVariable = Pick<Variable, 'name' | 'type' | 'required' | 'default' | 'options'>;
/**
 * Fills a text: the given value, else the default, else nothing for an optional variable. Values are never scanned for placeholders.
 *
 * @throws PromptHubError `invalid_values` naming every missing, unknown or invalid variable, or reporting that the text is too long
 */
export declare function fillContent(content: string, variables: readonly FillableVariable[], values: Values): string;
/** Fills several texts with the same values, separately, like `fillContent`; the limit applies to all of them together. */
export declare function fillTexts(contents: readonly string[], variables: readonly FillableVariable[], values: Values): string[];
