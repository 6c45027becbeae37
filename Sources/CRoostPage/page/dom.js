// Elements are made of text nodes and attributes only, so that no stored text can become markup.

/** Returns an element. `on…` properties are listeners; `null` and `false` omit an attribute. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'text') element.textContent = value;
    else if (name === 'value' || name === 'checked' || name === 'disabled') element[name] = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

const paths = {
  plus: 'M8 3v10M3 8h10', minus: 'M3 8h10', close: 'M4 4l8 8M12 4l-8 8', more: 'M3 8h.01M8 8h.01M13 8h.01',
  fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  lasso: 'M8 2.5c3.5 0 6 1.8 6 4s-2.5 4-6 4c-1 0-2-.1-2.8-.4M5.2 10.1C3.3 9.4 2 8.1 2 6.5c0-2.2 2.5-4 6-4'
    + 'M5.2 10.1c1 .9.8 2.6-1.2 3.4',
  box: 'M3 3h2M7 3h2M11 3h2v2M13 7v2M13 11v2h-2M9 13H7M5 13H3v-2M3 9V7M3 5V3',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7L14 14', undo: 'M6 3L3 6l3 3M3 6h6a4 4 0 0 1 0 8H6',
  table: 'M2 3h12v10H2zM2 6.5h12M2 10h12M6.5 3v10', list: 'M5 4h9M5 8h9M5 12h9M2 4h.01M2 8h.01M2 12h.01',
  map: 'M4 5h.01M9 3h.01M12 7h.01M6 10h.01M10 12h.01M3 13h.01', gear: 'M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7'
    + 'M10.5 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM5.5 13a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3z',
  add: 'M8 11V3M4.5 6L8 2.5 11.5 6M2.5 11v2.5h11V11',
  groups: 'M8 2.5l1.4 3.6L13 7.5l-3.6 1.4L8 12.5 6.6 8.9 3 7.5l3.6-1.4z',
  right: 'M6 4l4 4-4 4', pin: 'M6 2h4M6.5 2v4L4 9h8L9.5 6V2M8 9v5', filter: 'M2 3h12L9.5 8.5V13L6.5 11V8.5z',
};

/** Returns an icon, which is hidden from assistive technology. */
export function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', 'icon');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', paths[name]);
  svg.append(path);
  return svg;
}

/** Returns a button with an icon, whose name is its label and its tooltip. */
export function iconButton(name, label, onclick, properties = {}) {
  return el('button', { type: 'button', class: 'icon-button', 'aria-label': label, title: label, onclick,
    ...properties }, icon(name));
}

/** Returns a function that calls another one when it was not called for a time. */
export function debounced(milliseconds, call) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...values), milliseconds);
  };
}

/** Shows a dialog and returns its element. It closes with Escape, and the focus returns to where it was. */
export function showDialog(title, content, closeLabel) {
  const dialog = el('dialog', { 'aria-label': title, onclose: () => dialog.remove() },
    el('header', {}, el('h2', { text: title }),
      closeLabel ? iconButton('close', closeLabel, () => dialog.close()) : null), content);
  if (!closeLabel) dialog.addEventListener('cancel', event => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Shows a menu below a button. Items are `{ label, run }`. */
export function showMenu(anchor, items) {
  document.querySelector('.menu')?.remove();
  const close = () => {
    menu.remove();
    removeEventListener('pointerdown', outside, true);
    anchor.focus();
  };
  const outside = event => { if (!menu.contains(event.target)) close(); };
  const buttons = items.map(item => el('button', {
    type: 'button', role: 'menuitem', tabindex: '-1', text: item.label,
    onclick: () => { close(); item.run(); },
  }));
  const menu = el('div', { class: 'menu', role: 'menu', onkeydown: event => {
    const index = buttons.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) buttons[(index + step + buttons.length) % buttons.length].focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  } }, buttons);
  document.body.append(menu);
  const place = anchor.getBoundingClientRect();
  const left = Math.min(place.left, innerWidth - menu.offsetWidth - 8);
  const below = place.bottom + 4 + menu.offsetHeight < innerHeight;
  menu.style.left = `${Math.max(8, left)}px`;
  menu.style.top = `${below ? place.bottom + 4 : Math.max(8, place.top - menu.offsetHeight - 4)}px`;
  addEventListener('pointerdown', outside, true);
  buttons[0]?.focus();
}
