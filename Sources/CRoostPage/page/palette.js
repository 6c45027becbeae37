// Colors: each group has a hue that differs from those of its neighbors on the map, also for people who cannot tell red
// from green; topics are shades of their group.

function fromOklch(lightness, chroma, hue) {
  const angle = hue * Math.PI / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(value => Math.min(1, Math.max(0, value)));
}

function toOklab([r, g, b]) {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** Linear light as seen with protanopia and deuteranopia (Machado, Oliveira & Fernandes 2009). */
const deficiencies = [
  [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
];

const views = color => deficiencies.map(matrix => toOklab(matrix.map(row =>
  Math.max(0, row[0] * color[0] + row[1] * color[1] + row[2] * color[2]))));

/** The difference of two colors for the person who sees the smallest one. */
function difference(first, second) {
  return Math.min(...first.map((lab, index) => Math.hypot(...lab.map((value, axis) => value - second[index][axis]))));
}

function bytes(color) {
  return color.map(value =>
    Math.round(255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055)));
}

export const cssColor = color => `rgb(${color.join(' ')})`;

const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches;

/** The hues, in degrees of OKLCH, with small corrections of the lightness: yellow is bright, blue is dark. */
const hues = [[255, -0.04], [55, 0.05], [155, 0], [350, 0], [90, 0.1], [305, -0.06], [200, 0.06], [25, -0.04],
  [125, 0.06],
  [275, -0.05], [325, 0.06], [180, -0.08]];

function candidates() {
  const base = isDark() ? 0.73 : 0.62;
  return hues.flatMap(([hue, shift]) => [0, -0.1].map(darker => {
    const lch = [base + shift + darker, darker ? 0.11 : 0.145, hue];
    return { lch, views: views(fromOklch(...lch)), isDarker: darker !== 0 };
  }));
}

/** The color of entries in no group. */
export const noColor = () => isDark() ? [120, 124, 130] : [150, 152, 156];

/** Gives colors to the groups, largest first, and shades to their topics. `centers` has the positions of the groups. */
export function assignColors(groups, centers) {
  const choices = candidates();
  const chosen = [];
  const uses = new Map();
  for (const group of [...groups].sort((a, b) => b.size - a.size || (a.id < b.id ? -1 : 1))) {
    const [x, y] = centers.get(group.id) ?? [0, 0];
    let best = null;
    for (const choice of choices) {
      let score = 1;
      for (const other of chosen) {
        const distance = Math.hypot(x - other.x, y - other.y);
        score = Math.min(score, difference(choice.views, other.choice.views) * (0.4 + Math.min(2, distance)));
      }
      // Bright colors are used first.
      score -= (choice.isDarker ? 0.012 : 0) + 0.03 * (uses.get(choice) ?? 0);
      if (!best || score > best.score) best = { score, choice };
    }
    chosen.push({ x, y, choice: best.choice });
    uses.set(best.choice, (uses.get(best.choice) ?? 0) + 1);
    const lch = best.choice.lch;
    group.color = bytes(fromOklch(...lch));
    shade(group, lch);
  }
}

function shade(group, [lightness, chroma, hue]) {
  const topics = group.children.filter(child => child.topic);
  topics.forEach((topic, index) => {
    // From -1 to 1, with large steps between consecutive topics.
    const step = topics.length < 2 ? 0 : 2 * (index * 2 % topics.length + (index * 2 >= topics.length ? 1 : 0) % 2)
      / Math.max(1, topics.length - 1) - 1;
    const bounded = Math.max(-1, Math.min(1, step));
    topic.color = bytes(fromOklch(lightness + 0.07 * bounded, chroma - 0.02 * Math.abs(bounded), hue + 9 * bounded));
    shade(topic, [lightness, chroma, hue]);
  });
}

/** Returns a color of a scale from 0 (early, dissimilar) to 1 (late, similar), which is monotonous in its lightness. */
export function scaleColor(share) {
  const from = isDark() ? [0.42, 0.09, 285] : [0.86, 0.07, 95];
  const to = isDark() ? [0.88, 0.15, 95] : [0.36, 0.13, 280];
  const mix = from.map((value, index) => value + (to[index] - value) * share);
  if (!isDark()) mix[2] = 95 + (share * -175);
  return bytes(fromOklch(mix[0], mix[1], (mix[2] + 360) % 360));
}

/** Returns the colors of categories, the most frequent first. */
export function categoryColors(count) {
  const choices = candidates().filter(choice => !choice.isDarker);
  return Array.from({ length: Math.min(count, choices.length) }, (_, index) => bytes(fromOklch(...choices[index].lch)));
}
