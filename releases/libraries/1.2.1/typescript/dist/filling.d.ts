import type { Variable } from './records.ts';
/** Values by variable. */
export type Values = Readonly<Record<string, string | number | boolean | null | undefined>>;
/** The inputs of filling for one variable. */
export type FillableVariable = Pick<Variable, 'name' | 'type' | 'required' | 'default' | 'options'>;
/**
 * Fills in a text's variables: each gets the given value, or else its default, or else, if it is optional, nothing. Values are never scanned for placeholders.
 *
 * @throws PromptHubError `invalid_values` naming every missing, unknown or invalid variable, or reporting that the text is too long
 */
export declare function fillContent(content: string, variables: readonly FillableVariable[], values: Values): string;
/** Fills several texts with the same values, each like `fillContent`; the size limit applies to their sum. */
export declare function fillTexts(contents: readonly string[], variables: readonly FillableVariable[], values: Values): string[];
/** The variables of a text without a record: each placeholder as a required string, because nothing more is known. */
export declare function findVariables(content: string): Variable[];
