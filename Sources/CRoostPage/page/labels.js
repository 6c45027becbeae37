// Places labels on the map: groups, then topics, then titles of entries as one zooms in. A label avoids other labels,
// the edge and, where there is room, the points (compare Been, Daiches & Yap 2006: labels appear by scale).

import { el } from './dom.js';
import { groupOf, groups, idOf, isShown, membersOf, state } from './state.js';

const ruler = document.createElement('canvas').getContext('2d');
const styles = {
  group: { font: '600 14px system-ui, sans-serif', height: 20, width: 210, isList: true },
  topic: { font: '500 12px system-ui, sans-serif', height: 17, width: 170, isList: true },
  entry: { font: '400 12px system-ui, sans-serif', height: 17, width: 220 },
};

/** The distance between a label and the edge of the map. */
const margin = 6;
const maximumTitles = 40;
/** Quantiles are those of this many elements. */
const sampleSize = 1_000;

function shortened(text, style) {
  ruler.font = style.font;
  const line = text.replace(/\s+/g, ' ').trim();
  if (ruler.measureText(line).width <= style.width) return [line, ruler.measureText(line).width];
  // Labels of clusters are lists of words, of which as many are shown as fit.
  if (style.isList) {
    const words = line.split(', ');
    for (let count = words.length - 1; count > 0; count--) {
      const text = words.slice(0, count).join(', ');
      if (ruler.measureText(text).width <= style.width) return [text, ruler.measureText(text).width];
    }
  }
  const parts = [...new Intl.Segmenter().segment(line.slice(0, 200))].map(part => part.segment);
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const width = ruler.measureText(parts.slice(0, middle).join('') + '…').width;
    if (width <= style.width) low = middle; else high = middle - 1;
  }
  const short = parts.slice(0, low).join('').trimEnd() + '…';
  return [short, ruler.measureText(short).width];
}

/** Returns the sorted values of some of a number of elements, at regular intervals. */
export function sample(count, value) {
  const step = Math.max(1, Math.ceil(count / sampleSize));
  return Float32Array.from({ length: Math.ceil(count / step) }, (_, at) => value(at * step)).sort();
}

export const quantile = (sorted, share) => sorted[Math.round(share * (sorted.length - 1))];

/** The center and the extent of clusters on the map: the mode of the density near the median, and quantiles. `reach` is
 * the radius of a disc in which the median distance above and below the center is that of the cluster. */
export function outline(members, positions) {
  const step = Math.max(1, Math.ceil(members.length / sampleSize));
  const sampled = Array.from({ length: Math.ceil(members.length / step) }, (_, at) => members[at * step]);
  const [xs, ys] = [0, 1].map(axis => sample(sampled.length, at => positions[2 * sampled[at] + axis]));
  let [x, y] = [quantile(xs, 0.5), quantile(ys, 0.5)];
  const width = values => quantile(values, 0.75) - quantile(values, 0.25);
  const radius = Math.max(0.03, 0.5 * Math.max(width(xs), width(ys)));
  for (let round = 0; round < 4; round++) {
    let [sum, sumX, sumY] = [0, 0, 0];
    for (const index of sampled) {
      const [px, py] = [positions[2 * index], positions[2 * index + 1]];
      const weight = Math.exp(-(((px - x) ** 2 + (py - y) ** 2) / (2 * radius * radius)));
      [sum, sumX, sumY] = [sum + weight, sumX + weight * px, sumY + weight * py];
    }
    if (sum > 0) [x, y] = [sumX / sum, sumY / sum];
  }
  const reach = 2.5 * quantile(sample(sampled.length, at => Math.abs(positions[2 * sampled[at] + 1] - y)), 0.5);
  return { x, y, reach, left: quantile(xs, 0.1), right: quantile(xs, 0.9), top: quantile(ys, 0.1),
    bottom: quantile(ys, 0.9) };
}

export class Labels {
  /** `chosen` is called with the cluster or the index of an entry whose label was clicked. */
  constructor(layer, chosen, titlesNeeded) {
    Object.assign(this, { layer, chosen, titlesNeeded, shown: new Map(), outlines: new Map() });
  }

  setPositions(positions) {
    this.positions = positions;
    this.outlines = new Map([...state.clusters.values()].map(cluster => [cluster.id, membersOf(cluster)])
      .filter(([, members]) => members.length).map(([id, members]) => [id, outline(members, positions)]));
  }

  /** Determines which clusters have shown entries; null for all. */
  setShown() {
    this.lit = state.matching || state.scores ? new Set() : null;
    for (const index of this.lit ? state.scores?.keys() ?? state.matching : []) {
      let cluster = isShown(index) ? state.clusterOf[index] : null;
      for (; cluster && !this.lit.has(cluster); cluster = state.clusters.get(cluster.parent)) this.lit.add(cluster);
    }
  }

  /** The wanted labels in the order of their importance. */
  wanted(view, index) {
    const wanted = [];
    const add = (cluster, kind) => {
      const place = this.outlines.get(cluster.id);
      if (!place) return;
      wanted.push({ key: cluster.id, kind, text: cluster.label, place, cluster, color: cluster.color,
        isDim: Boolean(this.lit && !this.lit.has(cluster)) });
    };
    const bySize = (a, b) => b.size - a.size || (a.id < b.id ? -1 : 1);
    const widest = place => Math.max((place.right - place.left) * view.scaleX,
      (place.bottom - place.top) * view.scaleY);
    for (const group of groups().sort(bySize)) {
      // Nearer, the topics of a large group have labels in its place.
      if (view.zoom < 5 || !group.children.length
        || widest(this.outlines.get(group.id) ?? { right: 0, left: 0, bottom: 0, top: 0 }) < 400) {
        add(group, 'group');
      }
    }
    const minimum = view.zoom < 1.5 ? 260 : 120;
    for (const topic of [...state.clusters.values()].filter(cluster => cluster.topic).sort(bySize)) {
      const place = this.outlines.get(topic.id);
      if (place && (view.zoom >= 3 || widest(this.outlines.get(groupOf(topic).id)) > minimum + 100)
        && view.zoom > 1.2) {
        add(topic, 'topic');
      }
    }
    this.addTitles(wanted, view, index);
    return wanted;
  }

  addTitles(wanted, view, index) {
    const visible = [];
    const [left, top, right, bottom] = view.bounds();
    const fromSearch = state.scores && state.scores.size <= 200;
    const isNear = index.count(left, top, right, bottom) <= 400;
    if (fromSearch) {
      visible.push(...[...state.scores].sort((a, b) => b[1] - a[1]).slice(0, 12).map(pair => pair[0]));
    } else if (isNear) {
      index.visit(left, top, right, bottom, entry => {
        if (isShown(entry)) visible.push(entry);
        return visible.length > maximumTitles;
      });
      if (visible.length > maximumTitles) return;
    }
    const missing = [];
    for (const entry of visible) {
      const id = idOf(entry);
      const known = state.entries.get(id);
      const [x, y] = [this.positions[2 * entry], this.positions[2 * entry + 1]];
      if (!known) missing.push(id);
      else wanted.push({ key: id, kind: 'entry', text: known.title, entry, isPoint: true,
        place: { x, y, left: x, right: x, top: y, bottom: y } });
    }
    if (missing.length) this.titlesNeeded(missing);
  }

  update(view, index, pointSize) {
    this.gap = pointSize * 0.7 + 3;
    const placed = [];
    for (const label of this.wanted(view, index)) {
      const style = { ...styles[label.kind], width: Math.min(styles[label.kind].width, view.width * 0.42) };
      const [text, textWidth] = shortened(label.text || '–', style);
      const [width, height] = [Math.ceil(textWidth) + 10, style.height];
      const [x, y] = view.screen(label.place.x, label.place.y);
      if (x < 0 || y < 0 || x > view.width || y > view.height) continue;
      const spot = this.spot(label, x, y, width, height, view, index, placed);
      if (spot) placed.push({ ...label, text, ...spot, width, height });
    }
    this.render(placed);
  }

  /** Returns the best free spot for a label around its place: the one that covers the fewest points. */
  spot(label, x, y, width, height, view, index, placed) {
    let best = null;
    const [top, bottom] = [-1, 1].map(side => y + side * label.place.reach * view.scaleY);
    const spots = label.isPoint
      ? [[x + this.gap, y - height / 2], [x - this.gap - width, y - height / 2], [x - width / 2, y - height - this.gap],
        [x - width / 2, y + this.gap]]
      : [[x - width / 2, y - height / 2], [x - width / 2, top - height - 2], [x - width / 2, bottom + 2],
        [x - width / 2, y - height * 1.6], [x - width / 2, y + height * 0.6], [x - width - 4, y - height / 2],
        [x + 4, y - height / 2]];
    const previous = this.shown.get(label.key);
    spots.forEach(([left, up], at) => {
      const isClamped = left < margin || left + width > view.width - margin || up < margin
        || up + height > view.height - margin;
      if (label.isPoint && isClamped) return;
      left = Math.max(margin, Math.min(view.width - width - margin, left));
      up = Math.max(margin, Math.min(view.height - height - margin, up));
      if (view.blocked.some(box => left < box.right && left + width > box.left && up < box.bottom
        && up + height > box.top)) return;
      if (placed.some(box => left < box.left + box.width + 4 && left + width + 4 > box.left
        && up < box.top + box.height + 2 && up + height + 2 > box.top)) return;
      const [worldLeft, worldTop] = view.world(left, up);
      const [worldRight, worldBottom] = view.world(left + width, up + height);
      let covered = 0;
      index.visit(worldLeft, worldTop, worldRight, worldBottom, () => ++covered >= 60);
      const far = Math.hypot(left + width / 2 - x, up + height / 2 - y);
      // A label stays where it was, unless another spot is clearly better. Far from its cluster, it would seem to
      // belong to another one.
      const score = covered + (far / 30) ** 2 - (previous?.at === at ? 4 : 0);
      if (!best || score < best.score) best = { left, top: up, score, at };
    });
    return best;
  }

  render(placed) {
    const next = new Map();
    for (const label of placed) {
      const old = this.shown.get(label.key);
      const element = old?.element ?? el('div', { dir: 'auto', onclick: event => {
        const { cluster, entry } = this.shown.get(label.key) ?? {};
        this.chosen(cluster, entry, event);
      } });
      element.className = `label ${label.kind}${label.isDim ? ' dim' : ''}`;
      element.title = label.cluster?.label ?? '';
      if (element.textContent !== label.text) element.textContent = label.text;
      element.style.transform = `translate(${Math.round(label.left)}px, ${Math.round(label.top)}px)`;
      element.style.width = `${label.width}px`;
      element.style.setProperty('--color', label.color ? `rgb(${label.color.join(' ')})` : 'transparent');
      if (!old) this.layer.append(element);
      next.set(label.key, { ...label, element });
    }
    for (const [key, { element }] of this.shown) if (!next.has(key)) element.remove();
    this.shown = next;
  }
}
