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

  /** The entries to show: the results of the search by rank, the selection, or all in the order of the groups. */
  entries() {
    if (state.scores) return state.results.map(result => result.id);
    const byLabel = [...state.clusters.values()].sort((a, b) => a.label.localeCompare(b.label));
    return [...byLabel.map(cluster => cluster.members), state.unclustered].flatMap(members =>
      members.filter(index => state.selection.size ? state.selection.has(index) : isShown(index)));
  }

  show() {
    this.waiting = this.entries();
    this.next = 0;
    this.caption.textContent = t('filtered', { n: this.waiting.length, all: state.n });
    this.body.replaceChildren();
    this.load();
  }

  async load() {
    const ids = this.waiting.slice(this.next, this.next += pageSize)
      .map(entry => typeof entry === 'number' ? idOf(entry) : entry);
    this.more.hidden = this.next >= this.waiting.length;
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
