// The texts of mails: those of the service, and those that stand in `mail/` of the application in place of them.

import type { OutboxContent } from '../outbox.ts';
import type { Mail } from './mailer.ts';
import { readTemplate } from './template-file.ts';

export interface Templates {
  /** Of the application, or the one that the service has. The first line of a text is `Subject: …`. */
  of(name: string, kind: 'txt' | 'html'): string;
}

/** `{{name}}` stands for a value. */
const own: Readonly<Record<string, string>> = {
  'confirm.txt': `Subject: Confirm your address for {{application}}

Somebody, probably you, has signed up for {{application}} with this address.

Your code: {{code}}

It is valid for ten minutes.{{link}}{{note}}

If it was not you, there is nothing to do: without the code nothing happens.
`,
  'reset.txt': `Subject: A new password for {{application}}

Somebody, probably you, wants to set a new password for {{application}}.

Your code: {{code}}

It is valid for ten minutes. If it was not you, there is nothing to do: your password stays what it is.
`,
  'exists.txt': `Subject: You have an account for {{application}}

Somebody, probably you, has signed up for {{application}} with this address, which has an account already.
Log in with it; if you do not know the password any more, ask for a new one.
`,
};

export function templatesIn(folder: string): Templates {
  return {
    of(name, kind) {
      const file = `${name}.${kind}`;
      return readTemplate(folder, file) ?? own[file] ?? '';
    },
  };
}

export function written(content: OutboxContent, templates: Templates): Mail {
  const name = String(content['name']);
  const text = filled(templates.of(name, 'txt'), content, (value) => value);
  const [first = '', ...rest] = text.split('\n');
  const hasSubject = first.startsWith('Subject: ');
  const body = (hasSubject ? rest.join('\n') : text).replace(/^\n+/, '');
  const html = filled(templates.of(name, 'html'), content, escaped);
  return {
    to: String(content['to']),
    // A header is one line.
    subject: (hasSubject ? first.slice('Subject: '.length) : name).replace(/[\r\n]+/g, ' '),
    text: body,
    html: html === '' ? `<pre style="font: inherit; white-space: pre-wrap">${escaped(body)}</pre>` : html,
  };
}

function filled(template: string, values: OutboxContent, shown: (value: string) => string): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => shown(String(values[name] ?? '')));
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);
}
