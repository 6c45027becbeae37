// What the parts of the page share, and the events by which they learn of changes.

import { IdIndex, idText } from './api.js';

const listeners = new Map();

/** Calls a function whenever an event is emitted. */
export function on(name, call) {
  listeners.set(name, [...listeners.get(name) ?? [], call]);
}

export function emit(name, value) {
  for (const call of listeners.get(name) ?? []) call(value);
}

export const state = {
  source: null,
  status: null,
  /** The clusters by id, each with `children`, `leaves` (numbers), `color`, `depth`, and `members` (indices). */
  clusters: new Map(),
  roots: [],
  n: 0,
  ids: new Uint8Array(),
  x: new Float32Array(), y: new Float32Array(),
  /** The cluster of each entry, or null. */
  clusterOf: [],
  unclustered: [],
  /** The changes of the clusters by the last run and by later edits; null until they are read. */
  lineage: null,
  indexOf: new IdIndex(),
  /** Entries that were read, by id. `details` is true when all of them were read. */
  entries: new Map(),
  hasDetails: false,
  selection: new Set(),
  /** The search: its words, the results, and their scores by index. */
  query: '', results: null, scores: null,
  filter: { tags: [], since: '', until: '', source: '', cluster: '' },
  /** The indices that match the filter, or null for all. */
  matching: null,
  colorBy: 'cluster',
  hovered: -1, opened: null,
  isReadOnly: false,
};

export const idOf = index => idText(state.ids, index);

/** Keeps an entry with the beginning of its text. */
export function keep({ text, ...entry }) {
  const beginning = text?.replace(/^\s*---\n[\s\S]*?\n---\n/, '').replace(/^\s*#[^\n]*\n+/, '').slice(0, 400);
  state.entries.set(entry.id, { ...entry, beginning });
}

/** Returns all entries of a cluster and of those below it. */
export function membersOf(cluster) {
  return cluster.children.length ? cluster.children.flatMap(membersOf) : cluster.members;
}

/** Whether an entry is shown in full color. */
export function isShown(index) {
  return (!state.matching || state.matching.has(index)) && (!state.scores || state.scores.has(index));
}

export const isFiltering = () =>
  state.filter.tags.length > 0 || Boolean(state.filter.since || state.filter.until || state.filter.source
    || state.filter.cluster);

/** The filter as parameters of operations. */
export function filterParameters() {
  const { tags, since, until, source, cluster } = state.filter;
  return {
    ...tags.length && { tags }, ...since && { since }, ...until && { until },
    ...source && { sources: [source] }, ...cluster && { cluster },
  };
}

/** Takes the clusters and the positions into the state. */
export function setData(clusters, map) {
  state.clusters = new Map(clusters.map(cluster =>
    [cluster.id, { ...cluster, children: [], members: [], depth: 0 }]));
  state.roots = [];
  for (const cluster of state.clusters.values()) {
    const parent = state.clusters.get(cluster.parent);
    if (parent) parent.children.push(cluster); else state.roots.push(cluster);
  }
  const setDepth = (cluster, depth) => {
    cluster.depth = depth;
    for (const child of cluster.children) setDepth(child, depth + 1);
  };
  for (const root of state.roots) setDepth(root, 0);
  const leaves = map.clusters.map(id => state.clusters.get(id));
  Object.assign(state, { n: map.count, ids: map.ids, rawX: map.x, rawY: map.y, unclustered: [] });
  state.clusterOf = new Array(map.count);
  state.indexOf = new IdIndex(map.ids);
  for (let index = 0; index < map.count; index++) {
    const cluster = leaves[map.cluster[index]] ?? null;
    state.clusterOf[index] = cluster;
    (cluster ? cluster.members : state.unclustered).push(index);
  }
  for (const index of state.selection) if (index >= map.count) state.selection.delete(index);
}

/** Returns the group of a cluster: the cluster itself, or the one that it is a topic of. */
export function groupOf(cluster) {
  while (cluster?.topic && state.clusters.has(cluster.parent)) cluster = state.clusters.get(cluster.parent);
  return cluster;
}

export const groups = () => [...state.clusters.values()].filter(cluster =>
  !cluster.topic && (cluster.members.length > 0 || cluster.children.some(child => child.topic)));
