import type { Translator } from '../../i18n/translate.ts';
import type { CommandSpec, OptionSpec } from '../dispatch/command-texts.ts';
import { type Block, type Reply, reply, type Text } from '../reply.ts';
import { sentence } from './sentence.ts';

/** Everything Medley does, in groups: pasted links first, since most people need nothing else. */
export function renderHelp(specs: readonly CommandSpec[], t: Translator): Reply {
  const words = t.messages.help;
  const links: readonly Block[] = [
    { kind: 'heading', text: [words.links] },
    { kind: 'text', text: sentence(words.linksText) },
    { kind: 'divider' },
  ];
  return reply({
    blocks: [
      ...(specs.some(({ accepts }) => accepts === 'link') ? links : []),
      { kind: 'heading', text: [words.commands] },
      {
        kind: 'fields',
        fields: specs.map(({ name, usage, description }) => ({ label: usage, value: [description], command: name })),
      },
      { kind: 'text', text: sentence(words.moreText) },
    ],
    visibility: 'caller',
  });
}

export function renderCommandHelp(spec: CommandSpec, t: Translator): Reply {
  const words = t.messages.help;
  const blocks: Block[] = [
    { kind: 'heading', text: [{ kind: 'command', name: spec.name }] },
    { kind: 'text', text: [spec.description] },
    { kind: 'text', text: [`${words.usage}: `, { kind: 'code', children: [spec.usage] }] },
  ];
  if (spec.options.length > 0) {
    blocks.push({
      kind: 'fields',
      fields: spec.options.map(option => ({ label: option.name, value: optionText(option, t) })),
    });
  }
  return reply({ blocks, visibility: 'caller' });
}

function optionText(spec: OptionSpec, t: Translator): Text {
  const words = t.messages.help;
  const { option } = spec;
  const notes: string[] = [];
  if (option.type === 'integer') notes.push(words.range(option.min, option.max));
  if (option.type === 'boolean') notes.push(words.yesNo);
  if (option.type === 'choice') notes.push(option.choices.join(', '));
  if (!option.required) notes.push(words.optional);
  return notes.length === 0
    ? [spec.description]
    : [spec.description, ' ', { kind: 'emphasis', children: [`(${notes.join('; ')})`] }];
}
