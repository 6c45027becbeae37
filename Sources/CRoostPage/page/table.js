// The entries as a table: the alternative to the map for people who cannot use it.

import { fail } from './actions.js';
import { el } from './dom.js';
import { locationOf } from './search.js';
import { emit, idOf, isShown, keep, on, state } from './state.js';
import { dateText, t } from './strings.js';

const pageSize = 100;

export class EntryTable {
  constructor() {
    this.body = el('tbody');
    this.caption = el('caption', { role: 'status' });
    this.more = el('button', { type: 'button', text: t('loadMore'), onclick: () => this.load() });
    const heads = ['', 'title', 'group', 'tags', 'created', 'source'];
    this.element = el('div', { class: 'table-pane', hidden: true, tabindex: '-1' },
      el('table', { class: 'entries' }, this.caption,
        el('thead', {}, el('tr', {}, heads.map(name => name ? el('th', { scope: 'col', text: t(name) }) : el('td')))),
        this.body), this.more);
    for (const name of ['filter', 'hits']) on(name, () => { if (!this.element.hidden) this.show(); });
    on('selection', () => this.checkRows());
  }

  /** The ids to show: the results of the search by rank, the selection, or all entries in the order of the groups. */
  ids() {
    if (state.scores) return state.results.map(result => result.id);
    const indices = state.selection.size ? [...state.selection] : Array.from({ length: state.n }, (_, index) => index)
      .filter(isShown);
    const label = index => state.clusterOf[index]?.label ?? '\uffff';
    return indices.sort((a, b) => label(a).localeCompare(label(b)) || a - b).map(idOf);
  }

  show() {
    this.waiting = this.ids();
    this.caption.textContent = t('filtered', { n: this.waiting.length, all: state.n });
    this.body.replaceChildren();
    this.load();
  }

  async load() {
    const ids = this.waiting.splice(0, pageSize);
    this.more.hidden = !this.waiting.length;
    const missing = ids.filter(id => !state.entries.get(id)?.createdAt);
    try {
      if (missing.length) {
        const { entries } = await state.source.entries({ ids: missing, limit: pageSize });
        entries.forEach(keep);
        emit('titles');
      }
    } catch (error) {
      fail(error);
    }
    this.body.append(...ids.map(id => this.row(id, state.entries.get(id) ?? { id, title: id })));
  }

  row(id, entry) {
    const index = state.indexOf.get(id);
    const check = el('input', { type: 'checkbox', 'aria-label': t('selectRow', { title: entry.title ?? '' }),
      'data-index': index, checked: state.selection.has(index), onchange: () => {
        if (check.checked) state.selection.add(index); else state.selection.delete(index);
        emit('selection');
      } });
    return el('tr', {}, el('td', {}, check),
      el('th', { scope: 'row' }, el('button', { type: 'button', class: 'link', dir: 'auto', text: entry.title ?? id,
        onclick: () => emit('open', id) })),
      el('td', { dir: 'auto', text: state.clusterOf[index]?.label ?? '' }),
      el('td', { dir: 'auto', text: (entry.tags ?? []).join(', ') }),
      el('td', { text: dateText(entry.createdAt) }), el('td', { class: 'location', text: locationOf(entry) }));
  }

  checkRows() {
    for (const check of this.body.querySelectorAll('input')) {
      check.checked = state.selection.has(Number(check.dataset.index));
    }
  }
}
