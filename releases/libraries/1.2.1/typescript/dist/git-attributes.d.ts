/** The name of the file. */
export declare const ATTRIBUTES = ".gitattributes";
/**
 * Plans the file for a prompt that is added to a lock.
 *
 * @param target path of the prompt's content, relative to the lock's folder
 * @returns the new text of the file, or what the user must add to their own one; neither if nothing is missing
 */
export declare function planAttributes(lockPath: string, target: string): Promise<{
    text?: string;
    sentence?: string;
}>;
