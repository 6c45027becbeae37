// The tree of the groups and topics.

import { eventCounts, eventMarks, showStore } from './dialogs.js';
import { merge, pin, removeCluster, rename, split, chosenCluster } from './actions.js';
import { el, icon, iconButton, showMenu } from './dom.js';
import { emit, membersOf, on, state } from './state.js';
import { dateText, t } from './strings.js';
import { swatch } from './map.js';
import { noColor } from './palette.js';

/** The maximum number of months that the bars show. */
const maximumMonths = 24;

export class Tree {
  constructor() {
    this.expanded = new Set();
    this.list = el('ul', { class: 'tree', role: 'tree', 'aria-label': t('groups'),
      onkeydown: event => this.key(event) });
    this.run = el('button', { type: 'button', class: 'last-run', title: t('changes'), hidden: true,
      onclick: () => showStore() });
    this.element = el('div', { class: 'tree-pane' }, this.list, this.run);
    for (const name of ['palette', 'filter', 'months', 'lineage']) on(name, () => this.render());
    on('cluster', ({ cluster }) => this.reveal(cluster));
  }

  reveal(cluster) {
    for (let parent = state.clusters.get(cluster?.parent); parent; parent = state.clusters.get(parent.parent)) {
      this.expanded.add(parent.id);
    }
    this.render();
    this.list.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }

  render() {
    const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    // The browser ends the dragging of a row that is replaced.
    if (this.isEditing || this.dragged) return;
    this.months = monthsOf();
    this.marks = state.lineage ? eventMarks(state.lineage) : new Map();
    this.showRun();
    const rows = [];
    const add = (cluster, level) => {
      rows.push(this.row(cluster, level));
      if (this.expanded.has(cluster.id)) for (const child of sorted(cluster.children)) add(child, level + 1);
    };
    for (const root of sorted(state.roots)) add(root, 1);
    if (state.unclustered.length) rows.push(this.noGroup());
    this.list.replaceChildren(...rows);
    const current = rows.find(row => row.dataset.id === (focused ?? state.filter.cluster)) ?? rows[0];
    if (current) current.tabIndex = 0;
    if (focused) current?.focus();
  }

  /** Shows when the last run was and how it changed the clusters. */
  showRun() {
    const date = state.status?.reclusteredAt;
    this.run.hidden = !date || !state.clusters.size || !state.lineage;
    if (this.run.hidden) return;
    this.run.textContent = t('lastChanges', { date: dateText(date), changes: eventCounts(state.lineage.events) });
  }

  row(cluster, level) {
    const isOpen = this.expanded.has(cluster.id);
    const hasChildren = cluster.children.length > 0;
    const isSelected = state.filter.cluster === cluster.id;
    const toggle = el('span', { class: `toggle${isOpen ? ' open' : ''}${hasChildren ? '' : ' leaf'}`,
      onclick: event => { event.stopPropagation(); if (hasChildren) this.toggle(cluster); } },
    hasChildren ? icon('right') : null);
    const label = el('span', { class: 'tree-label', dir: 'auto', text: cluster.label });
    const row = el('li', {
      class: `tree-row level-${Math.min(level, 4)}`, role: 'treeitem', 'aria-level': String(level), tabindex: '-1',
      'aria-expanded': hasChildren ? String(isOpen) : null, 'aria-selected': String(isSelected), 'data-id': cluster.id,
      'aria-label': [cluster.label, this.marks.get(cluster.id), t('entries', { n: cluster.size })].filter(Boolean)
        .join(', '), title: cluster.label,
      draggable: state.isReadOnly ? null : 'true',
      onclick: event => { if (event.detail < 2) emit('cluster', { cluster: isSelected ? null : cluster }); },
      ondblclick: () => emit('cluster', { cluster, zoom: true }),
    }, toggle, swatch(cluster.color ?? noColor()), label,
    this.marks.has(cluster.id) ? el('span', { class: 'event-mark', text: this.marks.get(cluster.id) }) : null,
    cluster.pinned ? el('span', { class: 'mark', title: t(cluster.labelOutdated ? 'outdated' : 'chosenLabel') },
      icon('pin')) : null,
    this.bars(cluster), el('span', { class: 'size', text: cluster.size.toLocaleString() }),
    iconButton('more', `${t('more')}: ${cluster.label}`, event => {
      event.stopPropagation();
      this.menu(cluster, event.currentTarget);
    }, { tabindex: '-1', 'aria-haspopup': 'menu' }));
    if (!state.isReadOnly) this.makeMovable(row, cluster);
    return row;
  }

  noGroup() {
    const isSelected = state.filter.cluster === 'none';
    return el('li', { class: 'tree-row level-1', role: 'treeitem', 'aria-level': '1', tabindex: '-1', 'data-id': 'none',
      'aria-selected': String(isSelected),
        'aria-label': `${t('noGroup')}, ${t('entries', { n: state.unclustered.length })}`,
      onclick: () => emit('cluster', { cluster: isSelected ? null
        : { id: 'none', children: [], members: state.unclustered } }) },
    el('span', { class: 'toggle leaf' }), swatch(noColor()), el('span', { class: 'tree-label soft',
      text: t('noGroup') }),
    el('span', { class: 'size', text: state.unclustered.length.toLocaleString() }));
  }

  bars(cluster) {
    if (!this.months || this.months.names.length < 2) return null;
    const { names, of } = this.months;
    const values = names.map(name => of(cluster, name));
    const most = Math.max(1, ...values);
    const bars = el('span', { class: 'bars', 'aria-hidden': 'true',
      title: `${t('months')}: ${names[0]} – ${names.at(-1)}` }, values.map(value => {
      const bar = el('span');
      bar.style.height = `${value ? Math.max(12, 100 * value / most) : 0}%`;
      return bar;
    }));
    return bars;
  }

  makeMovable(row, cluster) {
    row.addEventListener('dragstart', event => {
      event.dataTransfer.setData('application/x-roost-cluster', cluster.id);
      event.dataTransfer.effectAllowed = 'move';
      this.dragged = cluster;
    });
    row.addEventListener('dragend', () => { this.dragged = null; this.render(); });
    row.addEventListener('dragover', event => {
      if (!this.dragged || this.dragged === cluster) return;
      event.preventDefault();
      row.classList.add('target');
    });
    row.addEventListener('dragleave', () => row.classList.remove('target'));
    row.addEventListener('drop', event => {
      event.preventDefault();
      event.stopPropagation();
      row.classList.remove('target');
      const dragged = this.dragged;
      this.dragged = null;
      if (dragged && dragged !== cluster) merge(dragged, cluster);
    });
  }

  menu(cluster, anchor) {
    const items = [
      { label: t('zoomTo'), run: () => emit('cluster', { cluster, zoom: true }) },
      { label: t('selectMembers'), run: () => {
        state.selection = new Set(membersOf(cluster));
        document.body.classList.remove('with-side');
        emit('selection');
      } },
    ];
    if (!state.isReadOnly) {
      items.push(
        { label: t('rename'), run: () => this.edit(cluster) },
        { label: t(cluster.pinned ? 'unpin' : 'pin'), run: () => pin(cluster) },
        { label: t('merge'), run: async () => {
          const target = await chosenCluster(t('mergeInto', { label: cluster.label }), { without: cluster });
          if (target) merge(cluster, target);
        } },
        { label: t('split'), run: () => split(cluster) },
        { label: t('deleteCluster'), run: () => removeCluster(cluster) });
    }
    showMenu(anchor, items);
  }

  /** Changes the label in its place. */
  edit(cluster) {
    const row = [...this.list.children].find(child => child.dataset.id === cluster.id);
    const label = row?.querySelector('.tree-label');
    if (!label || this.isEditing) return;
    this.isEditing = true;
    const finish = isSaved => {
      if (!this.isEditing) return;
      this.isEditing = false;
      const text = input.value.trim();
      input.replaceWith(label);
      row.draggable = true;
      row.focus();
      if (isSaved && text && text !== cluster.label) {
        label.textContent = text;
        rename(cluster, text);
      }
      this.render();
    };
    const input = el('input', { type: 'text', class: 'tree-edit', value: cluster.label, 'aria-label': t('renameLabel'),
      maxlength: '200', dir: 'auto', onblur: () => finish(true), onclick: event => event.stopPropagation(),
      ondblclick: event => event.stopPropagation(), onkeydown: event => {
        event.stopPropagation();
        if (event.key === 'Enter') finish(true);
        if (event.key === 'Escape') finish(false);
      } });
    row.draggable = false;
    label.replaceWith(input);
    input.focus();
    input.select();
  }

  toggle(cluster) {
    if (!this.expanded.delete(cluster.id)) this.expanded.add(cluster.id);
    this.render();
  }

  key(event) {
    const rows = [...this.list.children];
    const at = rows.indexOf(document.activeElement);
    if (at < 0 || event.ctrlKey || event.metaKey) return;
    const cluster = state.clusters.get(rows[at].dataset.id);
    const focus = index => {
      rows[at].tabIndex = -1;
      const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
      row.tabIndex = 0;
      row.focus();
    };
    const isOpen = cluster && this.expanded.has(cluster.id);
    if (event.key === 'ArrowDown') focus(at + 1);
    else if (event.key === 'ArrowUp') focus(at - 1);
    else if (event.key === 'Home') focus(0);
    else if (event.key === 'End') focus(rows.length - 1);
    else if (event.key === 'ArrowRight' && cluster?.children.length) isOpen ? focus(at + 1) : this.toggle(cluster);
    else if (event.key === 'ArrowLeft' && isOpen) this.toggle(cluster);
    else if (event.key === 'ArrowLeft' && cluster?.parent) {
      focus(rows.findIndex(row => row.dataset.id === cluster.parent));
    }
    else if (event.key === 'Enter' && event.shiftKey && cluster) emit('cluster', { cluster, zoom: true });
    else if (event.key === 'Enter' || event.key === ' ') rows[at].click();
    else if (event.key === 'F2' && cluster && !state.isReadOnly) this.edit(cluster);
    else if (event.key === 'Delete' && cluster && !state.isReadOnly) removeCluster(cluster);
    else if ((event.key === 'F10' && event.shiftKey || event.key === 'ContextMenu') && cluster) {
      this.menu(cluster, rows[at].querySelector('.icon-button'));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

const sorted = clusters => [...clusters].sort((a, b) => b.size - a.size || a.label.localeCompare(b.label));

/** The numbers of entries of each cluster by month, from the details of the entries. */
function monthsOf() {
  if (!state.hasDetails) return null;
  const counts = new Map();
  const names = new Set();
  for (const entry of state.entries.values()) {
    const month = entry.createdAt?.slice(0, 7);
    const index = state.indexOf.get(entry.id);
    if (!month || index === undefined) continue;
    names.add(month);
    let cluster = state.clusterOf[index];
    for (let depth = 0; cluster && depth < 16; depth++) {
      const key = `${cluster.id} ${month}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      cluster = state.clusters.get(cluster.parent);
    }
  }
  const shown = [...names].sort().slice(-maximumMonths);
  return { names: shown, of: (cluster, name) => counts.get(`${cluster.id} ${name}`) ?? 0 };
}
