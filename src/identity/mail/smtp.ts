// Mails over SMTP; the library is loaded when authentication is on and a mail server is configured.

import type { Mailer } from './mailer.ts';

export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** Whether the connection is encrypted from its start; otherwise as soon as the server offers it. */
  readonly secure: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly from: string;
}

/** Milliseconds that the server has for each step. */
const patience = 10_000;

export async function smtpMailer({ host, port, secure, username, password, from }: MailSettings): Promise<Mailer> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    secure,
    ...(username === undefined ? {} : { auth: { user: username, pass: password ?? '' } }),
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, subject, text, html }) {
      await transport.sendMail({ from, to, subject, text, html });
    },
    close: async () => transport.close(),
  };
}
