import type { Variable } from './records.ts';
/**
 * A declaration file that gives each prompt of a lock its values' types.
 *
 * @param prompts full name → its variables
 */
export declare function writeTypes(prompts: ReadonlyMap<string, readonly Variable[]>): string;
