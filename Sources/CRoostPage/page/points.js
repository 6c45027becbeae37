// Draws points: with WebGL2, or with a 2-D canvas where there is none.

const vertexShader = `#version 300 es
uniform vec2 center, scale;
uniform float size, factorUnit;
in vec2 position;
in vec4 color;
in float factor;
out vec4 tint;
void main() {
  gl_Position = vec4((position - center) * scale, 0.0, 1.0);
  gl_PointSize = size * factor / factorUnit;
  tint = color;
}`;

const fragmentShader = `#version 300 es
precision mediump float;
in vec4 tint;
out vec4 result;
void main() {
  float distance = length(gl_PointCoord - 0.5);
  float alpha = tint.a * (1.0 - smoothstep(0.42, 0.5, distance));
  result = vec4(tint.rgb * alpha, alpha);
}`;

/** The factor of the size of a point is stored in a byte, as 32nds. */
const factorUnit = 32;

class WebGLPoints {
  constructor(canvas) {
    const gl = canvas.getContext('webgl2', { antialias: false, premultipliedAlpha: true });
    if (!gl) throw new Error('no WebGL2');
    const program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertexShader], [gl.FRAGMENT_SHADER, fragmentShader]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    gl.useProgram(program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    Object.assign(this, { gl, canvas, program, buffers: {} });
  }

  attribute(name, data, size, type, normalized) {
    const { gl } = this;
    this.buffers[name] ??= gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    const location = gl.getAttribLocation(this.program, name);
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, type, normalized, 0, 0);
  }

  setPositions(positions) { this.attribute('position', positions, 2, this.gl.FLOAT, false); }

  setStyle(colors, factors) {
    this.attribute('color', colors, 4, this.gl.UNSIGNED_BYTE, true);
    this.attribute('factor', factors, 1, this.gl.UNSIGNED_BYTE, false);
  }

  /** Draws the points with the given indices, in their order. */
  draw(view, size, order) {
    const { gl, canvas, program } = this;
    const ratio = canvas.width / view.width;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (!order.length) return;
    gl.uniform2f(gl.getUniformLocation(program, 'center'), view.x, view.y);
    gl.uniform2f(gl.getUniformLocation(program, 'scale'), 2 * view.scaleX / view.width, -2 * view.scaleY / view.height);
    gl.uniform1f(gl.getUniformLocation(program, 'size'), size * ratio);
    gl.uniform1f(gl.getUniformLocation(program, 'factorUnit'), factorUnit);
    if (this.order !== order) {
      this.buffers.order ??= gl.createBuffer();
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers.order);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, order, gl.DYNAMIC_DRAW);
      this.order = order;
    }
    gl.drawElements(gl.POINTS, order.length, gl.UNSIGNED_INT, 0);
  }
}

class CanvasPoints {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
  }

  setPositions(positions) { this.positions = positions; }

  setStyle(colors, factors) { Object.assign(this, { colors, factors }); }

  draw(view, size, order) {
    const { canvas, context, positions, colors, factors } = this;
    const ratio = canvas.width / view.width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    let last = '';
    for (const index of order) {
      const [x, y] = view.screen(positions[2 * index], positions[2 * index + 1]);
      if (x < -9 || y < -9 || x > view.width + 9 || y > view.height + 9) continue;
      const c = 4 * index;
      const style = `rgba(${colors[c]},${colors[c + 1]},${colors[c + 2]},${colors[c + 3] / 255})`;
      if (style !== last) context.fillStyle = last = style;
      const radius = size * factors[index] / factorUnit / 2;
      context.beginPath();
      context.arc(x, y, radius, 0, 7);
      context.fill();
    }
  }
}

/** Returns what draws on the canvas in a frame, and calls `replaced` with another one if WebGL is lost. */
export function makePoints(frame, replaced) {
  const canvas = () => {
    const canvas = document.createElement('canvas');
    canvas.className = 'points';
    canvas.setAttribute('aria-hidden', 'true');
    frame.querySelector('canvas.points')?.remove();
    frame.querySelector('.density').after(canvas);
    return canvas;
  };
  const first = canvas();
  try {
    const points = new WebGLPoints(first);
    first.addEventListener('webglcontextlost', () => replaced(new CanvasPoints(canvas())));
    return points;
  } catch {
    return new CanvasPoints(canvas());
  }
}

/** The number of cells of the density on each axis, over positions from -limit to limit. */
const cells = 512;
const limit = 1.25;

/** Draws the density of points as an image: a histogram, blurred, in steps, in the mean color of the points. */
export function densityImage(positions, colors, n) {
  const count = new Float32Array(cells * cells);
  const mean = [0, 1, 2].map(() => new Float32Array(cells * cells));
  for (let index = 0; index < n; index++) {
    const column = Math.min(cells - 1, Math.max(0, Math.floor((positions[2 * index] / limit + 1) * cells / 2)));
    const row = Math.min(cells - 1, Math.max(0, Math.floor((positions[2 * index + 1] / limit + 1) * cells / 2)));
    const weight = colors[4 * index + 3] / 255;
    const cell = row * cells + column;
    count[cell] += weight;
    for (let part = 0; part < 3; part++) mean[part][cell] += weight * colors[4 * index + part];
  }
  for (const field of [count, ...mean]) blur(field);
  const image = new ImageData(cells, cells);
  const peak = Math.log1p(count.reduce((most, value) => Math.max(most, value), 0));
  for (let cell = 0; cell < cells * cells; cell++) {
    const share = peak > 0 ? Math.log1p(count[cell]) / peak : 0;
    if (count[cell] < 0.05) continue;
    for (let part = 0; part < 3; part++) image.data[4 * cell + part] = mean[part][cell] / count[cell];
    // Steps look like contours.
    image.data[4 * cell + 3] = 255 * (0.06 + 0.8 * (0.5 * share + 0.5 * Math.floor(share * 8) / 8));
  }
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = cells;
  canvas.getContext('2d').putImageData(image, 0, 0);
  return { canvas, limit };
}

/** Blurs a field with three passes of a box on each axis, which resemble a Gaussian. */
function blur(field) {
  const radius = 2;
  const width = 2 * radius + 1;
  const rows = new Float32Array(cells * cells);
  for (let pass = 0; pass < 3; pass++) {
    for (let base = 0; base < cells * cells; base += cells) {
      let sum = 0;
      for (let i = -radius; i < cells; i++) {
        if (i + radius < cells) sum += field[base + i + radius];
        if (i - radius > 0) sum -= field[base + i - radius - 1];
        if (i >= 0) rows[base + i] = sum / width;
      }
    }
    // All columns in step, because memory is read by rows.
    const sums = new Float32Array(cells);
    for (let i = -radius; i < cells; i++) {
      const [first, last] = [(i - radius - 1) * cells, (i + radius) * cells];
      for (let column = 0; column < cells; column++) {
        if (i + radius < cells) sums[column] += rows[last + column];
        if (first >= 0) sums[column] -= rows[first + column];
        if (i >= 0) field[i * cells + column] = sums[column] / width;
      }
    }
  }
}

/** An index of points by cells of a grid. */
export class PointIndex {
  constructor(positions, n) {
    const size = Math.max(8, Math.min(512, Math.ceil(Math.sqrt(n / 4))));
    const starts = new Uint32Array(size * size + 1);
    Object.assign(this, { positions, n, size, starts, order: new Uint32Array(n) });
    for (let index = 0; index < n; index++) starts[this.cell(index) + 1]++;
    for (let cell = 0; cell < size * size; cell++) starts[cell + 1] += starts[cell];
    const next = starts.slice();
    for (let index = 0; index < n; index++) this.order[next[this.cell(index)]++] = index;
  }

  column(value) { return Math.min(this.size - 1, Math.max(0, Math.floor((value / limit + 1) * this.size / 2))); }

  cell(index) {
    return this.column(this.positions[2 * index + 1]) * this.size + this.column(this.positions[2 * index]);
  }

  /** Calls a function with each point in a rectangle until it returns true. */
  visit(left, top, right, bottom, call) {
    for (let row = this.column(top); row <= this.column(bottom); row++) {
      for (let column = this.column(left); column <= this.column(right); column++) {
        const cell = row * this.size + column;
        for (let at = this.starts[cell]; at < this.starts[cell + 1]; at++) {
          const index = this.order[at];
          const [x, y] = [this.positions[2 * index], this.positions[2 * index + 1]];
          if (x >= left && x <= right && y >= top && y <= bottom && call(index, x, y)) return;
        }
      }
    }
  }

  /** The approximate number of points in a rectangle, from the sizes of the cells. */
  count(left, top, right, bottom) {
    let count = 0;
    for (let row = this.column(top); row <= this.column(bottom); row++) {
      count += this.starts[row * this.size + this.column(right) + 1] - this.starts[row * this.size + this.column(left)];
    }
    return count;
  }
}
