// The map of the entries: the view, the pointer and the keyboard.

import { el, iconButton } from './dom.js';
import { Labels, quantile, sample } from './labels.js';
import { PointIndex, densityImage, makePoints } from './points.js';
import { assignColors, categoryColors, noColor, scaleColor } from './palette.js';
import { emit, groups, idOf, isShown, on, state } from './state.js';
import { t } from './strings.js';

/** Above this number, the map shows the density, and points only when fewer are in view. */
const maximumPoints = 50_000;
/** How much more one axis may be stretched than the other, so that the map fills the window. */
const maximumStretch = 1.9;
const maximumPadding = 44;
const maximumZoom = 400;
const hitRadius = 12;

class View {
  constructor() { Object.assign(this, { width: 1, height: 1, x: 0, y: 0, zoom: 1, baseX: 1, baseY: 1, blocked: [] }); }

  get scaleX() { return this.baseX * this.zoom; }
  get scaleY() { return this.baseY * this.zoom; }

  resize(width, height) {
    Object.assign(this, { width, height });
    const padding = Math.min(maximumPadding, 0.07 * Math.min(width, height));
    const [x, y] = [width, height].map(length => Math.max(60, length / 2 - padding));
    const least = Math.min(x, y) * maximumStretch;
    [this.baseX, this.baseY] = [Math.min(x, least), Math.min(y, least)];
  }

  screen(x, y) {
    return [(x - this.x) * this.scaleX + this.width / 2, (y - this.y) * this.scaleY + this.height / 2];
  }

  world(x, y) {
    return [(x - this.width / 2) / this.scaleX + this.x, (y - this.height / 2) / this.scaleY + this.y];
  }

  bounds() { return [...this.world(0, 0), ...this.world(this.width, this.height)]; }

  /** Zooms, and keeps the place under a point of the screen. */
  zoomAt(x, y, factor) {
    const [worldX, worldY] = this.world(x, y);
    this.zoom = Math.max(0.5, Math.min(maximumZoom, this.zoom * factor));
    const [newX, newY] = this.world(x, y);
    this.x += worldX - newX;
    this.y += worldY - newY;
  }
}

/** Returns the angle by which positions are turned so that their longer axis is that of the window. */
function windowAngle(x, y) {
  const n = x.length;
  let [meanX, meanY, xx, xy, yy] = [0, 0, 0, 0, 0];
  for (let i = 0; i < n; i++) { meanX += x[i] / n; meanY += y[i] / n; }
  for (let i = 0; i < n; i++) {
    const [dx, dy] = [x[i] - meanX, y[i] - meanY];
    xx += dx * dx; xy += dx * dy; yy += dy * dy;
  }
  return 0.5 * Math.atan2(2 * xy, xx - yy) + (innerHeight > innerWidth * 1.15 ? Math.PI / 2 : 0);
}

/** Turns the positions, and scales both axes to -1…1. A few far points are moved nearer, because they would make all
 * others small. */
function normalized(x, y, angle) {
  const n = x.length;
  const positions = new Float32Array(2 * n);
  if (!n) return positions;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  for (let i = 0; i < n; i++) {
    positions[2 * i] = cos * x[i] + sin * y[i];
    positions[2 * i + 1] = cos * y[i] - sin * x[i];
  }
  for (const axis of [0, 1]) {
    const values = sample(n, i => positions[2 * i + axis]);
    const [low, high] = [quantile(values, 0.01), quantile(values, 0.99)];
    const [middle, half] = [(low + high) / 2, Math.max(1e-6, (high - low) / 2 / 0.92)];
    for (let i = 0; i < n; i++) {
      const value = (positions[2 * i + axis] - middle) / half;
      const beyond = Math.abs(value) - 0.92;
      positions[2 * i + axis] = beyond > 0 ? Math.sign(value) * (0.92 + 0.12 * Math.tanh(beyond / 0.3)) : value;
    }
  }
  return positions;
}

export class EntryMap {
  constructor() {
    this.view = new View();
    this.tool = 'pan';
    this.layer = el('div', { class: 'labels', 'aria-hidden': 'true' });
    this.overlay = el('canvas', { class: 'overlay', 'aria-hidden': 'true' });
    this.tip = el('div', { class: 'tip', role: 'tooltip', hidden: true });
    this.legend = el('div', { class: 'legend', hidden: true });
    this.frame = el('div', { class: 'map-frame', tabindex: '0', role: 'application', 'aria-label': t('mapHelp'),
      'aria-roledescription': t('map'), id: 'map' },
    el('canvas', { class: 'density', 'aria-hidden': 'true' }), this.overlay, this.layer, this.tip);
    this.tools = [iconButton('lasso', t('lasso'), () => this.setTool('lasso'), { 'aria-pressed': 'false' }),
      iconButton('box', t('box'), () => this.setTool('box'), { 'aria-pressed': 'false' })];
    this.controls = el('div', { class: 'map-controls', role: 'toolbar', 'aria-label': t('map') },
      iconButton('plus', t('zoomIn'), () => this.animate({ factor: 1.6 })),
      iconButton('minus', t('zoomOut'), () => this.animate({ factor: 1 / 1.6 })),
      iconButton('fit', t('fit'), () => this.fit()), ...this.tools);
    this.element = el('main', { class: 'map', id: 'main' }, this.frame, this.controls, this.legend);
    this.points = makePoints(this.frame, points => {
      this.points = points;
      this.points.setPositions(this.positions);
      this.restyle();
      this.resize();
    });
    this.labels = new Labels(this.layer, (cluster, entry, event) => {
      if (cluster) emit('cluster', { cluster, zoom: event.detail > 1 }); else emit('open', idOf(entry));
    }, ids => emit('needed', ids));
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.frame);
    for (const name of ['style', 'selection', 'filter', 'hits']) on(name, () => this.restyle());
    on('titles', () => this.draw());
    on('opened', () => this.draw());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.setPalette());
  }

  // Data

  setData() {
    // A change of a few entries must not turn the map. The server computes a new layout from a fifth of new ones.
    if (!(Math.abs(state.n - this.turn?.n) < 0.2 * this.turn?.n)) {
      this.turn = { n: state.n, angle: windowAngle(state.rawX, state.rawY) };
    }
    this.positions = normalized(state.rawX, state.rawY, this.turn.angle);
    this.index = new PointIndex(this.positions, state.n);
    this.points.setPositions(this.positions);
    this.labels.setPositions(this.positions);
    this.setPalette();
  }

  setPalette() {
    const centers = new Map([...this.labels.outlines].map(([id, place]) => [id, [place.x, place.y]]));
    assignColors(groups(), centers);
    for (const root of state.roots) inheritColor(root);
    emit('palette');
    this.restyle();
  }

  /** Returns the color of each entry, and the entries of the legend. */
  colors() {
    const none = noColor();
    const plain = { of: index => state.clusterOf[index]?.color ?? none, legend: [] };
    if (state.colorBy === 'similarity' && state.scores) {
      const all = [...state.scores.values()];
      const [low, high] = [Math.min(...all), Math.max(...all)];
      return { of: index => state.scores.has(index)
        ? scaleColor((state.scores.get(index) - low) / Math.max(1e-9, high - low)) : none,
      legend: all.length ? scaleLegend(low.toFixed(2), high.toFixed(2)) : [] };
    }
    if (state.colorBy === 'cluster' || state.colorBy === 'similarity' || !state.hasDetails) return plain;
    const details = index => state.entries.get(idOf(index));
    if (state.colorBy === 'date') return dateColors(details, none);
    const key = state.colorBy.startsWith('meta:') ? state.colorBy.slice(5) : null;
    const value = key !== null ? entry => metadataText(entry.metadata?.[key])
      : state.colorBy === 'tag' ? entry => entry.tags?.[0] ?? '' : entry => folderOf(entry);
    return categories(details, value, none);
  }

  /** Computes the colors again before the next picture, once for all changes until then. */
  restyle() {
    this.isStale = true;
    this.draw();
  }

  computeStyle() {
    this.isStale = false;
    const { n } = state;
    const [colors, factors, order] = [new Uint8Array(4 * n), new Uint8Array(n).fill(32), new Uint32Array(n)];
    const palette = this.colors();
    const isPlain = !state.matching && !state.scores && !state.selection.size;
    // Dim entries are drawn first.
    let [dimCount, brightStart] = [0, n];
    for (let index = 0; index < n; index++) {
      const isSelected = state.selection.has(index);
      const isBright = isPlain || isSelected || (!state.selection.size && isShown(index));
      const color = palette.of(index);
      for (let part = 0; part < 3; part++) colors[4 * index + part] = color[part];
      colors[4 * index + 3] = isBright ? 225 : state.selection.size && isShown(index) ? 90 : 46;
      if (isBright && !isPlain) factors[index] = 44;
      order[isBright ? --brightStart : dimCount++] = index;
    }
    order.subarray(brightStart).reverse();
    Object.assign(this, { order, brightCount: n - brightStart });
    this.points.setStyle(colors, factors);
    this.labels.setShown();
    this.density = n > maximumPoints ? densityImage(this.positions, colors, n) : null;
    this.showLegend(palette.legend);
  }

  showLegend(items) {
    this.legend.hidden = !items.length;
    this.legend.replaceChildren(...items.map(({ text, color, width }) => el('span', {},
      swatch(color, width), el('span', { dir: 'auto', text }))));
  }

  // Drawing

  resize() {
    const { clientWidth: width, clientHeight: height } = this.frame;
    if (!width || !height) return;
    this.view.resize(width, height);
    const ratio = devicePixelRatio || 1;
    for (const canvas of this.frame.querySelectorAll('canvas')) {
      canvas.width = width * ratio;
      canvas.height = height * ratio;
    }
    this.draw(true);
  }

  draw(now = false) {
    if (!this.positions) return;
    if (now) { this.isWaiting = false; return this.drawNow(); }
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => { if (this.isWaiting) { this.isWaiting = false; this.drawNow(); } });
  }

  get pointSize() {
    const area = this.view.width * this.view.height;
    const fitting = Math.sqrt(area / Math.max(1, this.visibleCount ?? state.n)) * 0.27;
    return Math.max(3, Math.min(9, fitting)) * (this.density ? 1 : Math.min(2, this.view.zoom ** 0.35));
  }

  drawNow() {
    if (this.isStale) this.computeStyle();
    const { view } = this;
    const frame = this.frame.getBoundingClientRect();
    view.blocked = [this.controls, document.querySelector('.selection-bar'), this.legend].filter(element =>
      element && !element.hidden && element.offsetWidth).map(element => {
      const box = element.getBoundingClientRect();
      return { left: box.left - frame.left - 4, right: box.right - frame.left + 4, top: box.top - frame.top - 4,
        bottom: box.bottom - frame.top + 4 };
    });
    const opened = state.opened ? state.indexOf.get(state.opened) : undefined;
    if (opened !== undefined) {
      const [x, y] = view.screen(this.positions[2 * opened], this.positions[2 * opened + 1]);
      const radius = this.pointSize * 0.7 + 3;
      view.blocked.push({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius });
    }
    let order = this.order;
    const canvas = this.frame.querySelector('.density');
    const context = canvas.getContext('2d');
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    if (this.density) {
      const [left, top, right, bottom] = view.bounds();
      const isFar = this.index.count(left, top, right, bottom) > maximumPoints;
      const limit = this.density.limit;
      const [x, y] = view.screen(-limit, -limit);
      const [endX, endY] = view.screen(limit, limit);
      const ratio = canvas.width / view.width;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.globalAlpha = isFar ? 1 : 0.35;
      context.drawImage(this.density.canvas, x, y, endX - x, endY - y);
      context.globalAlpha = 1;
      order = isFar ? this.fewBright() : this.visibleOrder(left, top, right, bottom);
    }
    this.visibleCount = this.density ? order.length : state.n;
    this.points.draw(view, this.pointSize, order);
    this.labels.update(view, this.index, this.pointSize);
    this.drawOverlay();
  }

  /** The hits or the selection, which are also shown on the density. */
  fewBright() {
    const count = this.brightCount;
    return count < maximumPoints && count < state.n ? this.order.subarray(state.n - count) : new Uint32Array();
  }

  visibleOrder(left, top, right, bottom) {
    const visible = [];
    this.index.visit(left, top, right, bottom, index => { visible.push(index); });
    return Uint32Array.from(visible);
  }

  drawOverlay() {
    const { overlay, view } = this;
    const context = overlay.getContext('2d');
    const ratio = overlay.width / view.width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    const style = getComputedStyle(this.frame);
    context.strokeStyle = style.getPropertyValue('--ink');
    const ring = (index, width) => {
      const [x, y] = view.screen(this.positions[2 * index], this.positions[2 * index + 1]);
      context.lineWidth = width;
      context.beginPath();
      context.arc(x, y, this.pointSize * 0.7 + 3, 0, 7);
      context.stroke();
    };
    if (state.hovered >= 0) ring(state.hovered, 1.5);
    const opened = state.opened ? state.indexOf.get(state.opened) : undefined;
    if (opened !== undefined) ring(opened, 2.5);
    if (this.path?.length > 1) {
      context.lineWidth = 1.5;
      context.setLineDash([5, 4]);
      context.beginPath();
      if (this.dragTool === 'box') {
        const [[x, y], [endX, endY]] = [this.path[0], this.path.at(-1)];
        context.rect(x, y, endX - x, endY - y);
      } else {
        this.path.forEach(([x, y], at) => at ? context.lineTo(x, y) : context.moveTo(x, y));
        context.closePath();
      }
      context.stroke();
      context.fillStyle = style.getPropertyValue('--wash');
      context.fill();
      context.setLineDash([]);
    }
  }

  // Moving

  fit() { this.animate({ x: 0, y: 0, zoom: 1 }); }

  /** Shows a cluster or entries in the whole window. */
  zoomTo(members) {
    if (!members.length) return;
    const [[left, right], [top, bottom]] = [0, 1].map(axis => {
      const values = sample(members.length, at => this.positions[2 * members[at] + axis]);
      return [quantile(values, 0.04), quantile(values, 0.96)];
    });
    const zoom = Math.min(0.75 * this.view.width / (this.view.baseX * Math.max(0.02, right - left)),
      0.75 * this.view.height / (this.view.baseY * Math.max(0.02, bottom - top)), 40);
    this.animate({ x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.max(1, zoom) });
  }

  /** Brings an entry into view. */
  reveal(index) {
    const [x, y] = [this.positions[2 * index], this.positions[2 * index + 1]];
    const [screenX, screenY] = this.view.screen(x, y);
    // On a phone, the panel and the list cover the lower part of the map.
    const { bottom } = this.frame.getBoundingClientRect();
    const covered = Math.max(0, ...['.panel', '.side'].map(name => document.querySelector(name)).filter(sheet =>
      sheet.offsetWidth && getComputedStyle(sheet).position === 'fixed').map(sheet => bottom - sheet.offsetTop));
    const height = this.view.height - covered;
    const isVisible = screenX > 30 && screenY > 30 && screenX < this.view.width - 30 && screenY < height - 30;
    if (!isVisible) this.animate({ x, y: y + covered / 2 / this.view.scaleY }); else this.draw();
  }

  animate({ x = this.view.x, y = this.view.y, zoom, factor = 1 }) {
    const { view } = this;
    const from = { x: view.x, y: view.y, zoom: Math.log(view.zoom) };
    const to = { x, y, zoom: Math.log(Math.max(0.5, Math.min(maximumZoom, zoom ?? view.zoom * factor))) };
    cancelAnimationFrame(this.animation);
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches || document.hidden;
    const start = performance.now();
    const step = now => {
      const share = isStill ? 1 : Math.min(1, Math.max(0, now - start) / 260);
      const eased = 1 - (1 - share) ** 3;
      view.x = from.x + (to.x - from.x) * eased;
      view.y = from.y + (to.y - from.y) * eased;
      view.zoom = Math.exp(from.zoom + (to.zoom - from.zoom) * eased);
      this.draw(true);
      if (share < 1) this.animation = requestAnimationFrame(step);
    };
    step(isStill ? start + 1_000 : start);
  }

  setTool(tool) {
    this.tool = this.tool === tool ? 'pan' : tool;
    this.tools.forEach((button, at) => button.setAttribute('aria-pressed', String(this.tool === ['lasso', 'box'][at])));
    this.frame.classList.toggle('selecting', this.tool !== 'pan');
  }

  // Pointer and keyboard

  nearest(x, y) {
    const { view } = this;
    const [left, top] = view.world(x - hitRadius, y - hitRadius);
    const [right, bottom] = view.world(x + hitRadius, y + hitRadius);
    let [best, distance] = [-1, hitRadius ** 2];
    const isDense = this.index.count(left, top, right, bottom) > 2_000;
    if (isDense) return -1;
    this.index.visit(left, top, right, bottom, (index, worldX, worldY) => {
      const [px, py] = view.screen(worldX, worldY);
      const d = (px - x) ** 2 + (py - y) ** 2 + (isShown(index) ? 0 : 60);
      if (d < distance) [best, distance] = [index, d];
    });
    return best;
  }

  listen() {
    const { frame, view } = this;
    const pointers = new Map();
    const local = event => {
      const box = frame.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    let [moved, onLabel] = [0, false];
    frame.addEventListener('pointerdown', event => {
      if (event.button > 0) return;
      // A label gets a click, unless the pointer moves first.
      const isLabel = event.target.closest?.('.label');
      if (!isLabel) frame.setPointerCapture(event.pointerId);
      if (!pointers.size) onLabel = Boolean(isLabel);
      pointers.set(event.pointerId, local(event));
      moved = 0;
      this.dragTool = this.tool !== 'pan' ? this.tool : event.shiftKey ? 'box' : null;
      this.path = this.dragTool && pointers.size === 1 ? [local(event)] : null;
    });
    frame.addEventListener('pointermove', event => {
      const point = local(event);
      const before = pointers.get(event.pointerId);
      if (!before) return this.hover(event.target.closest?.('.label') ? -1 : this.nearest(...point), point);
      moved += Math.hypot(point[0] - before[0], point[1] - before[1]);
      if (moved > 6 && !frame.hasPointerCapture(event.pointerId)) frame.setPointerCapture(event.pointerId);
      if (pointers.size === 2) {
        const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
        const length = from => Math.hypot(from[0] - other[0], from[1] - other[1]);
        view.zoomAt((point[0] + other[0]) / 2, (point[1] + other[1]) / 2, length(point) / Math.max(1, length(before)));
      } else if (this.path) {
        this.path.push(point);
      } else if (moved > 3) {
        view.x -= (point[0] - before[0]) / view.scaleX;
        view.y -= (point[1] - before[1]) / view.scaleY;
        this.hover(-1);
      }
      pointers.set(event.pointerId, point);
      this.draw();
    });
    const end = event => {
      if (!pointers.delete(event.pointerId)) return;
      if (this.path && moved > 6) this.select(this.path, event.shiftKey && this.tool !== 'pan');
      else if (event.type === 'pointerup' && moved <= 6 && !pointers.size && !onLabel) this.click(local(event), event);
      this.path = null;
      this.draw();
    };
    frame.addEventListener('pointerup', end);
    frame.addEventListener('pointercancel', end);
    frame.addEventListener('pointerleave', () => this.hover(-1));
    frame.addEventListener('wheel', event => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 24 : 1;
      const factor = Math.exp(-Math.max(-120, Math.min(120, event.deltaY * lines)) * (event.ctrlKey ? 0.01 : 0.0022));
      view.zoomAt(...local(event), factor);
      this.draw();
    }, { passive: false });
    frame.addEventListener('dblclick', event => {
      if (event.target.closest?.('.label') || this.nearest(...local(event)) >= 0) return;
      view.zoomAt(...local(event), 2);
      this.draw();
    });
    frame.addEventListener('keydown', event => this.key(event));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { view } = this;
    const step = 60;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (moves[event.key]) {
      view.x += moves[event.key][0] / view.scaleX;
      view.y += moves[event.key][1] / view.scaleY;
      this.draw();
    } else if (event.key === '+' || event.key === '=') this.animate({ factor: 1.6 });
    else if (event.key === '-') this.animate({ factor: 1 / 1.6 });
    else if (event.key === '0') this.fit();
    else if (event.key === 'Enter') {
      const [left, top, right, bottom] = view.bounds();
      let [best, distance] = [-1, Infinity];
      this.index.visit(left, top, right, bottom, (index, x, y) => {
        const d = ((x - view.x) * view.scaleX) ** 2 + ((y - view.y) * view.scaleY) ** 2;
        if (isShown(index) && d < distance) [best, distance] = [index, d];
      });
      if (best >= 0) emit('open', idOf(best));
    } else return;
    event.preventDefault();
  }

  click(point, event) {
    const index = this.nearest(...point);
    if (index < 0) {
      if (state.selection.size && !event.shiftKey) { state.selection.clear(); emit('selection'); }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.shiftKey) {
      if (!state.selection.delete(index)) state.selection.add(index);
      emit('selection');
    } else emit('open', idOf(index));
  }

  /** Selects the entries in a box or a polygon of the screen. */
  select(path, isAdding) {
    if (!isAdding) state.selection.clear();
    const outline = this.dragTool === 'box'
      ? [path[0], [path.at(-1)[0], path[0][1]], path.at(-1), [path[0][0], path.at(-1)[1]]] : path;
    const corners = outline.map(([x, y]) => this.view.world(x, y));
    const [xs, ys] = [corners.map(corner => corner[0]), corners.map(corner => corner[1])];
    this.index.visit(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys), (index, x, y) => {
      if (isShown(index) && isInside(x, y, corners)) state.selection.add(index);
    });
    if (this.tool !== 'pan') this.setTool(this.tool);
    emit('selection');
  }

  hover(index, [x, y] = [0, 0]) {
    if (index === state.hovered && (index < 0 || !this.tip.hidden)) return;
    state.hovered = index;
    this.frame.classList.toggle('over-point', index >= 0);
    this.tip.hidden = true;
    this.draw();
    if (index >= 0) emit('hover', { index, show: content => this.showTip(index, content, x, y) });
  }

  showTip(index, content, x, y) {
    if (state.hovered !== index) return;
    this.tip.replaceChildren(...content);
    this.tip.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const left = x + 16 + width < this.view.width ? x + 16 : Math.max(4, x - width - 16);
    const top = Math.max(4, Math.min(this.view.height - height - 4, y + 16));
    this.tip.style.transform = `translate(${left}px, ${top}px)`;
  }
}

/** Gives clusters of groups the color of their largest group. */
function inheritColor(cluster) {
  const largest = cluster.children.map(inheritColor).sort((a, b) => b.size - a.size)[0];
  // Colors change with the light, so those of parents are not kept.
  if (largest && !largest.topic) cluster.color = largest.color;
  cluster.color ??= noColor();
  return cluster;
}

function isInside(x, y, corners) {
  let inside = false;
  corners.forEach(([x1, y1], at) => {
    const [x2, y2] = corners[(at + 1) % corners.length];
    if ((y1 > y) !== (y2 > y) && x < (x2 - x1) * (y - y1) / (y2 - y1) + x1) inside = !inside;
  });
  return inside;
}

/** Returns a small area of a color. Colors are set by the object model, which the content security policy permits. */
export function swatch(color, width) {
  const element = el('span', { class: 'swatch' });
  element.style.background = `rgb(${color.join(' ')})`;
  if (width) element.style.width = `${width}px`;
  return element;
}

/** Returns a value of metadata as a short text. */
export function metadataText(value) {
  const first = Array.isArray(value) ? value[0] : value;
  return first === null || first === undefined || typeof first === 'object' ? '' : String(first).slice(0, 60);
}

/** Returns the folder of the file or the site of an entry. */
export function folderOf(entry) {
  if (entry.path) return entry.path.split(/[/\\]/).slice(-2, -1)[0] ?? '';
  try { return new URL(entry.source).host || ''; } catch { return entry.source ?? ''; }
}

function dateColors(details, none) {
  const dates = Array.from({ length: state.n }, (_, index) => Date.parse(details(index)?.createdAt?.slice(0, 10)));
  const known = dates.filter(Number.isFinite).sort((a, b) => a - b);
  if (!known.length) return { of: () => none, legend: [] };
  const [first, last] = [known[0], known.at(-1)];
  const share = date => last > first ? (date - first) / (last - first) : 1;
  const text = date => new Date(date).toISOString().slice(0, 10);
  return {
    of: index => Number.isFinite(dates[index]) ? scaleColor(share(dates[index])) : none,
    legend: scaleLegend(text(first), text(last)),
  };
}

const scaleLegend = (first, last) => [0, 0.25, 0.5, 0.75, 1].map(at =>
  ({ text: at % 1 ? '' : at ? last : first, color: scaleColor(at), width: 22 }));

function categories(details, value, none) {
  const counts = new Map();
  for (let index = 0; index < state.n; index++) {
    const entry = details(index);
    const name = entry ? value(entry) : '';
    if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].sort((a, b) => b[1] - a[1]).map(pair => pair[0]);
  const colors = categoryColors(names.length);
  const colorOf = new Map(colors.map((color, at) => [names[at], color]));
  const legend = [...colorOf].map(([text, color]) => ({ text, color }));
  legend.push({ text: names.length > colors.length ? t('other') : t('none'), color: none });
  return {
    of: index => { const entry = details(index); return (entry && colorOf.get(value(entry))) ?? none; }, legend,
  };
}
