/// The HTML page that shows a cluster map.
///
/// The page is self-contained, and its content security policy prevents it from loading anything. Texts of
/// entries are inserted as text nodes only, never as markup.
enum ClusterPage {
    /// The page, with the placeholder `/*DATA*/` for the JSON data.
    static let html = #"""
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy"
         content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
        <title>Clusters</title>
        <style>
        :root { color-scheme: light dark; --back: #fcfcfa; --ink: #222; --soft: #777; --line: #ddd }
        @media (prefers-color-scheme: dark) {
          :root { --back: #16181b; --ink: #e4e4e0; --soft: #999; --line: #333 }
        }
        * { box-sizing: border-box }
        body { margin: 0; height: 100vh; display: flex; background: var(--back); color: var(--ink);
          font: 14px/1.4 system-ui, sans-serif }
        main { flex: 1; position: relative; min-width: 0 }
        canvas { width: 100%; height: 100%; display: block; cursor: grab; touch-action: none }
        aside { width: 300px; border-left: 1px solid var(--line); display: flex; flex-direction: column }
        input { margin: 12px; padding: 7px 10px; font: inherit; color: inherit; background: transparent;
          border: 1px solid var(--soft); border-radius: 6px }
        #count { margin: 0 14px 8px; color: var(--soft) }
        ul { list-style: none; margin: 0; padding: 0 6px 12px; overflow: auto; flex: 1 }
        button { width: 100%; display: flex; gap: 8px; padding: 4px 8px; font: inherit; color: inherit;
          text-align: left; background: none; border: 0; border-radius: 6px; cursor: pointer }
        button:hover, button:focus-visible, button[aria-pressed=true] { background: var(--line) }
        button span:nth-child(2) { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
        button span:nth-child(3) { color: var(--soft) }
        #save { width: auto; margin: 0 14px 8px; border: 1px solid var(--soft); justify-content: center }
        #save:disabled { opacity: 0.5; cursor: default }
        .dot { width: 10px; height: 10px; border-radius: 5px; margin-top: 5px; flex: none }
        #tip { position: absolute; max-width: 360px; padding: 8px 10px; border-radius: 6px;
          pointer-events: none; background: var(--back); border: 1px solid var(--line);
          box-shadow: 0 2px 8px #0004; display: none;
          overflow-wrap: anywhere; white-space: pre-line }
        #tip b { display: block }
        @media (max-width: 700px) { body { flex-direction: column } aside { width: auto; height: 40% } }
        </style>
        </head>
        <body>
        <main><canvas id="map" aria-label="Map of the entries"></canvas><div id="tip"></div></main>
        <aside>
        <input id="search" type="search" placeholder="Search the texts" aria-label="Search the texts">
        <div id="count" role="status"></div>
        <button id="save" title="Save the ids of the shown entries, such as for roost edit $(cat ids.txt) --add-tag TAG.
        Drag with Shift on the map to select a rectangle; Escape selects all.">Save ids</button>
        <ul id="list"></ul>
        </aside>
        <script id="data" type="application/json">/*DATA*/</script>
        <script>
        'use strict';
        const data = JSON.parse(document.getElementById('data').textContent);
        const canvas = document.getElementById('map'), context = canvas.getContext('2d');
        const tip = document.getElementById('tip'), search = document.getElementById('search');
        const save = document.getElementById('save');
        const n = data.x.length, lower = data.text.map(text => text.toLowerCase());
        const none = 'hsl(0 0% 60%)';
        // The golden angle keeps the colors of neighboring numbers apart.
        const colors = data.labels.map((_, i) =>
          `hsl(${(i * 137.508) % 360} ${[65, 45, 80][i % 3]}% ${[50, 62, 42][(i >> 1) % 3]}%)`);
        const centers = data.labels.map((_, cluster) => {
          const xs = [], ys = [];
          for (let i = 0; i < n; i++) {
            if (data.cluster[i] === cluster) { xs.push(data.x[i]); ys.push(data.y[i]) }
          }
          const middle = values => values.sort((a, b) => a - b)[values.length >> 1];
          return xs.length ? [middle(xs), middle(ys)] : null;
        });
        let view = { x: 0, y: 0, scale: 1 }, chosen = null, words = '', hovered = -1;
        // The selected rectangle: the coordinates of two opposite corners on the map.
        let box = null;
        const between = (value, a, b) => value >= Math.min(a, b) && value <= Math.max(a, b);
        function shown(i) {
          return (chosen === null || data.cluster[i] === chosen) && (!words || lower[i].includes(words)) &&
            (!box || between(data.x[i], box[0], box[2]) && between(data.y[i], box[1], box[3]));
        }
        function fit() {
          let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
          for (let i = 0; i < n; i++) {
            left = Math.min(left, data.x[i]); right = Math.max(right, data.x[i]);
            top = Math.min(top, data.y[i]); bottom = Math.max(bottom, data.y[i]);
          }
          view.x = (left + right) / 2; view.y = (top + bottom) / 2;
          view.scale = 0.9 * Math.min(canvas.clientWidth / Math.max(right - left, 1e-6),
            canvas.clientHeight / Math.max(bottom - top, 1e-6));
        }
        const screen = (x, y) => [(x - view.x) * view.scale + canvas.clientWidth / 2,
          (y - view.y) * view.scale + canvas.clientHeight / 2];
        const place = (x, y) => [(x - canvas.clientWidth / 2) / view.scale + view.x,
          (y - canvas.clientHeight / 2) / view.scale + view.y];
        function draw() {
          const ratio = window.devicePixelRatio || 1, style = getComputedStyle(document.body);
          canvas.width = canvas.clientWidth * ratio; canvas.height = canvas.clientHeight * ratio;
          context.setTransform(ratio, 0, 0, ratio, 0, 0);
          const size = Math.max(1.5, Math.min(5, 60 / Math.sqrt(n) + 1.5));
          let count = 0;
          for (const pass of [false, true]) {
            for (let i = 0; i < n; i++) {
              if (shown(i) !== pass) continue;
              if (pass) count++;
              const [x, y] = screen(data.x[i], data.y[i]);
              context.globalAlpha = pass ? 0.8 : 0.08;
              context.fillStyle = data.cluster[i] < 0 ? none : colors[data.cluster[i]];
              context.beginPath();
              context.arc(x, y, i === hovered ? size * 2 : size, 0, 7);
              context.fill();
            }
          }
          context.globalAlpha = 1;
          if (box) {
            const [left, top] = screen(box[0], box[1]), [right, bottom] = screen(box[2], box[3]);
            context.lineWidth = 1;
            context.strokeStyle = style.color;
            context.strokeRect(left, top, right - left, bottom - top);
          }
          context.font = '600 12px system-ui, sans-serif';
          context.textAlign = 'center';
          context.lineWidth = 3;
          context.strokeStyle = style.backgroundColor;
          context.fillStyle = style.color;
          const taken = [];
          data.labels.forEach((label, cluster) => {
            if (!centers[cluster] || (chosen !== null && chosen !== cluster)) return;
            let [x, y] = screen(...centers[cluster]);
            const inside = x >= 0 && x <= canvas.clientWidth && y >= 0 && y <= canvas.clientHeight;
            const short = label.length > 40 ? label.slice(0, 39) + '…' : label;
            const half = context.measureText(short).width / 2;
            // A label near the edge is moved, so that it can be read, while its center is in view.
            if (inside) x = Math.max(half + 4, Math.min(x, canvas.clientWidth - half - 4));
            const free = [0, -18, 18].map(shift => [x - half, y + shift - 9, x + half, y + shift + 9])
              .find(box => !taken.some(t =>
                box[0] < t[2] && t[0] < box[2] && box[1] < t[3] && t[1] < box[3]));
            // The larger clusters come first; a label without free space appears when the map is enlarged.
            if (!free) return;
            taken.push(free);
            y = free[1] + 9;
            context.strokeText(short, x, y + 4);
            context.fillText(short, x, y + 4);
          });
          document.getElementById('count').textContent = `${count} of ${n} entries` +
            (data.total > n ? ` (of ${data.total} in the store)` : '');
          save.textContent = `Save ${count === 1 ? '1 id' : `${count} ids`}`;
          save.disabled = count === 0;
        }
        function nearest(x, y) {
          let [best, distance] = [-1, 100];
          for (let i = 0; i < n; i++) {
            if (!shown(i)) continue;
            const [px, py] = screen(data.x[i], data.y[i]), d = (px - x) ** 2 + (py - y) ** 2;
            if (d < distance) { best = i; distance = d }
          }
          return best;
        }
        let drag = null, corner = null;
        canvas.addEventListener('pointerdown', event => {
          const position = [event.offsetX, event.offsetY];
          if (event.shiftKey) { corner = position; box = null } else drag = position;
          canvas.setPointerCapture(event.pointerId);
        });
        canvas.addEventListener('pointerup', () => {
          if (corner) draw();
          drag = corner = null;
        });
        canvas.addEventListener('pointermove', event => {
          if (corner) {
            box = [...place(...corner), ...place(event.offsetX, event.offsetY)];
            return draw();
          }
          if (drag) {
            view.x -= (event.offsetX - drag[0]) / view.scale;
            view.y -= (event.offsetY - drag[1]) / view.scale;
            drag = [event.offsetX, event.offsetY];
            return draw();
          }
          const found = nearest(event.offsetX, event.offsetY);
          tip.style.display = found < 0 ? 'none' : 'block';
          if (found >= 0) {
            const name = document.createElement('b');
            name.textContent = data.cluster[found] < 0 ? 'in no cluster' : data.labels[data.cluster[found]];
            tip.replaceChildren(name, data.text[found]);
            const position = (at, room) => Math.max(0, Math.min(at + 14, room)) + 'px';
            tip.style.left = position(event.offsetX, canvas.clientWidth - 380);
            tip.style.top = position(event.offsetY, canvas.clientHeight - tip.offsetHeight);
          }
          if (found !== hovered) { hovered = found; draw() }
        });
        canvas.addEventListener('pointerleave', () => { tip.style.display = 'none' });
        canvas.addEventListener('wheel', event => {
          event.preventDefault();
          const factor = Math.exp(-event.deltaY / 500);
          const [dx, dy] = [event.offsetX - canvas.clientWidth / 2, event.offsetY - canvas.clientHeight / 2];
          view.x += dx / view.scale - dx / (view.scale * factor);
          view.y += dy / view.scale - dy / (view.scale * factor);
          view.scale *= factor;
          draw();
        }, { passive: false });
        search.addEventListener('input', () => { words = search.value.trim().toLowerCase(); draw() });
        window.addEventListener('keydown', event => {
          if (event.key === 'Escape' && box) { box = null; draw() }
        });
        save.addEventListener('click', () => {
          const ids = data.ids.filter((_, i) => shown(i)), link = document.createElement('a');
          link.href = URL.createObjectURL(new Blob([ids.join('\n') + '\n'], { type: 'text/plain' }));
          link.download = 'ids.txt';
          link.click();
          setTimeout(() => URL.revokeObjectURL(link.href), 1000);
        });
        data.labels.forEach((label, cluster) => {
          const button = document.createElement('button'), item = document.createElement('li');
          const parts = ['', label, String(data.sizes[cluster])].map(text => {
            const part = document.createElement('span'); part.textContent = text; return part;
          });
          parts[0].className = 'dot'; parts[0].style.background = colors[cluster];
          button.title = label;
          button.setAttribute('aria-pressed', 'false');
          button.append(...parts);
          button.addEventListener('click', () => {
            chosen = chosen === cluster ? null : cluster;
            for (const [other, li] of [...document.querySelectorAll('#list button')].entries())
              li.setAttribute('aria-pressed', String(other === chosen));
            draw();
          });
          item.append(button);
          document.getElementById('list').append(item);
        });
        window.addEventListener('resize', draw);
        fit();
        draw();
        </script>
        </body>
        </html>

        """#
}
