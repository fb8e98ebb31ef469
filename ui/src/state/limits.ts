/** As the core's own limits: what is larger is not even read. For the chat and for the pet's page. */

export const MEGABYTE = 1024 * 1024;
/** Bytes of one file. */
export const LARGEST_FILE = 20 * MEGABYTE;
/** Bytes of a text file. */
export const LARGEST_TEXT = 2 * MEGABYTE;
/** Files that go with one message. */
export const MOST_FILES = 10;
/** A text of more characters goes along as a file: it can be read there, and the field stays quick. */
export const LONG_TEXT = 12_000;
