/** The part after the `@` of a dependency. */
export type Wish = {
    kind: 'version';
    version: string;
} | {
    kind: 'range';
    range: string;
} | {
    kind: 'label';
    label: string;
};
/**
 * Parses the part after the `@`: a version, a range, or the name of a label.
 *
 * @returns undefined when it is none of them
 */
export declare function readWish(text: string): Wish | undefined;
/** Whether a string is a version, x.y.z. */
export declare function isVersion(text: string): boolean;
/** Whether a string is a range: `1.2.3`, `^1.2`, `~1.2.3`, `1.x`, `1`, `*`. */
export declare function isRange(text: string): boolean;
/** Whether a version is in a range. False when either is invalid. */
export declare function satisfies(version: string, range: string): boolean;
/** The highest of some versions in a range, or undefined. */
export declare function highestIn(versions: Iterable<string>, range: string): string | undefined;
