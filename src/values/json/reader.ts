// Where the reading of JSON text stands, what bounds it, and how it fails.

import { error, type PlatformError } from '../../errors.ts';

export interface JsonLimits {
  /** How many arrays and objects may stand inside each other. */
  readonly depth: number;
  /** How many keys one object may have. */
  readonly keys: number;
  /** How many items one array may have. */
  readonly items: number;
  /** How many bytes the text may have when all that it repeats by codes is written out; without it, that is not limited by itself. */
  readonly bytes?: number;
}

export interface JsonReader {
  readonly text: string;
  readonly limits: JsonLimits;
  at: number;
  /** The next backslash or control character, when it is not behind `at`. */
  special: number;
}

export function unexpected(reader: JsonReader): PlatformError {
  const end = reader.at >= reader.text.length;
  return error('body-unreadable', { detail: `The JSON ${end ? 'ends too early' : 'is malformed'} at offset ${reader.at}.` });
}

export function tooLarge(what: string, reader: JsonReader): PlatformError {
  return error('limit-exceeded', { detail: `${what} at offset ${reader.at}.` });
}
