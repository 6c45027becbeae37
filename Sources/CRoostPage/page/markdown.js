// Renders the common part of Markdown as elements. Text becomes text nodes only; links open web addresses only; images
// are links, so that nothing is loaded.

import { el } from './dom.js';

const maximumLength = 300_000;
/** Returns a web or mail address; null for others, such as those of scripts. */
export const safeLink = address => /^(https?:|mailto:)/i.test(address.trim()) ? address.trim() : null;

/** Returns the elements of a text. `follow` is called with the target of a link to another note. */
export function markdown(text, follow) {
  const lines = text.slice(0, maximumLength).replace(/\r\n?/g, '\n').split('\n');
  const context = { lines, at: 0, follow };
  if (/^---\s*$/.test(lines[0] ?? '')) {
    const end = lines.findIndex((line, at) => at > 0 && /^(---|\.\.\.)\s*$/.test(line));
    if (end > 0) context.at = end + 1;
  }
  const result = blocks(context);
  if (text.length > maximumLength) result.push(el('p', { class: 'soft', text: '…' }));
  return result;
}

/** Returns a text on one line without its markup. */
export function plain(text) {
  const parts = el('div', {}, markdown(text, () => {}));
  for (const part of parts.querySelectorAll('h3, h4, h5, h6, p, li, pre, td, th')) part.append(' ');
  return parts.textContent.replace(/\s+/g, ' ').trim();
}

const listItem = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;

function blocks(context) {
  const { lines, follow } = context;
  const result = [];
  while (context.at < lines.length) {
    const line = lines[context.at];
    const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line);
    const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+-]*)/.exec(line);
    if (!line.trim()) context.at++;
    else if (fence) result.push(fenced(context, fence));
    else if (heading) {
      context.at++;
      result.push(el(`h${Math.min(6, heading[1].length + 2)}`, { dir: 'auto' }, inline(heading[2], follow)));
    } else if (/^ {0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) { context.at++; result.push(el('hr')); }
    else if (/^ {0,3}>/.test(line)) result.push(quote(context));
    else if (listItem.test(line)) result.push(list(context, 0));
    else if (/^\s*\|.*\|\s*$/.test(line) && /^\s*\|?[\s:|-]+\|[\s:|-]*$/.test(lines[context.at + 1] ?? '')) {
      result.push(table(context));
    } else if (/^( {4}|\t)/.test(line)) result.push(indented(context));
    else result.push(paragraph(context));
  }
  return result;
}

function fenced(context, [, marks, name]) {
  const { lines } = context;
  const code = [];
  while (++context.at < lines.length && !lines[context.at].trim().startsWith(marks)) code.push(lines[context.at]);
  context.at++;
  return el('pre', { dir: 'ltr', tabindex: '0' }, el('code', {}, highlighted(code.join('\n'), name)));
}

function indented(context) {
  const code = [];
  while (context.at < context.lines.length && /^( {4}|\t|\s*$)/.test(context.lines[context.at])) {
    code.push(context.lines[context.at++].replace(/^( {4}|\t)/, ''));
  }
  return el('pre', { dir: 'ltr', tabindex: '0' }, el('code', { text: code.join('\n').trimEnd() }));
}

function quote(context) {
  const inner = [];
  while (context.at < context.lines.length && /^ {0,3}>/.test(context.lines[context.at])) {
    inner.push(context.lines[context.at++].replace(/^ {0,3}> ?/, ''));
  }
  // Deeper levels are shown as text, so that hostile nesting cannot exhaust the stack.
  return el('blockquote', { dir: 'auto' },
    blocks({ lines: context.depth > 5 ? [inner.join(' ').replaceAll('>', '')] : inner, at: 0, follow: context.follow,
      depth: (context.depth ?? 0) + 1 }));
}

function list(context, depth) {
  const { lines, follow } = context;
  const first = listItem.exec(lines[context.at]);
  const indent = first[1].length;
  const element = el(/\d/.test(first[2]) ? 'ol' : 'ul', {});
  if (/\d/.test(first[2])) element.start = parseInt(first[2], 10);
  while (context.at < lines.length) {
    const match = listItem.exec(lines[context.at]);
    if (match && match[1].length > indent + 1 && depth < 8 && element.lastChild) {
      element.lastChild.append(list(context, depth + 1));
    } else if (match && (match[1].length >= indent || depth === 0)) {
      context.at++;
      const task = /^\[([ xX])\]\s+(.*)$/.exec(match[3]);
      const parts = [task ? (task[1] === ' ' ? '☐ ' : '☑ ') : null, inline(task ? task[2] : match[3], follow)];
      element.append(el('li', { dir: 'auto' }, parts.flat()));
    } else if (!match && lines[context.at].trim() && /^\s+/.test(lines[context.at]) && element.lastChild) {
      element.lastChild.append(' ', ...inline(lines[context.at++].trim(), follow));
    } else if (!lines[context.at].trim() && listItem.test(lines[context.at + 1] ?? '')
      && /^\s*/.exec(lines[context.at + 1])[0].length >= indent) {
      context.at++;
    } else break;
  }
  return element;
}

function table(context) {
  const { lines, follow } = context;
  const cells = line => line.trim().replace(/^\||\|$/g, '').split('|').map(cell => cell.trim());
  const head = cells(lines[context.at]);
  context.at += 2;
  const rows = [];
  while (context.at < lines.length && lines[context.at].includes('|') && lines[context.at].trim()) {
    rows.push(cells(lines[context.at++]));
  }
  return el('div', { class: 'scroll', tabindex: '0' }, el('table', {},
    el('thead', {}, el('tr', {}, head.map(cell => el('th', { dir: 'auto' }, inline(cell, follow))))),
    el('tbody', {}, rows.map(row => el('tr', {}, row.map(cell => el('td', { dir: 'auto' }, inline(cell, follow))))))));
}

function paragraph(context) {
  const { lines } = context;
  const text = [];
  while (context.at < lines.length && lines[context.at].trim()
    && (text.length === 0 || !/^ {0,3}(#{1,6}\s|>|`{3,}|~{3,})/.test(lines[context.at]))
    && (text.length === 0 || !listItem.test(lines[context.at]))) text.push(lines[context.at++]);
  // Lines that a program has wrapped are joined; short lines stay.
  const isWrapped = text.length > 1 && text.slice(0, -1).every(line => line.length > 55 && !/ {2}$/.test(line));
  return el('p', { dir: 'auto' }, inline(text.join(isWrapped ? ' ' : '\n'), context.follow));
}

const inlinePattern = new RegExp([
  /(`+)([\s\S]+?)\1(?!`)/.source, // code
  /!?\[\[([^\]\n|]{1,500})(?:\|([^\]\n]{0,500}))?\]\]/.source, // a link to a note
  /!?\[([^\]\n]{0,500})\]\(([^\s)]{0,2000})[^)\n]{0,500}\)/.source, // a link
  /<(https?:\/\/[^\s<>]{1,2000})>|(https?:\/\/[^\s<>"'`]{1,2000}[^\s<>"'`.,;:!?)\]])/.source, // an address
  /(\*\*|__)(?=\S)([^\n]{1,2000}?\S?)\9/.source, // strong
  /(\*|_)(?=\S)([^\n*_]{1,2000}?)\11(?!\w)/.source, // emphasis
  /~~([^~\n]{1,2000})~~/.source, // deleted
].join('|'), 'g');

function inline(text, follow, depth = 0) {
  const result = [];
  let end = 0;
  for (const match of text.matchAll(inlinePattern)) {
    if (match.index > end) result.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    const [all, , code, note, noteName, linkName, target, angle, bare, , strong, , emphasis, deleted] = match;
    const inner = value => depth < 4 ? inline(value, follow, depth + 1) : [value];
    if (code !== undefined) result.push(el('code', { text: code.trim() }));
    else if (note !== undefined) result.push(noteLink(note, noteName || note, follow));
    else if (target !== undefined) {
      const address = safeLink(target);
      const name = linkName || target;
      if (address) result.push(webLink(address, name));
      else result.push(/^[\w+.-]+:/.test(target) ? all : noteLink(decoded(target), name, follow));
    } else if (angle ?? bare) result.push(webLink(angle ?? bare, angle ?? bare));
    else if (strong !== undefined) result.push(el('strong', {}, inner(strong)));
    else if (emphasis !== undefined) result.push(el('em', {}, inner(emphasis)));
    else if (deleted !== undefined) result.push(el('del', {}, inner(deleted)));
  }
  if (end < text.length) result.push(text.slice(end));
  return result;
}

export function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

export const webLink = (address, text) =>
  el('a', { href: address, target: '_blank', rel: 'noopener noreferrer', text });

const noteLink = (target, text, follow) =>
  el('button', { type: 'button', class: 'link', text, onclick: () => follow(target.replace(/#.*$/, '')) });

const keywords = new Set(('and as async await begin bool break case catch class const continue def default defer '
  + 'del do done '
  + 'echo elif else elsif end enum export extends extension false fi finally fn for foreach from func function go '
  + 'guard if '
  + 'implements import in include init int interface is lambda let local match module mut new nil none not null of or '
  + 'override package pass private protected protocol public raise require rescue return self sizeof static str string '
  + 'struct super switch then this throw throws trait true try type typedef typeof union unless until use using var '
  + 'void '
  + 'where while with yield select insert update delete create table alter drop join left right inner outer group '
  + 'order by '
  + 'limit values into set index primary key').split(' '));

/** Returns code with its comments, strings, numbers and keywords marked. */
function highlighted(code, name) {
  if (!name || /^(text|txt|plain|console|output)$/i.test(name) || code.length > 50_000) return [code];
  const hash = /^(py|python|rb|ruby|sh|bash|zsh|yaml|yml|toml|elixir|ex|exs|perl|r|make|dockerfile|conf)/i.test(name);
  const comment = hash ? '#[^\\n]*' : /^(sql|lua|haskell|hs|elm)/i.test(name) ? '--[^\\n]*'
    : /^(html|xml)/i.test(name) ? '<!--[\\s\\S]*?-->' : '\\/\\/[^\\n]*|\\/\\*[\\s\\S]*?\\*\\/';
  const strings = '"(?:\\\\.|[^"\\\\\\n])*"|\'(?:\\\\.|[^\'\\\\\\n])*\'|`(?:\\\\.|[^`\\\\])*`';
  const pattern = new RegExp(`(${comment})|(${strings})|(\\b\\d[\\w.]*)|(\\b[A-Za-z_]+\\b)`, 'g');
  const result = [];
  let end = 0;
  for (const match of code.matchAll(pattern)) {
    const [text, remark, string, number, word] = match;
    const kind = remark ? 'comment' : string ? 'string' : number ? 'number'
      : keywords.has(word) || keywords.has(word.toLowerCase()) && /sql/i.test(name) ? 'keyword' : null;
    if (!kind) continue;
    if (match.index > end) result.push(code.slice(end, match.index));
    result.push(el('span', { class: `code-${kind}`, text }));
    end = match.index + text.length;
  }
  result.push(code.slice(end));
  return result;
}
