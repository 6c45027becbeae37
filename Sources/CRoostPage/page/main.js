// The page: it puts the parts together, loads the data, and keeps the address in step with the state.

import { fail, moveEntries, noticeArea, notify, removeEntries, tagEntries, undo } from './actions.js';
import { server } from './api.js';
import { askToken, Files, showFirstRun, showRegroup, showStore } from './dialogs.js';
import { debounced, el, iconButton } from './dom.js';
import { EntryMap, metadataText } from './map.js';
import { plain } from './markdown.js';
import { offline } from './offline.js';
import { Panel } from './panel.js';
import { Search, applyFilter, locationOf } from './search.js';
import { emit, idOf, keep, membersOf, on, setData, state } from './state.js';
import { language, t } from './strings.js';
import { EntryTable } from './table.js';
import { Tree } from './tree.js';

/** Above this number, the details of all entries are not read, because this would take too long. */
const maximumDetails = 50_000;
/** The maximum number of keys of metadata that are offered as colors. */
const maximumKeys = 12;

const parts = { search: new Search(), tree: new Tree(), map: new EntryMap(), panel: new Panel() };
const entryTable = new EntryTable();
const files = new Files(() => reload());

// Frame

function makeFrame() {
  const colors = [['cluster', 'colorCluster'], ['date', 'colorDate'], ['tag', 'colorTag'], ['source', 'colorSource'],
    ['similarity', 'colorSimilarity']];
  const color = el('select', { id: 'color', 'aria-label': t('color'), title: t('color'), onchange: async () => {
    state.colorBy = color.value;
    if (!['cluster', 'similarity'].includes(color.value)) await loadDetails();
    emit('style');
    saveAddress();
  } }, colors.map(([value, name]) => el('option', { value, text: `${t('color')}: ${t(name)}` })));
  const withText = (button, key) => { button.append(el('span', { class: 'wide', text: t(key) })); return button; };
  const changing = [withText(iconButton('groups', t('regroup'), () => showRegroup(reload)), 'regroup'),
    withText(iconButton('add', t('addFiles'), () => files.choose()), 'addFiles'),
    withText(iconButton('undo', t('undo'), undo), 'undoShort')];
  for (const button of changing) button.classList.add('changing');
  const tableButton = withText(iconButton('table', t('table'), () => toggleTable(), { id: 'table-button',
    'aria-pressed': 'false' }), 'table');
  const side = el('nav', { class: 'side', 'aria-label': t('groups') }, parts.search.filters, parts.search.results,
    parts.tree.element);
  const sideButton = iconButton('list', t('groups'), () => document.body.classList.toggle('with-side'), { class:
    'icon-button side-button' });
  const bar = el('header', { class: 'bar' }, sideButton, el('span', { class: 'brand', text: 'Roost' }),
    parts.search.element, el('div', { class: 'actions' }, color, tableButton, ...changing,
    state.source.isLive ? withText(iconButton('gear', t('settings'), () => showStore()), 'settings') : null));
  parts.map.element.append(entryTable.element, selectionBar);
  document.getElementById('app').replaceChildren(el('a', { class: 'skip', href: '#map', text: t('skip'),
    onclick: event => { event.preventDefault(); parts.map.frame.focus(); } }),
  bar, side, parts.map.element, parts.panel.element, noticeArea());
  return { color };
}

const selectionBar = el('div', { class: 'selection-bar', role: 'toolbar', hidden: true });
const selectionCount = el('strong', { role: 'status' });

function showSelection() {
  const indices = [...state.selection];
  const focused = [...selectionBar.children].indexOf(document.activeElement);
  const button = (text, run) => el('button', { type: 'button', text, onclick: run });
  selectionBar.hidden = !indices.length;
  selectionCount.textContent = t('selected', { n: indices.length });
  selectionBar.setAttribute('aria-label', selectionCount.textContent);
  selectionBar.replaceChildren(selectionCount, ...state.isReadOnly ? [] : [
      button(t('moveTo'), () => moveEntries(indices)), button(t('addTag'), () => tagEntries(indices, state.tags ?? [])),
      button(t('remove'), async () => {
        if (await removeEntries(indices.map(idOf))) { state.selection.clear(); emit('selection'); }
      })],
    button(t('table'), () => toggleTable(true)),
    iconButton('close', t('clear'), () => { state.selection.clear(); emit('selection'); }));
  if (focused > 0) (selectionBar.hidden ? document.getElementById('map') : selectionBar.children[focused])?.focus();
}

function toggleTable(isShown = entryTable.element.hidden) {
  entryTable.element.hidden = !isShown;
  document.getElementById('table-button').setAttribute('aria-pressed', String(isShown));
  parts.map.frame.inert = isShown;
  parts.map.element.classList.toggle('with-table', isShown);
  if (isShown) entryTable.show();
  saveAddress();
}

// Data

let loading = null;
let isOutdated = false;

/** Reads the clusters and positions again. Calls during a reading cause one more. */
async function reload() {
  if (loading) { isOutdated = true; return loading; }
  loading = load().finally(() => { loading = null; });
  await loading;
  if (isOutdated) { isOutdated = false; await reload(); }
}

async function load() {
  const selected = [...state.selection].map(idOf);
  const status = await state.source.status();
  state.status = status;
  state.isReadOnly = status.readOnly;
  document.body.classList.toggle('read-only', status.readOnly);
  if (!status.entries) {
    state.hasDetails = false;
    setData([], { count: 0, clusters: [], ids: new Uint8Array(), x: [], y: [], cluster: [] });
  } else {
    const [clusters, map] = await Promise.all([state.source.clusters(), state.source.map()]);
    const isKnown = map.revision === state.mapRevision;
    setData(clusters, map);
    if (!isKnown) { state.entries.clear(); state.hasDetails = false; }
    state.mapRevision = map.revision;
  }
  state.selection = new Set(selected.map(id => state.indexOf.get(id)).filter(index => index !== undefined));
  parts.map.setData();
  for (const option of document.getElementById('color').options) {
    option.disabled = state.n > maximumDetails && !['cluster', 'similarity'].includes(option.value);
  }
  await applyFilter();
  emit('selection');
  showFirstRun(parts.map.element, { files, reload });
  if (state.query) parts.search.run();
  if (state.clusters.size) readLineage();
  if (state.n && state.n <= 5_000 || state.colorBy !== 'cluster') loadDetails();
}

/** Reads how the last run changed the clusters, after the first picture, because the server reads all clusters. */
const readLineage = debounced(500, async () => {
  try {
    state.lineage = await state.source.lineage?.() ?? null;
    emit('lineage');
  } catch (error) {
    if (error.code !== 'unreachable') console.warn(error.message);
  }
});

let details = null;

/** Reads the dates, tags and sources of all entries. */
function loadDetails() {
  if (state.hasDetails || state.n > maximumDetails || !state.n) return details;
  details ??= readDetails().catch(error => { if (error.code !== 'unreachable') console.warn(error.message); })
    .finally(() => { details = null; });
  return details;
}

async function readDetails() {
  const tags = new Map();
  const folders = new Map();
  const keys = new Map();
  const count = (counts, name) => { if (name) counts.set(name, (counts.get(name) ?? 0) + 1); };
  let cursor;
  do {
    const page = await state.source.entries({ limit: 1_000, cursor });
    for (const entry of page.entries) {
      keep(entry);
      for (const tag of entry.tags ?? []) count(tags, tag);
      for (const [name, value] of Object.entries(entry.metadata ?? {})) {
        if (name !== 'title' && metadataText(value)) count(keys, name);
      }
      if (entry.path) count(folders, entry.path.split('/').slice(0, -1).join('/'));
    }
    cursor = page.nextCursor;
  } while (cursor);
  const names = counts => [...counts].sort((a, b) => b[1] - a[1]).map(pair => pair[0]);
  state.hasDetails = true;
  state.tags = names(tags);
  parts.search.setChoices(state.tags, names(folders));
  offerColors(names(keys).slice(0, maximumKeys));
  emit('months');
  emit('style');
}

/** Offers the keys of metadata as colors. */
function offerColors(keys) {
  const color = document.getElementById('color');
  for (const option of color.querySelectorAll('[value^="meta:"]')) option.remove();
  color.append(...keys.map(key => el('option', { value: `meta:${key}`, text: `${t('color')}: ${key}` })));
  color.value = state.colorBy;
}

/** Reads the titles of entries for labels and the tooltip. */
const wanted = new Set();
const readTitles = debounced(60, async () => {
  const ids = [...wanted].slice(0, 100);
  ids.forEach(id => wanted.delete(id));
  try {
    const { entries } = await state.source.entries({ ids, limit: 100 });
    entries.forEach(keep);
    emit('titles');
  } catch (error) {
    if (error.code !== 'unreachable') console.warn(error.message);
  }
});

// Address

function saveAddress() {
  const { filter, query, opened, colorBy } = state;
  const values = { q: query, entry: opened, cluster: filter.cluster, since: filter.since,
    until: filter.until, source: filter.source, color: colorBy === 'cluster' ? '' : colorBy,
    view: entryTable.element.hidden ? '' : 'table' };
  const pairs = [...Object.entries(values).filter(pair => pair[1]), ...filter.tags.map(tag => ['tag', tag])];
  const text = new URLSearchParams(pairs).toString();
  history.replaceState(null, '', text ? `#${text}` : location.pathname + location.search);
}

function readAddress(frame) {
  const values = new URLSearchParams(location.hash.slice(1));
  const get = name => values.get(name) ?? '';
  Object.assign(state.filter, { cluster: get('cluster'), since: get('since'), until: get('until'),
    source: get('source'),
    tags: values.getAll('tag') });
  state.query = parts.search.input.value = get('q');
  const isKnown = [...frame.color.options].some(option => option.value === get('color'));
  if (get('color').startsWith('meta:')) state.colorBy = get('color');
  if (isKnown) state.colorBy = frame.color.value = get('color');
  return { entry: get('entry'), isTable: get('view') === 'table' };
}

// Events

function connect() {
  for (const name of ['query', 'opened', 'filter']) on(name, debounced(50, saveAddress));
  on('selection', showSelection);
  on('changed', reload);
  on('details', loadDetails);
  on('needed', ids => { for (const id of ids) wanted.add(id); readTitles(); });
  on('filtering', async () => {
    await applyFilter();
    if (state.query) parts.search.run();
  });
  on('cluster', async ({ cluster, zoom }) => {
    state.filter.cluster = cluster?.id ?? '';
    await applyFilter();
    if (state.query) parts.search.run();
    if (zoom && cluster) parts.map.zoomTo(membersOf(cluster));
    document.body.classList.remove('with-side');
  });
  on('open', id => {
    const index = state.indexOf.get(id);
    document.body.classList.remove('with-side');
    requestAnimationFrame(() => { if (index !== undefined) parts.map.reveal(index); });
  });
  on('searchFor', words => { parts.search.input.value = words; parts.search.run(); });
  on('hover', ({ index, show }) => {
    const id = idOf(index);
    const entry = state.entries.get(id);
    if (!entry?.createdAt) emit('needed', [id]);
    const content = known => [el('strong', { dir: 'auto', text: known?.title ?? '…' }),
      known && locationOf(known) ? el('span', { class: 'location', text: locationOf(known) }) : null,
      known?.beginning ? el('span', { class: 'excerpt', dir: 'auto', text: plain(known.beginning) }) : null,
      state.clusterOf[index] ? el('span', { class: 'soft', dir: 'auto', text: state.clusterOf[index].label }) : null]
      .filter(Boolean);
    show(content(entry));
    const again = () => { if (state.hovered === index) show(content(state.entries.get(id))); };
    if (!entry?.createdAt) setTimeout(again, 250);
  });
  addEventListener('keydown', event => {
    const isTyping = /^(input|textarea|select)$/i.test(event.target.tagName);
    if (event.key === 'Escape' && !document.querySelector('dialog[open]')) {
      if (state.selection.size) { state.selection.clear(); emit('selection'); }
      else if (!parts.panel.element.hidden) parts.panel.close();
      else if (state.filter.cluster) emit('cluster', { cluster: null });
    } else if (event.key === '/' && !isTyping) {
      parts.search.input.focus();
      event.preventDefault();
    } else if (event.key === 'z' && (event.ctrlKey || event.metaKey) && !isTyping && !state.isReadOnly) {
      undo();
      event.preventDefault();
    }
  });
}

function follow() {
  let notice = null;
  const changed = debounced(200, () => reload().catch(() => {}));
  state.source.follow?.({
    changed,
    // Changes between the first reading and now have no event.
    opened: async () => { if ((await state.source.status()).revision !== state.status.revision) changed(); },
    lost: () => { notice = notify(t('lost'), { isLasting: true, isError: true }); },
    back: () => {
      notice?.remove();
      notify(t('back'));
      reload().catch(fail);
    },
  });
}

/** Uses an address that was opened while the page was there. */
function followAddress() {
  addEventListener('hashchange', async () => {
    // A bookmark; the page itself changes the address without an event.
    if (!location.hash.startsWith('#token=')) return location.reload();
    await signIn();
    await reload();
    saveAddress();
  });
}

async function start() {
  document.documentElement.lang = language;
  state.source = offline() ?? server;
  const frame = makeFrame();
  files.listen();
  connect();
  if (state.source.isLive) {
    followAddress();
    await signIn();
  }
  const { entry, isTable } = readAddress(frame);
  parts.map.element.append(el('p', { class: 'first-run soft', role: 'status', text: t('loading') }));
  await reload();
  document.body.classList.add('ready');
  if (entry) emit('open', entry);
  if (isTable) toggleTable(true);
  follow();
}

/** Exchanges the token of the address for a session, and asks for one if the server needs it. */
async function signIn() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token) {
    history.replaceState(null, '', location.pathname + location.search);
    try { await state.source.signIn(token); } catch { /* The next request fails, and the page asks. */ }
  }
  while (true) {
    try {
      await state.source.status();
      return;
    } catch (error) {
      if (error.status === 401) await askToken();
      else {
        const notice = notify(error.code === 'unreachable' ? t('lost') : error.message, 
          { isLasting: true, isError: true });
        await new Promise(resolve => setTimeout(resolve, 2_000));
        notice.remove();
      }
    }
  }
}

start().catch(fail);
