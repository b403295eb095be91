/** What to do: write the file, tell the user what to add to their own file, or nothing. */
export type AttributesPlan = {
    kind: 'write';
    path: string;
    text: string;
} | {
    kind: 'say';
    sentence: string;
} | {
    kind: 'none';
};
/** @param target path of the prompt's content, relative to the lock's folder */
export declare function planAttributes(lockPath: string, target: string): Promise<AttributesPlan>;
