// Changes of the store, each with a notice that can undo it.

import { el, showDialog } from './dom.js';
import { emit, idOf, state } from './state.js';
import { t } from './strings.js';

let notices;
let lastRevision = null;
/** The number of requests of the last change that changed something, each of which is undone for itself. */
let lastSteps = 1;

export function noticeArea() {
  notices = el('div', { class: 'notices', role: 'status', 'aria-live': 'polite' });
  return notices;
}

const noticeTime = 8_000;

/** Shows a notice, with a button if it has an action. */
export function notify(text, { action, run, isLasting = false, isError = false } = {}) {
  const notice = el('div', { class: `notice${isError ? ' error' : ''}` }, el('span', { dir: 'auto', text }),
    action ? el('button', { type: 'button', text: action, onclick: () => { notice.remove(); run(); } }) : null);
  while (notices.children.length > 2) notices.firstChild.remove();
  notices.append(notice);
  if (!isLasting) setTimeout(() => notice.remove(), noticeTime);
  return notice;
}

export const fail = error => notify(t('failed', { why: error.advice ? `${error.message} (${error.advice})`
  : error.message }), { isError: true });

/** The server keeps this many changes that can be undone. */
const maximumSteps = 20;

/** Carries out a change, and offers to undo it. Returns its result, or null after an error. The result of a change of
 * several requests has the number of those that changed something (`steps`). */
export async function change(body, text) {
  try {
    const result = await body(state.source);
    const steps = result.steps ?? 1;
    // The undo of a change without an effect would undo the one before.
    if (steps) await remember(steps);
    notify(typeof text === 'function' ? text(result) : text,
      steps && steps <= maximumSteps ? { action: t('undoShort'), run: undo } : {});
    emit('changed');
    return result;
  } catch (error) {
    fail(error);
    return null;
  }
}

async function remember(steps) {
  lastRevision = (await state.source.status()).revision;
  lastSteps = steps;
  // Earlier buttons would undo this change instead of theirs.
  for (const button of notices.querySelectorAll('button')) button.remove();
}

/** Undoes the last change of the store. If another window or program made it, a person confirms. */
export async function undo() {
  try {
    let steps = Math.min(lastSteps, maximumSteps);
    const { revision } = await state.source.status();
    if (revision !== lastRevision) {
      const report = await state.source.undo(true);
      const date = new Date(report.date).toLocaleString();
      if (!await confirmed(t('undoOther', { command: report.command, date }), t('undoShort'))) return;
      steps = 1;
    }
    let [done, why] = [0, ''];
    while (done < steps && !why) {
      try {
        await state.source.undo(false);
        done += 1;
      } catch (error) {
        if (!done) throw error;
        // The server keeps a limited size of changes, so the first steps of a large one may be missing.
        why = error.message;
      }
    }
    await remember(1);
    if (why) {
      notify(t('undonePart', { n: done, all: steps, why }),
        { action: t('close'), run: () => {}, isLasting: true, isError: true });
    } else notify(t('undone'));
    emit('changed');
  } catch (error) {
    fail(error);
  }
}

/** Asks a person, and returns whether they agree. */
export function confirmed(question, agree) {
  return new Promise(resolve => {
    let answer = false;
    const dialog = showDialog(question, el('div', { class: 'buttons' },
      el('button', { type: 'button', text: t('cancel'), onclick: () => dialog.close() }),
      el('button', { type: 'button', class: 'primary', text: agree,
        onclick: () => { answer = true; dialog.close(); } })));
    dialog.addEventListener('close', () => resolve(answer));
  });
}

/** Asks for a line of text; returns null if the person cancels or enters no text. */
export function asked(title, label, { value = '', options = [] } = {}) {
  return new Promise(resolve => {
    let answer = null;
    const input = el('input', { type: 'text', value, 'aria-label': label, maxlength: '1000', list: 'choices',
      dir: 'auto' });
    const form = el('form', { onsubmit: event => {
      event.preventDefault();
      answer = input.value.trim() || null;
      dialog.close();
    } }, input, el('datalist', { id: 'choices' }, options.map(option => el('option', { value: option }))),
    el('div', { class: 'buttons' },
      el('button', { type: 'button', text: t('cancel'), onclick: () => dialog.close() }),
      el('button', { class: 'primary', text: t('save') })));
    const dialog = showDialog(title, form);
    dialog.addEventListener('close', () => resolve(answer));
    input.select();
  });
}

/** Asks for a cluster; returns null if none is chosen, or `none` if that is an option and was chosen. */
export function chosenCluster(title, { without, withNone = false } = {}) {
  return new Promise(resolve => {
    let answer = null;
    const list = el('div', { class: 'choices', role: 'group' });
    const fill = words => {
      const fitting = [...state.clusters.values()].filter(cluster => cluster !== without
        && cluster.label.toLowerCase().includes(words.toLowerCase()));
      list.replaceChildren(...(withNone ? [{ id: 'none', label: t('noGroup'), depth: 0 }] : []).concat(fitting)
        .map(cluster => {
          const button = el('button', { type: 'button', dir: 'auto', text: cluster.label,
            onclick: () => { answer = cluster; dialog.close(); } });
          button.style.paddingInlineStart = `${12 + 16 * cluster.depth}px`;
          return button;
        }));
    };
    const input = el('input', { type: 'search', 'aria-label': t('group'), placeholder: t('group'),
      oninput: () => fill(input.value) });
    fill('');
    const dialog = showDialog(title, el('div', {}, input, list), t('close'));
    dialog.addEventListener('close', () => resolve(answer));
  });
}

// Clusters

const quoted = cluster => cluster.label;

export const rename = (cluster, label) =>
  change(source => source.rename(cluster.id, label), t('renamed', { label }));

export const pin = cluster => change(source => source.rename(cluster.id, cluster.pinned ? null : cluster.label),
  t(cluster.pinned ? 'unpinned' : 'pinned'));

export const merge = (cluster, target) =>
  change(source => source.merge([target.id, cluster.id]), t('merged', { label: quoted(target) }));

export const split = cluster =>
  change(source => source.split(cluster.id, 2), t('splitDone', { label: quoted(cluster) }));

export const removeCluster = cluster =>
  change(source => source.removeCluster(cluster.id), t('deleted', { label: quoted(cluster) }));

// Entries

/** The server accepts this many ids in a request. */
const groupSize = 10_000;

/** Changes entries in groups. `send` returns the number of those in its group that changed. */
function changeEntries(ids, send, text) {
  return change(async source => {
    let [n, steps] = [0, 0];
    for (let at = 0; at < ids.length; at += groupSize) {
      const changed = await send(source, ids.slice(at, at + groupSize));
      n += changed;
      steps += Number(changed > 0);
    }
    return { n, steps };
  }, ({ n }) => t(text, { n }));
}

export async function moveEntries(indices) {
  const cluster = await chosenCluster(t('moveInto'), { withNone: true });
  if (!cluster) return;
  await changeEntries(indices.map(idOf), async (source, ids) => (await source.move(cluster.id, ids)).moved, 'moved');
}

export async function tagEntries(indices, tags) {
  const tag = await asked(t('addTag'), t('tagName'), { options: tags });
  if (!tag) return;
  await changeEntries(indices.map(idOf), async (source, ids) => (await source.tag(ids, [tag])).changed, 'tagged');
}

export async function removeEntries(ids) {
  const warning = ids.length > maximumSteps * groupSize ? 'cannotUndo' : ids.length > groupSize ? 'mayNotUndo' : null;
  const question = t('confirmRemove', { n: ids.length }) + (warning ? ` ${t(warning)}` : '');
  if (!await confirmed(question, t('remove'))) return false;
  const send = async (source, part) => (await source.removeEntries(part)).removed;
  return Boolean(await changeEntries(ids, send, 'removed'));
}
