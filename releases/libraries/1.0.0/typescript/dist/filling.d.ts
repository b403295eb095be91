import type { Variable } from './records.ts';
/** Values by variable. */
export type Values = Readonly<Record<string, string | number | boolean | null | undefined>>;
/** What filling needs to know of a variable. */
export type FillableVariable = Pick<Variable, 'name' | 'type' | 'required' | 'default' | 'options'>;
/**
 * Fills a text: the value given, else the default, else nothing for an optional variable. A value is never looked through for placeholders.
 *
 * @throws PromptHubError `invalid_values` that names every variable that is missing, unknown or of the wrong kind, or says that the text gets too long
 */
export declare function fillContent(content: string, variables: readonly FillableVariable[], values: Values): string;
