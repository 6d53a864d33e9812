// Mails: written from templates, which an application can replace, and sent over SMTP or put into a folder.

import type { Clock } from '../../clock.ts';
import type { OutboxContent } from '../outbox.ts';
import { folderMailer } from './mailer.ts';
import { type MailSettings, smtpMailer } from './smtp.ts';
import { templatesIn, written } from './templates.ts';

export type { MailSettings } from './smtp.ts';

/** Where mails are written and sent. */
export interface Post {
  send(content: OutboxContent): Promise<void>;
  close(): Promise<void>;
}

export interface PostParts {
  readonly settings: MailSettings | undefined;
  /** Where the application's own templates are. */
  readonly folder: string;
  /** Where mails are put while no server is configured. */
  readonly outboxFolder: string;
  readonly clock: Clock;
  /** Of each file. */
  put(file: string): void;
}

export async function openPost({ settings, folder, outboxFolder, clock, put }: PostParts): Promise<Post> {
  const mailer = settings === undefined ? folderMailer(outboxFolder, clock, put) : await smtpMailer(settings);
  const templates = templatesIn(folder);
  return { send: (content) => mailer.send(written(content, templates)), close: () => mailer.close() };
}

export type MailName = 'confirm' | 'reset' | 'exists';

/** What stands in the outbox until it is sent. */
export function mailContent(name: MailName, to: string, values: Readonly<Record<string, string>>): OutboxContent {
  return { name, to, ...values };
}
