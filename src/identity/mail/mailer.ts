// How mails leave. Without a mail server they become files in a folder that only the operator reads.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** How mails leave. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
  close(): Promise<void>;
}

export function folderMailer(folder: string, clock: Clock, told: (file: string) => void): Mailer {
  return {
    async send({ to, subject, text }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, `${clock.uuid()}.eml`);
      const lines = [`To: ${to}`, `Subject: ${subject}`, `Date: ${clock.now().toUTCString()}`, 'Content-Type: text/plain; charset=utf-8'];
      await writeFile(file, `${lines.join('\r\n')}\r\n\r\n${text}`, { mode: 0o600 });
      told(file);
    },
    close: async () => {},
  };
}
