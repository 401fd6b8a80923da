import { countLeading } from '../../util/sorted';
import type { Definition, DefinitionKind } from '../store/records';
import { CommentReader } from './comments';
import type { CallableStyle, LanguageRules } from './definitionRules';
import { RULES_BY_EXTENSION } from './definitionRules';
import { detached } from './detached';
import { EnumReader } from './enumMembers';

/** A definition names itself at the start of its line; what stands beyond this is not looked at, so time stays linear. */
const MAX_HEAD = 320;
/** How far the closing parenthesis of a parameter list may be: lines, and characters over all of them. */
const MAX_PARAMETER_LINES = 24;
const MAX_PARAMETER_CHARACTERS = 2000;

/** Words that may follow `class` or `const` and are no name (`export default class extends Base`). */
const RESERVED: ReadonlySet<string> = new Set(
  '_ class const enum extends for function func fun if implements interface let new return struct var while'.split(' '),
);
/** Words that stand in front of a parenthesis without being called or defined. */
const STATEMENTS: ReadonlySet<string> = new Set(
  (
    'if for foreach while switch catch return else function do try with new typeof sizeof case throw yield await super ' +
    'assert static_assert decltype alignof __attribute__'
  ).split(' '),
);
/** Words in front of a name and a parenthesis that make it a call or a statement. */
const BEFORE_CALLS: ReadonlySet<string> = new Set(
  'return new else throw case await yield delete typeof in of goto do not and or assert is as when if while var'.split(
    ' ',
  ),
);

const TYPE_IN_FRONT = /^[\p{L}\p{M}\p{Nd}_$\s*&:<>,.[\]?~@|]*$/u;
const NAME_AT_END = /([~#]?[\p{L}_$][\p{L}\p{M}\p{Nd}_$]*)\s*(?:<[^<>]*>)?\s*\??\s*$/u;
const LAST_WORD = /([\p{L}_$][\p{L}\p{Nd}_$]*)\s*$/u;
const GO_GROUP = /^(type|const|var)\s*\(\s*(?:\/\/.*)?$/u;
const GO_GROUP_NAME = /^(?:\t| {1,4})([\p{L}_][\p{L}\p{Nd}_]*)(?=[\s,=]|$)/u;

/** One line as the rules see it. */
interface CodeLine {
  /** Without indentation, at most `MAX_HEAD` characters. */
  readonly head: string;
  /** The head after its modifiers. */
  readonly rest: string;
  readonly indented: boolean;
  readonly modified: boolean;
  readonly lines: readonly string[];
  readonly index: number;
}

interface Found {
  readonly name: string;
  readonly kind: DefinitionKind;
}

/**
 * The names that a content defines, at most one a line, in order of their lines (1-based). Rules for each language, no
 * grammar: comments are passed over, names in the middle of a line are not seen.
 * @param extension of the file's name, lower case without the dot; an unknown one has no definitions.
 */
export function definitionsIn(lines: readonly string[], extension: string): Definition[] {
  const language = RULES_BY_EXTENSION.get(extension);
  if (language === undefined) return [];
  const definitions: Definition[] = [];
  const comments = new CommentReader(language.comment);
  const enumerations = new EnumReader();
  let group: DefinitionKind | undefined;
  for (const [index, line] of lines.entries()) {
    const start = line.search(/\S/);
    if (start < 0) continue;
    if (comments.covers(line, start)) continue;
    const head = line.slice(start, start + MAX_HEAD);
    if (language.groups === true) {
      const opened = GO_GROUP.exec(line);
      if (opened !== null) group = opened[1] === 'type' ? 'type' : 'variable';
      else if (start === 0) group = undefined;
    }
    const found =
      group === undefined ? definitionOn(head, start > 0, lines, index, language) : groupedName(line, group);
    const member =
      language.comment === 'slash' || language.comment === 'php' ? enumerations.memberOn(head, start) : undefined;
    const named = found ?? (member === undefined ? undefined : { name: member, kind: 'variable' as const });
    if (named !== undefined) definitions.push({ name: detached(named.name), line: index + 1, kind: named.kind });
  }
  return definitions;
}

/** The name of the definition that a line (1-based) most likely stands in, see `enclosingDefinition`. */
export function enclosingSymbol(definitions: readonly Definition[], line: number): string | undefined {
  return enclosingDefinition(definitions, line)?.name;
}

/** The definition that a line (1-based) most likely stands in: the last one at or above it. `definitions` in order. */
export function enclosingDefinition(definitions: readonly Definition[], line: number): Definition | undefined {
  const atOrAbove = countLeading(definitions, definition => definition.line <= line);
  for (let at = atOrAbove - 1; at >= 0; at--) {
    const definition = definitions[at];
    if (definition === undefined) break;
    // A variable or macro ends with its line, everything else goes on.
    const endsAtOnce = definition.kind === 'variable' || definition.kind === 'macro';
    if (!endsAtOnce || definition.line === line) return definition;
  }
  return undefined;
}

function groupedName(line: string, kind: DefinitionKind): Found | undefined {
  const name = GO_GROUP_NAME.exec(line)?.[1];
  return name === undefined || name === '_' ? undefined : { name, kind };
}

function definitionOn(
  head: string,
  indented: boolean,
  lines: readonly string[],
  index: number,
  language: LanguageRules,
): Found | undefined {
  const rest = withoutModifiers(head, language.modifier);
  const line: CodeLine = { head, rest, indented, modified: rest.length < head.length, lines, index };
  for (const { pattern, kind, only } of language.rules) {
    if (only === 'top' && indented) continue;
    if (only === 'outer' && indented && !line.modified) continue;
    if (only === 'member' && !(indented && line.modified)) continue;
    const name = pattern.exec(rest)?.[1];
    if (name !== undefined && !RESERVED.has(name)) return { name, kind };
  }
  return language.callable === undefined ? undefined : callableOn(line, language.callable);
}

function withoutModifiers(head: string, modifier: RegExp | undefined): string {
  if (modifier === undefined) return head;
  let end = 0;
  modifier.lastIndex = 0;
  while (modifier.test(head)) end = modifier.lastIndex;
  return end === 0 ? head : head.slice(end);
}

/** `type name(parameters) {` and its like, where what follows the parameters tells a definition from a call. */
function callableOn(line: CodeLine, style: CallableStyle): Found | undefined {
  const open = line.rest.indexOf('(');
  if (open <= 0) return undefined;
  const prefix = line.rest.slice(0, open);
  const match = NAME_AT_END.exec(prefix);
  const name = match?.[1]?.replace(/^[~#]/, '');
  if (match === null || name === undefined || STATEMENTS.has(name)) return undefined;
  const front = prefix.slice(0, match.index).trim();
  if (!mayStandInFront(front, line, style) || !maySelfName(name, front, line, style)) return undefined;
  const after = afterParameters(line, open);
  if (after === undefined || !style.after.test(after)) return undefined;
  const constructor = front === '' && !line.modified && style.shape === 'typed';
  return constructor && !after.trimStart().startsWith('{') ? undefined : { name, kind: 'function' };
}

function mayStandInFront(front: string, line: CodeLine, style: CallableStyle): boolean {
  if (style.shape === 'script') return line.indented && (front === '' || front === '*');
  if (!TYPE_IN_FRONT.test(front) || front.endsWith('.')) return false;
  if (front.endsWith(':') && style.shape !== 'c') return false;
  const word = LAST_WORD.exec(front)?.[1];
  return word === undefined || !BEFORE_CALLS.has(word);
}

/** Without a type in front a name must look like a constructor's, so that `forEachItem(list) {` is not taken for one. */
function maySelfName(name: string, front: string, line: CodeLine, style: CallableStyle): boolean {
  if (front !== '' || style.shape === 'script') return true;
  if (style.shape === 'c' && !line.indented) return true;
  return /^\p{Lu}/u.test(name) && /\p{Ll}/u.test(name);
}

/** What follows the parenthesis that closes the one at `open` of the line's rest: that line's end and the next two lines. */
function afterParameters(line: CodeLine, open: number): string | undefined {
  const { lines, index } = line;
  let depth = 0;
  let seen = 0;
  const last = Math.min(lines.length, index + MAX_PARAMETER_LINES);
  for (let at = index; at < last && seen < MAX_PARAMETER_CHARACTERS; at++) {
    const text = at === index ? line.rest : (lines[at] ?? '').slice(0, MAX_HEAD);
    for (let column = at === index ? open : 0; column < text.length; column++) {
      const character = text[column];
      if (character === '(') depth++;
      else if (character === '"' || character === "'") column = endOfText(text, column);
      else if (character === ')' && --depth === 0) {
        const following = lines.slice(at + 1, at + 3).map(next => next.slice(0, MAX_HEAD));
        return [text.slice(column + 1), ...following].join('\n');
      }
    }
    seen += text.length;
  }
  return undefined;
}

/** Where a quoted text ends; where it does not end on its line the quote means something else. */
function endOfText(line: string, start: number): number {
  const end = line.indexOf(line.charAt(start), start + 1);
  return end < 0 ? start : end;
}
