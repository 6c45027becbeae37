// The dialogs of the page: the token, the first run, files, grouping again, and the store.

import { fail, notify, change } from './actions.js';
import { el, showDialog } from './dom.js';
import { state } from './state.js';
import { dateText, language, sizeText, t } from './strings.js';

/** Asks for the token until the server accepts one. */
export function askToken() {
  return new Promise(resolve => {
    const error = el('p', { class: 'error', role: 'alert', hidden: true, text: t('tokenWrong') });
    const input = el('input', { type: 'password', autocomplete: 'current-password', 'aria-label': t('token') });
    const dialog = showDialog(t('tokenTitle'), el('form', { onsubmit: async event => {
      event.preventDefault();
      try {
        await state.source.signIn(input.value.trim());
        dialog.close();
        resolve();
      } catch (problem) {
        error.textContent = problem.status === 401 || problem.status === 0 ? t('tokenWrong') : problem.message;
        error.hidden = false;
        input.select();
      }
    } }, el('p', { text: t('tokenHelp') }), input, error,
    el('div', { class: 'buttons' }, el('button', { class: 'primary', text: t('open') }))));
    input.focus();
  });
}

/** Explains an empty store, or one without clusters. */
export function showFirstRun(map, { files, reload }) {
  map.querySelector('.first-run')?.remove();
  if (!state.source.isLive || state.n && state.clusters.size) return;
  const button = (text, run) => el('button', { type: 'button', class: 'primary', text, onclick: run });
  const content = state.n
    ? [el('p', { text: t('noClusters') }), button(t('makeGroups'), event => makeGroups(event.target, reload))]
    : [el('h2', { text: t('emptyTitle') }), el('p', { text: t('emptyHelp') }), el('pre', {}, el('code', {
      text: 'roost ingest ~/notes\nroost recluster' })), button(t('choose'), () => files.choose())];
  map.append(el('section', { class: `first-run${state.n ? ' small' : ''}` },
    state.isReadOnly ? content.filter(part => part.tagName !== 'BUTTON') : content));
}

async function makeGroups(button, reload) {
  button.disabled = true;
  button.textContent = t('grouping');
  await change(source => source.recluster({}), t('regrouped'));
  await reload();
  button.disabled = false;
  button.textContent = t('makeGroups');
}

// Files

const linesPerRequest = 64;
const maximumBytes = 4 << 20;

/** Files that are dropped on the page or chosen are stored as entries. */
export class Files {
  constructor(stored) { this.stored = stored; }

  listen() {
    const overlay = el('div', { class: 'drop', hidden: true }, el('strong', { text: t('dropHere') }));
    document.body.append(overlay);
    const hasFiles = event => state.source.isLive && !state.isReadOnly
      && [...event.dataTransfer?.types ?? []].includes('Files');
    let depth = 0;
    addEventListener('dragenter', event => { if (hasFiles(event)) { depth++; overlay.hidden = false; } });
    addEventListener('dragleave', event => {
      if (!hasFiles(event) || --depth > 0) return;
      depth = 0;
      overlay.hidden = true;
    });
    addEventListener('dragover', event => { if (hasFiles(event)) event.preventDefault(); });
    addEventListener('drop', event => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      overlay.hidden = true;
      droppedFiles(event.dataTransfer).then(files => this.add(files)).catch(fail);
    });
  }

  choose() {
    const input = el('input', { type: 'file', multiple: true, hidden: true, onchange: () => {
      this.add([...input.files]);
      input.remove();
    } });
    document.body.append(input);
    input.click();
  }

  async add(files) {
    if (!files.length) return;
    const progress = notify(t('adding', { n: 0, all: files.length }), { isLasting: true });
    const totals = { new: 0, updated: 0, unchanged: 0 };
    let refused = 0;
    try {
      for (let at = 0; at < files.length; at += linesPerRequest) {
        const lines = [];
        for (const file of files.slice(at, at + linesPerRequest)) {
          const text = await readText(file);
          if (text === null) { refused++; continue; }
          const path = file.webkitRelativePath || file.path_ || file.name;
          lines.push({ content: text, key: path.slice(0, 1_000), metadata: { title: titleOf(text, file.name) } });
        }
        if (lines.length) {
          const report = await state.source.ingest(lines, () => {});
          for (const name of Object.keys(totals)) totals[name] += report[name] ?? 0;
        }
        progress.firstChild.textContent = t('adding', { n: Math.min(files.length, at + linesPerRequest),
          all: files.length });
      }
      notify(t('added', totals));
    } catch (error) {
      fail(error);
    }
    progress.remove();
    if (refused) notify(t('notText', { n: refused }), { isError: true });
    await this.stored();
  }
}

/** Returns the dropped files, including those in dropped folders. */
async function droppedFiles(transfer) {
  const roots = [...transfer.items].map(item => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!roots.length) return [...transfer.files];
  const files = [];
  const walk = async entry => {
    if (entry.name.startsWith('.')) return;
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      file.path_ = entry.fullPath.replace(/^\//, '');
      files.push(file);
    } else {
      const reader = entry.createReader();
      while (true) {
        const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (!part.length) break;
        for (const child of part) await walk(child);
      }
    }
  };
  for (const root of roots) await walk(root);
  return files;
}

/** Returns the text of a file; null if it is not text. */
async function readText(file) {
  if (file.size > maximumBytes || !file.size) return null;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
    return text.includes('\0') || !text.trim() ? null : text;
  } catch {
    return null;
  }
}

function titleOf(text, name) {
  const heading = /^#\s+(.+)$/m.exec(text.slice(0, 2_000))?.[1];
  return (heading ?? name.replace(/\.\w{1,8}$/, '')).slice(0, 500);
}

// Grouping again

export function showRegroup(reload) {
  const result = el('p', { role: 'status', class: 'soft' });
  const choice = el('fieldset', {}, el('legend', { text: t('granularity') }), ['coarse', 'medium', 'fine'].map(name =>
    el('label', { class: 'radio' }, el('input', { type: 'radio', name: 'granularity', value: name,
      checked: name === 'medium' }), el('span', { text: t(name) }))));
  const granularity = () => choice.querySelector('input:checked').value;
  const buttons = [];
  const busy = async (text, body) => {
    buttons.forEach(button => { button.disabled = true; });
    result.textContent = text;
    try { await body(); } catch (error) { result.textContent = t('failed', { why: error.message }); }
    buttons.forEach(button => { button.disabled = false; });
  };
  const preview = () => busy(t('grouping'), async () => {
    const report = await state.source.recluster({ granularity: granularity(), dryRun: true });
    result.textContent = t('previewResult', report);
    showEvents(list, t('previewChanges'), report.lineage?.events ?? []);
  });
  const save = () => busy(t('grouping'), async () => {
    await change(source => source.recluster({ granularity: granularity() }), t('regrouped'));
    await reload();
    await showLineage(list);
    result.textContent = '';
  });
  const list = el('div', {});
  buttons.push(el('button', { type: 'button', text: t('preview'), onclick: preview }),
    el('button', { type: 'button', class: 'primary', text: t('regroup'), onclick: save }));
  showDialog(t('regroup'), el('div', {}, choice, result, el('div', { class: 'buttons' }, buttons), list), t('close'));
}

const eventNames = { birth: ['birth', 'added'], death: ['death', 'ended'], split: ['splitEvent', 'split'],
  merge: ['mergeEvent', 'merged'] };
const maximumEvents = 200;

const byKind = events => Object.keys(eventNames).map(kind => events.filter(event => event.kind === kind))
  .filter(same => same.length);

/** Returns how many clusters a run adds, ends, splits and merges. */
export const eventCounts = events => byKind(events)
  .map(same => t(`${eventNames[same[0].kind][1]}Count`, { n: same.length })).join(', ') || t('nothingChanged');

/** Returns the words for what happened to clusters in a run, by their ids; none after the first run. */
export function eventMarks({ events, continued }) {
  return new Map(!continued.length ? [] : events.filter(event => event.kind !== 'death')
    .flatMap(event => event.after.map(cluster => [cluster.id, t(eventNames[event.kind][0])])));
}

/** Shows how a run changes the clusters: how many are added, end, are split and are merged, and which. */
function showEvents(section, title, events) {
  const names = clusters => clusters.map(cluster => `${cluster.label} (${cluster.size.toLocaleString(language)})`)
    .join('; ');
  section.replaceChildren(el('h3', { text: title }), el('p', { class: 'soft', text: eventCounts(events) }),
  el('ul', { class: 'events' }, byKind(events).flat().slice(0, maximumEvents).map(event => el('li', { dir: 'auto' },
    el('strong', { class: `event-${event.kind}`, text: t(eventNames[event.kind][0]) }), ' ',
    [names(event.before), names(event.after)].filter(Boolean).join(' → ')))));
}

const showLineage = async section => showEvents(section, t('changes'), (await state.source.lineage()).events);

// The store

export function showStore() {
  const { status } = state;
  const rows = [[t('size'), [t('entries', { n: status.entries }), sizeText(status.bytes)].filter(Boolean).join(', ')],
    [t('model'), `${status.model} (${status.dimension})`],
    [t('revision'), String(status.revision)], [t('lastRun'), dateText(status.reclusteredAt)],
    [t('version'), status.version]];
  const [lineage, health, backups, conversations] = [0, 1, 2, 3].map(() => el('section'));
  showDialog(t('settings'), el('div', { class: 'store' },
    el('dl', {}, rows.filter(row => row[1]).flatMap(([name, value]) =>
      [el('dt', { text: name }), el('dd', { text: value })])),
    lineage, health, backups, conversations), t('close'));
  showHealth(health);
  showLineage(lineage).catch(() => lineage.remove());
  showBackups(backups).catch(() => backups.remove());
  showConversations(conversations).catch(() => conversations.remove());
}

/** Offers to check the store, and shows the findings. */
function showHealth(section) {
  const findings = el('div', { role: 'status' });
  const button = el('button', { type: 'button', text: t('check'), onclick: async () => {
    button.disabled = true;
    findings.replaceChildren(el('p', { class: 'soft', text: t('checking') }));
    try {
      const found = await state.source.check();
      const isDamaged = found.some(finding => finding.severity === 'damage');
      findings.replaceChildren(
        el('p', { class: isDamaged ? 'error' : 'soft', text: t(isDamaged ? 'damaged' : 'intact') }),
        el('ul', { class: 'events' }, found.map(finding => el('li', { dir: 'auto' },
          el('strong', { text: t(finding.severity === 'damage' ? 'damage' : 'note') }),
          ` ${finding.subject} ${finding.message}`))));
    } catch (error) {
      findings.replaceChildren();
      fail(error);
    }
    button.disabled = false;
  } });
  section.replaceChildren(el('h3', { text: t('health') }), findings, button);
}

async function showBackups(section) {
  const list = await state.source.backups();
  const button = el('button', { type: 'button', text: t('backUp'), onclick: async () => {
    button.disabled = true;
    try {
      await state.source.backUp();
      notify(t('backedUp'));
      await showBackups(section);
    } catch (error) { fail(error); }
    button.disabled = false;
  } });
  section.replaceChildren(el('h3', { text: t('backups') }), list.backups.length
    ? el('ul', {}, list.backups.slice(-10).reverse().map(backup =>
      el('li', { text: `${new Date(backup.createdAt).toLocaleString()} – ${t('entries', { n: backup.entries })}` })))
    : el('p', { class: 'soft', text: t('noBackups') }), state.isReadOnly ? '' : button);
}

async function showConversations(section) {
  const { conversations } = await state.source.conversations();
  if (!conversations.length) return;
  const results = el('div');
  const names = conversation => ({ user: conversation.user, session: conversation.session, agent: conversation.agent });
  const showMessages = messages => results.replaceChildren(el('ol', { class: 'messages' }, messages.map(message =>
    el('li', {}, el('strong', { dir: 'auto', text: message.speaker ?? message.role ?? '' }), ' ',
      el('span', { class: 'soft', text: dateText(message.createdAt ?? message.timestamp) }),
      el('p', { dir: 'auto', text: message.content ?? message.text ?? '' })))));
  const input = el('input', { type: 'search', 'aria-label': t('search'), placeholder: t('search') });
  section.replaceChildren(el('h3', { text: t('conversations') }), el('form', { onsubmit: async event => {
    event.preventDefault();
    if (!input.value.trim()) return;
    try {
      const answer = await state.source.recall({ query: input.value, limit: 20, context: 0 });
      showMessages(answer.messages.map(found => found.message ?? found));
    } catch (error) { fail(error); }
  } }, input), el('ul', { class: 'conversations' }, conversations.map(conversation => el('li', {}, el('button', {
    type: 'button', class: 'link', dir: 'auto', text: `${conversation.session ?? ''} · ${conversation.user ?? ''}`,
    onclick: async () => {
      try {
        showMessages((await state.source.messages({ ...names(conversation), limit: 200 })).messages);
      } catch (error) { fail(error); }
    } })))), results);
}
