// The search as one types, the filters, and the list of results.

import { fail } from './actions.js';
import { debounced, el, icon, iconButton } from './dom.js';
import { cssColor, noColor } from './palette.js';
import { emit, filterParameters, isFiltering, keep, membersOf, on, state } from './state.js';
import { t } from './strings.js';

const listSize = 50;
/** The number of results that are lit on the map. */
const litSize = 200;

export class Search {
  constructor() {
    this.input = el('input', { type: 'search', id: 'search', placeholder: t('search'), 'aria-label': t('search'),
      autocomplete: 'off', maxlength: '2000', dir: 'auto', oninput: () => this.typed(),
      onkeydown: event => {
        if (event.key === 'ArrowDown') this.list.querySelector('button')?.focus();
        else if (event.key === 'Escape' && this.input.value) { this.input.value = ''; this.typed(); }
        else return;
        event.preventDefault();
        event.stopPropagation();
      } });
    this.filterButton = iconButton('filter', t('filters'), () => this.toggleFilters(), { 'aria-expanded': 'false' });
    this.element = el('search', { class: 'search' }, icon('search'), this.input, this.filterButton);
    this.filters = this.makeFilters();
    this.count = el('span', { role: 'status' });
    this.list = el('ol', { class: 'results', onkeydown: event => moveFocus(event, this.list, this.input) });
    this.scope = el('div', { class: 'scope' });
    this.results = el('section', { class: 'results-pane', 'aria-label': t('results'), hidden: true },
      el('h2', { class: 'list-title' }, this.count), this.scope, this.list);
    this.typed = debounced(40, () => this.run());
    on('filter', () => this.showFilter());
    on('opened', () => {
      for (const row of this.list.querySelectorAll('.result')) {
        if (row.dataset.id === state.opened) row.setAttribute('aria-current', 'true');
        else row.removeAttribute('aria-current');
      }
    });
  }

  async run() {
    const query = this.input.value.trim();
    state.query = query;
    emit('query');
    const serial = this.serial = (this.serial ?? 0) + 1;
    if (!query) return this.clear();
    try {
      const answer = await state.source.search({ query, limit: litSize, positions: true, ...filterParameters() });
      if (serial !== this.serial) return;
      state.results = answer.results.length ? answer.results : answer.nearest ?? [];
      state.scores = new Map(state.results.map(result => [state.indexOf.get(result.id), result.score ?? 0])
        .filter(([index]) => index !== undefined));
      for (const result of state.results) {
        if (!state.entries.has(result.id)) state.entries.set(result.id, { id: result.id, title: result.title });
      }
      this.show(state.results, answer);
      emit('hits');
    } catch (error) {
      if (serial === this.serial && error.code !== 'unreachable') fail(error);
    }
  }

  clear() {
    [state.results, state.scores] = [null, null];
    this.results.hidden = true;
    emit('hits');
  }

  show(results, { nearest, notices = [], nextCursor } = {}) {
    this.results.hidden = false;
    const count = t('found', { n: results.length }).replace(/^\d+/, number => nextCursor ? `${number}+` : number);
    this.count.textContent = results === nearest ? t('nearestFound')
      : results.length ? count : notices[0] ?? t('nothingFound');
    const cluster = state.clusters.get(state.filter.cluster);
    this.scope.replaceChildren(...cluster ? [el('button', { type: 'button', class: 'chip', title: t('clear'),
      onclick: () => emit('cluster', { cluster: null }) },
    el('span', { dir: 'auto', text: `${t('keepIn')}: ${cluster.label}` }), icon('close'))] : []);
    this.render(results.slice(0, listSize), results);
  }

  render(shown, all) {
    const focused = [...this.list.querySelectorAll('button')].indexOf(document.activeElement);
    this.list.replaceChildren(...shown.map(result => resultRow(result)));
    if (shown.length < all.length) {
      this.list.append(el('li', {}, el('button', { type: 'button', class: 'more', text: t('loadMore'),
        onclick: () => this.render(all.slice(0, shown.length + listSize), all) })));
    }
    if (focused >= 0) (this.list.querySelectorAll('button')[focused] ?? this.input).focus();
  }

  // Filters

  makeFilters() {
    const changed = () => {
      Object.assign(state.filter, { since: this.since.value, until: this.until.value, source: this.source.value.trim(),
        tags: this.tag.value.trim() ? [this.tag.value.trim()] : [] });
      emit('filtering');
    };
    this.since = el('input', { type: 'date', onchange: changed });
    this.until = el('input', { type: 'date', onchange: changed });
    this.tag = el('input', { type: 'text', list: 'all-tags', placeholder: t('anyTag'), onchange: changed,
      dir: 'auto' });
    this.source = el('input', { type: 'text', list: 'all-folders', onchange: changed, dir: 'auto' });
    this.tagChoices = el('datalist', { id: 'all-tags' });
    this.folderChoices = el('datalist', { id: 'all-folders' });
    const field = (name, input) => el('label', {}, el('span', { text: t(name) }), input);
    return el('section', { class: 'filters', 'aria-label': t('filters'), hidden: true },
      field('tag', this.tag), field('folder', this.source), field('since', this.since), field('until', this.until),
      el('button', { type: 'button', text: t('reset'), onclick: () => {
        Object.assign(state.filter, { tags: [], since: '', until: '', source: '', cluster: '' });
        emit('filtering');
      } }), this.tagChoices, this.folderChoices);
  }

  setChoices(tags, folders) {
    this.tagChoices.replaceChildren(...tags.map(value => el('option', { value })));
    this.folderChoices.replaceChildren(...folders.slice(0, 200).map(value => el('option', { value })));
  }

  toggleFilters() {
    this.filters.hidden = !this.filters.hidden;
    this.filterButton.setAttribute('aria-expanded', String(!this.filters.hidden));
    if (!this.filters.hidden) { emit('details'); this.tag.focus(); }
  }

  showFilter() {
    const { tags, since, until, source } = state.filter;
    Object.assign(this.tag, { value: tags.join(', ') });
    Object.assign(this.source, { value: source });
    Object.assign(this.since, { value: since });
    Object.assign(this.until, { value: until });
    this.filterButton.classList.toggle('active', Boolean(tags.length || since || until || source));
  }
}

/** Determines which entries match the filter: those of a cluster from the clusters, others from the server. */
export async function applyFilter() {
  const { cluster, ...rest } = state.filter;
  let matching = null;
  if (cluster) {
    const found = state.clusters.get(cluster);
    if (!found && cluster !== 'none') state.filter.cluster = '';
    else matching = new Set(found ? membersOf(found) : state.unclustered);
  }
  if (rest.tags.length || rest.since || rest.until || rest.source) {
    const found = new Set();
    let cursor;
    try {
      do {
        const page = await state.source.entries({ ...filterParameters(), limit: 1_000, cursor });
        for (const entry of page.entries) {
          keep(entry);
          const index = state.indexOf.get(entry.id);
          if (index !== undefined) found.add(index);
        }
        cursor = page.nextCursor;
      } while (cursor);
      matching = found;
    } catch (error) {
      fail(error);
    }
  }
  state.matching = isFiltering() ? matching : null;
  emit('filter');
}

/** Moves the focus in a list with the arrow keys. */
export function moveFocus(event, list, before) {
  const buttons = [...list.querySelectorAll('button')];
  const at = buttons.indexOf(document.activeElement);
  if (event.key === 'ArrowDown') buttons[at + 1]?.focus();
  else if (event.key === 'ArrowUp') (buttons[at - 1] ?? before)?.focus();
  else return;
  event.preventDefault();
}

/** Returns a result as a row of a list. */
export function resultRow(result) {
  const index = state.indexOf.get(result.id);
  const cluster = index === undefined ? null : state.clusterOf[index];
  const mark = el('span', { class: 'swatch' });
  mark.style.background = cssColor(cluster?.color ?? noColor());
  const light = isOn => { state.hovered = isOn && index !== undefined ? index : -1; emit('titles'); };
  const title = result.title?.replace(/^#+\s+/, '') ?? '';
  // The title of a text without a heading is its beginning.
  const isText = title && result.snippet?.startsWith(title.replace(/…$/, ''));
  return el('li', {}, el('button', { type: 'button', class: `result${isText ? ' plain' : ''}`, 'data-id': result.id,
    'aria-current': state.opened === result.id ? 'true' : null,
    onclick: () => emit('open', result.id), onmouseenter: () => light(true), onmouseleave: () => light(false) },
  el('span', { class: 'result-title' }, mark, el('span', { dir: 'auto' }, isText ? marked(result) : title)),
  result.snippet && !isText ? el('span', { class: 'snippet', dir: 'auto' }, marked(result)) : null,
  locationOf(result) ? el('span', { class: 'location', text: locationOf(result) }) : null));
}

/** Returns the last parts of the location of an entry. */
export function locationOf(entry) {
  const path = entry.path ?? (entry.session ? `${entry.session} · ${entry.speaker ?? ''}` : entry.source) ?? '';
  const parts = path.split('/');
  const short = parts.length > 3 && entry.path ? parts.slice(-2).join('/') : path;
  return short + (entry.line > 1 ? `, ${t('line', { n: entry.line })}` : '');
}

/** Returns a snippet with its matched words, whose positions are bytes of UTF-8. */
function marked({ snippet, marks = [] }) {
  const bytes = new TextEncoder().encode(snippet);
  const decoder = new TextDecoder();
  const parts = [];
  let end = 0;
  for (const [from, to] of marks) {
    if (from < end || to > bytes.length) continue;
    parts.push(decoder.decode(bytes.slice(end, from)), el('mark', { text: decoder.decode(bytes.slice(from, to)) }));
    end = to;
  }
  parts.push(decoder.decode(bytes.slice(end)));
  return parts;
}
