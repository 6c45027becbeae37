// The panel that shows an entry, and edits it.

import { asked, change, fail, removeEntries } from './actions.js';
import { el, iconButton } from './dom.js';
import { decoded, markdown, safeLink, webLink } from './markdown.js';
import { swatch } from './map.js';
import { locationOf, resultRow } from './search.js';
import { emit, groupOf, on, state } from './state.js';
import { dateText, t } from './strings.js';

const nearestCount = 7;
const maximumLinks = 50;

export class Panel {
  constructor() {
    this.element = el('aside', { class: 'panel', 'aria-label': t('text'), hidden: true, tabindex: '-1' });
    on('open', id => this.open(id));
    on('palette', () => { if (this.entry && !this.isEditing) this.refresh(); });
  }

  async open(id, { isFocused = true } = {}) {
    state.opened = id;
    if (!this.element.contains(document.activeElement)) this.opener = document.activeElement;
    this.element.hidden = false;
    if (this.entry?.id !== id) this.element.replaceChildren(el('p', { class: 'soft', text: t('loading') }));
    emit('opened');
    try {
      const entry = await state.source.entry(id);
      if (state.opened !== id) return;
      this.show(entry);
      if (isFocused) this.element.focus({ preventScroll: true });
      this.showLinks(id);
      this.showNearest(id);
    } catch (error) {
      if (state.opened !== id) return;
      this.close();
      fail(error);
    }
  }

  close() {
    [state.opened, this.entry, this.isEditing] = [null, null, false];
    if (this.element.contains(document.activeElement)) {
      const isThere = this.opener?.isConnected && this.opener !== document.body;
      (isThere ? this.opener : document.getElementById('map')).focus();
    }
    this.element.hidden = true;
    this.element.replaceChildren();
    emit('opened');
  }

  /** Shows the entry again after a change. */
  async refresh() {
    const { entry } = this;
    try {
      const latest = await state.source.entry(entry.id);
      if (this.entry?.id === latest.id && !this.isEditing && latest.revision !== entry.revision) this.show(latest);
      else if (this.entry?.id === latest.id && !this.isEditing) this.showGroup(latest);
    } catch (error) {
      if (error.status === 404 && this.entry === entry) this.close();
    }
  }

  show(entry) {
    if (this.entry?.id !== entry.id) {
      Object.assign(this, { linked: el('section'), nearest: el('section'), links: [] });
    }
    this.entry = entry;
    this.isEditing = false;
    this.element.setAttribute('aria-label', entry.title || t('noTitle'));
    this.group = el('p', { class: 'group-line' });
    const isTitleFirst = entry.title && !startsWithTitle(entry);
    this.element.replaceChildren(...[
      el('header', {}, el('h2', { dir: 'auto', text: entry.title?.replace(/^#+\s+/, '') || t('noTitle') }),
        iconButton('close', t('close'), () => this.close())),
      locationOf(entry) ? el('p', { class: 'location', text: locationOf(entry),
        title: entry.path ?? entry.source }) : null,
      this.group, this.tags(entry), this.actions(entry),
      el('div', { class: 'text' }, markdown(isTitleFirst ? entry.text ?? '' : withoutTitle(entry),
        target => this.follow(target))),
      this.details(entry), this.linked, this.nearest].filter(Boolean));
    this.showGroup(entry);
  }

  showGroup(entry) {
    const cluster = state.clusters.get(entry.cluster);
    const group = groupOf(cluster);
    const link = part => el('button', { type: 'button', class: 'chip', dir: 'auto', onclick: () =>
      emit('cluster', { cluster: part, zoom: true }) }, swatch(part.color ?? [150, 150, 150]),
    el('span', { text: part.label }));
    this.group.replaceChildren(...!cluster ? [el('span', { class: 'soft', text: t('noGroup') })]
      : group === cluster ? [link(cluster)] : [link(group), link(cluster)]);
  }

  tags(entry) {
    const tags = (entry.tags ?? []).map(tag => el('span', { class: 'chip tag', dir: 'auto' },
      el('button', { type: 'button', class: 'tag-name', text: tag, onclick: () => {
        state.filter.tags = [tag];
        emit('filtering');
      } }),
      state.isReadOnly ? null : iconButton('close', t('removeTag', { tag }), () =>
        this.update({ removeTags: [tag] }))));
    if (!state.isReadOnly) {
      tags.push(el('button', { type: 'button', class: 'chip add', text: `+ ${t('addTag')}`, onclick: async () => {
        const tag = await asked(t('addTag'), t('tagName'), { options: state.tags ?? [] });
        if (tag) this.update({ addTags: [tag] });
      } }));
    }
    return tags.length ? el('div', { class: 'tags', 'aria-label': t('tags'), role: 'group' }, tags) : null;
  }

  /** Changes the entry if nobody else has changed it meanwhile. */
  async update(changes) {
    const { id, revision } = this.entry;
    await change(source => source.update(id, changes, revision), t('saved'));
    this.open(id, { isFocused: false });
  }

  actions(entry) {
    const links = [];
    if (entry.path) {
      const path = entry.path.split('/').map(encodeURIComponent).join('/');
      links.push(el('a', { href: `vscode://file${path}${entry.line > 1 ? `:${entry.line}` : ''}`,
        text: t('openEditor') }));
      if (/\.(md|markdown|canvas)$/i.test(entry.path)) {
        links.push(el('a', { href: `obsidian://open?path=${encodeURIComponent(entry.path)}`,
          text: t('openObsidian') }));
      }
    } else if (/^https?:/i.test(entry.url ?? '')) {
      links.push(el('a', { href: entry.url, target: '_blank', rel: 'noopener noreferrer', text: entry.url }));
    }
    if (!state.isReadOnly) {
      links.push(el('button', { type: 'button', text: t('edit'), onclick: () => this.edit(entry) }),
        el('button', { type: 'button', text: t('remove'), onclick: async () => {
          if (await removeEntries([entry.id])) this.close();
        } }));
    }
    return links.length ? el('div', { class: 'links' }, links) : null;
  }

  details(entry) {
    const rows = [[t('created'), dateText(entry.createdAt)], [t('changed'), dateText(entry.updatedAt)],
      [t('source'), entry.source], ...Object.entries(entry.metadata ?? {}).filter(([name]) => name !== 'title')
        .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])];
    const shown = rows.filter(row => row[1]);
    return shown.length ? el('details', { class: 'metadata' }, el('summary', { text: t('metadata') }),
      el('dl', {}, shown.flatMap(([name, value]) =>
        [el('dt', { dir: 'auto', text: name }), el('dd', { dir: 'auto', text: value })]))) : null;
  }

  async showNearest(id) {
    const section = this.nearest;
    try {
      const { results } = await state.source.search({ entries: [id], limit: nearestCount, snippetLength: 120 });
      const others = results.filter(result => result.id !== id);
      if (!others.length || this.entry?.id !== id) return;
      section.replaceChildren(el('h3', { text: t('nearest') }), el('ol', { class: 'results' }, others.map(resultRow)));
    } catch { /* The entry is shown without them. */ }
  }

  /** Shows the links of the entry, and those of other entries to it. */
  async showLinks(id) {
    try {
      const links = await state.source.links?.(id) ?? [];
      const shown = name => [...new Map(links.filter(link => link.direction === name)
        .map(link => [link.entry ?? link.target, link])).values()].slice(0, maximumLinks);
      const ids = [...new Set(shown('to').map(link => link.entry).filter(Boolean))];
      const { entries } = ids.length ? await state.source.entries({ ids, limit: ids.length }) : { entries: [] };
      if (this.entry?.id !== id) return;
      this.links = links;
      const titles = new Map(entries.map(entry => [entry.id, entry]));
      const rows = shown('to').map(link => {
        const name = link.text || link.target;
        if (titles.has(link.entry)) return resultRow({ id: link.entry, title: titles.get(link.entry).title });
        const address = link.destination === 'external' && safeLink(link.target);
        return el('li', { class: 'link-row', dir: 'auto' }, address ? webLink(address, name) : name,
          link.destination === 'missing' ? el('span', { class: 'soft', text: ` – ${t('missing')}` }) : null);
      });
      const list = (title, items) => items.length ? [el('h3', { text: title }), el('ol', { class: 'results' }, items)]
        : [];
      this.linked.replaceChildren(...list(t('links'), rows), ...list(t('linkedFrom'), shown('from').map(link =>
        resultRow({ id: link.entry, title: link.title ?? link.path, path: link.path }))));
    } catch { /* The entry is shown without them. */ }
  }

  /** Opens the note that a link names, or searches for it. */
  async follow(target) {
    const link = this.links.find(other => other.entry && other.direction === 'to' && decoded(other.target) === target);
    if (link) return this.open(link.entry);
    const name = target.split('/').at(-1).replace(/\.(md|markdown)$/i, '');
    try {
      const { results } = await state.source.search({ query: name, limit: 10 });
      const file = entry => (entry.path ?? '').split('/').at(-1).replace(/\.(md|markdown)$/i, '').toLowerCase();
      const found = results.find(entry => file(entry) === name.toLowerCase()
        || entry.title.toLowerCase() === name.toLowerCase());
      if (found) this.open(found.id); else emit('searchFor', name);
    } catch (error) {
      fail(error);
    }
  }

  // Editing

  edit(entry) {
    this.isEditing = true;
    const title = el('input', { type: 'text', value: entry.metadata?.title ?? '', maxlength: '1000', dir: 'auto' });
    const text = el('textarea', { rows: '18', dir: 'auto', value: entry.text ?? '' });
    // The browser changes line ends.
    const before = text.value;
    const notice = el('p', { class: 'error', role: 'alert', hidden: true });
    let revision = entry.revision;
    const save = async event => {
      event.preventDefault();
      const changes = {
        ...title.value !== (entry.metadata?.title ?? '') && { title: title.value },
        ...text.value !== before && text.value.trim() && { text: text.value },
      };
      if (!Object.keys(changes).length) return this.show(entry);
      try {
        await state.source.update(entry.id, changes, revision);
      } catch (error) {
        if (error.status !== 412) return fail(error);
        notice.hidden = false;
        notice.replaceChildren(t('conflict'), ' ', el('button', { type: 'button', text: t('loadOther'),
          onclick: async () => {
            const other = await state.source.entry(entry.id);
            revision = other.revision;
            this.element.querySelector('.other')?.remove();
            form.append(el('div', { class: 'other text' }, markdown(other.text ?? '', () => {})));
            notice.hidden = true;
          } }));
        return;
      }
      await change(async () => true, t('saved'));
      this.isEditing = false;
      this.open(entry.id);
    };
    const form = el('form', { class: 'edit', onsubmit: save, onkeydown: event => {
      if (event.key === 'Escape') { event.stopPropagation(); this.show(entry); }
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save(event);
    } },
    el('label', {}, el('span', { text: t('title') }), title), el('label', {}, el('span', { text: t('text') }), text),
    entry.path ? el('p', { class: 'soft', text: t('editHint') }) : null, notice,
    el('div', { class: 'buttons' }, el('button', { type: 'button', text: t('cancel'),
      onclick: () => this.show(entry) }),
      el('button', { class: 'primary', text: t('save') })));
    this.element.replaceChildren(el('header', {}, el('h2', { text: t('edit') })), form);
    title.focus();
  }
}

const comparable = text => text.replace(/[#*_`\s]+/g, ' ').trim().toLowerCase();

function startsWithTitle(entry) {
  const [first] = (entry.text ?? '').trimStart().split('\n', 1);
  return comparable(first ?? '') === comparable(entry.title) || entry.title.endsWith('…') && comparable(first ?? '')
    .startsWith(comparable(entry.title.slice(0, -1)));
}

/** Returns the text without the heading that is its title. */
function withoutTitle(entry) {
  const text = entry.text ?? '';
  return /^\s*#\s/.test(text) ? text.trimStart().replace(/^[^\n]*\n?/, '') : text;
}
