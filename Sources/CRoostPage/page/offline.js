// The operations over the data of an exported page, which needs no server and changes nothing.

import { readMap } from './api.js';
import { plain } from './markdown.js';

/** Returns the operations over the data in this page; null if the page comes from a server. */
export function offline() {
  const element = document.getElementById('data');
  if (!element) return null;
  const data = JSON.parse(element.textContent);
  const map = readMap(Uint8Array.from(atob(data.map), character => character.charCodeAt(0)).buffer);
  const documents = new Map(data.entries.map(entry => [entry.id, entry]));
  const words = text => text.toLowerCase().normalize('NFKD').match(/[\p{L}\p{N}]+/gu) ?? [];
  const texts = data.entries.map(entry => [entry, `${entry.title} ${entry.text}`.toLowerCase().normalize('NFKD')]);
  const matches = (entry, { tags = [], sources = [], since, until }) =>
    tags.every(tag => (entry.tags ?? []).some(own => own.toLowerCase() === tag.toLowerCase()))
    && sources.every(source => (entry.path ?? entry.source ?? '').startsWith(source))
    && (!since || entry.createdAt >= since) && (!until || entry.createdAt.slice(0, until.length) <= until);
  return {
    isLive: false,
    status: async () => ({ entries: data.entries.length, readOnly: true, revision: map.revision,
      version: data.version }),
    clusters: async () => data.clusters,
    map: async () => map,
    entry: async id => documents.get(id) ?? { id, title: id, text: '' },
    entries: async ({ ids, ...filter }) => ({
      entries: (ids ? ids.map(id => documents.get(id)).filter(Boolean) : data.entries)
        .filter(entry => matches(entry, filter)),
    }),
    /** Finds the entries with all words, or with positions near an entry. */
    search: async ({ query = '', entries: [like] = [], limit, ...filter }) => {
      if (like) return { results: nearest(map, documents, data.entries, like, limit) };
      const wanted = words(query);
      const results = texts
        .filter(([entry, text]) => wanted.every(word => text.includes(word)) && matches(entry, filter))
        .map(([entry]) => {
          const inTitle = wanted.filter(word => entry.title.toLowerCase().includes(word)).length;
          return { ...entry, score: (1 + inTitle) / (1 + wanted.length) };
        });
      return { results: results.sort((a, b) => b.score - a.score).slice(0, limit).map(entry => {
        const text = plain(entry.text);
        const at = text.toLowerCase().indexOf(wanted[0] ?? '');
        return { ...entry, text: undefined, snippet: text.slice(Math.max(0, at - 60)).slice(0, 200) };
      }) };
    },
  };
}

function nearest(map, documents, entries, id, limit) {
  const at = entries.findIndex(entry => entry.id === id);
  if (at < 0) return [];
  const distance = index => (map.x[index] - map.x[at]) ** 2 + (map.y[index] - map.y[at]) ** 2;
  return entries.map((entry, index) => [distance(index), entry]).sort((a, b) => a[0] - b[0]).slice(0, limit)
    .map(([, entry]) => ({ ...entry, text: undefined, snippet: plain(entry.text).slice(0, 120) }));
}
