import type { Variable } from './records.ts';
/**
 * A declaration file with the value types of each prompt in a lock.
 *
 * @param prompts full name → its variables
 */
export declare function writeTypes(prompts: ReadonlyMap<string, readonly Variable[]>): string;
