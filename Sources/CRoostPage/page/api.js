// The operations of the server. An exported page has the same functions over the data that it contains (offline.js).

export class ApiError extends Error {
  constructor(status, problem) {
    super(problem.detail ?? String(status));
    this.status = status;
    this.code = problem.code ?? '';
    this.advice = problem.advice;
  }
}

const prefix = '/api/v1/';

async function request(method, path, body, headers = {}) {
  const init = { method, headers: { ...headers }, credentials: 'same-origin' };
  if (body !== undefined) {
    init.headers['Content-Type'] ??= 'application/json';
    init.body = typeof body === 'string' ? body : JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, init);
  } catch {
    throw new ApiError(0, { code: 'unreachable', detail: 'unreachable' });
  }
  if (response.ok) return response;
  throw new ApiError(response.status, await response.json().catch(() => ({})));
}

async function json(method, path, body, headers) {
  return (await request(method, prefix + path, body, headers)).json();
}

/** Returns a query. Lists give one parameter for each element. */
function query(values) {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).filter(item => item !== undefined && item !== null && item !== '')
      .map(item => `${name}=${encodeURIComponent(item)}`));
  return pairs.length ? `?${pairs.join('&')}` : '';
}

/** Reads the answer of `GET map`: the length of a JSON object as UInt32, the object, padded to a multiple of four
 * bytes, then for all entries their ids (16 bytes each), x and y (Float32), and the numbers of their clusters (UInt32)
 * in the list `clusters` of the object. All numbers are little-endian. */
export function readMap(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const n = head.count;
  let offset = 4 + length;
  const ids = new Uint8Array(buffer, offset, 16 * n);
  offset += 16 * n;
  const [x, y, cluster] = [Float32Array, Float32Array, Uint32Array].map((type, index) =>
    new type(buffer, offset + 4 * n * index, n));
  return { ...head, ids, x, y, cluster };
}

/** Returns the text of an id in the ids of a map. */
export function idText(ids, index) {
  let text = '';
  for (let byte = 0; byte < 16; byte++) {
    if (byte === 4 || byte === 6 || byte === 8 || byte === 10) text += '-';
    text += ids[16 * index + byte].toString(16).padStart(2, '0');
  }
  return text;
}

/** Finds the index of an id: a hash table, because a map of a million texts takes seconds and 100 MB. */
export class IdIndex {
  constructor(ids = new Uint8Array()) {
    this.words = new DataView(ids.buffer, ids.byteOffset, ids.byteLength);
    this.mask = 2 ** Math.ceil(Math.log2(ids.length / 8 + 2)) - 1;
    this.slots = new Int32Array(this.mask + 1).fill(-1);
    for (let index = 0; index < ids.length / 16; index++) {
      let slot = this.slot(index * 16);
      while (this.slots[slot] >= 0) slot = slot + 1 & this.mask;
      this.slots[slot] = index;
    }
  }

  slot(at, words = this.words) {
    return (words.getUint32(at) ^ words.getUint32(at + 4) ^ words.getUint32(at + 8) ^ words.getUint32(at + 12))
      & this.mask;
  }

  get(id) {
    const hex = String(id).replaceAll('-', '');
    const words = new DataView(new ArrayBuffer(16));
    for (let at = 0; at < 16; at++) words.setUint8(at, parseInt(hex.slice(2 * at, 2 * at + 2), 16));
    for (let slot = this.slot(0, words); this.slots[slot] >= 0; slot = slot + 1 & this.mask) {
      const index = this.slots[slot];
      if ([0, 4, 8, 12].every(at => words.getUint32(at) === this.words.getUint32(16 * index + at))) return index;
    }
    return undefined;
  }
}

export const server = {
  isLive: true,
  signIn: token => request('POST', '/session', undefined, { Authorization: `Bearer ${token}` }),
  status: () => json('GET', 'status'),
  clusters: async () => {
    const all = [];
    let cursor;
    do {
      const page = await json('GET', 'clusters' + query({ limit: 10_000, cursor }));
      all.push(...page.clusters);
      cursor = page.nextCursor;
    } while (cursor);
    return all;
  },
  map: async () => readMap(await (await request('GET', prefix + 'map')).arrayBuffer()),
  entries: values => json('GET', 'entries' + query(values)),
  entry: id => json('GET', `entries/${id}`),
  links: async id => (await json('GET', `entries/${id}/links`)).links,
  update: (id, changes, revision) =>
    json('PATCH', `entries/${id}`, changes, revision ? { 'If-Match': `"${revision}"` } : {}),
  tag: (entries, addTags) => json('POST', 'entries/tags', { entries, addTags }),
  search: values => json('POST', 'search', values),
  counts: values => json('GET', 'counts' + query(values)),
  rename: (id, label) => json('PATCH', `clusters/${id}`, { label }),
  merge: ids => json('POST', 'clusters/merge', { clusters: ids }),
  split: (id, parts) => json('POST', `clusters/${id}/split`, { parts }),
  removeCluster: id => json('DELETE', `clusters/${id}`),
  move: (id, entries) => json('POST', `clusters/${id}/members`, { entries }),
  removeEntries: ids => json('POST', 'entries/remove', { ids, confirm: true, budget: 200 }),
  recluster: values => json('POST', 'clusters/recluster', values),
  lineage: () => json('GET', 'clusters/diff'),
  check: async () => (await json('GET', 'check')).findings,
  undo: dryRun => json('POST', 'undo', { dryRun }),
  backups: () => json('GET', 'backups'),
  backUp: () => json('POST', 'backups'),
  conversations: () => json('GET', 'conversations' + query({ limit: 200 })),
  messages: values => json('GET', 'conversations/messages' + query(values)),
  recall: values => json('POST', 'conversations/recall', values),

  /** Stores texts, and calls a function with the progress after each step. */
  async ingest(lines, report) {
    const response = await request('POST', prefix + 'ingest', lines.map(line => JSON.stringify(line)).join('\n'),
      { 'Content-Type': 'application/x-ndjson' });
    let last = {};
    for (const line of (await response.text()).split('\n').filter(Boolean)) {
      last = JSON.parse(line);
      if (last.error) throw new ApiError(last.error.status, last.error);
      report(last);
    }
    return last;
  },

  /** Calls functions for the changes of the store, and for the loss and the return of the server. */
  follow({ opened, changed, lost, back }) {
    let isLost = false;
    let feed;
    const connect = () => {
      feed = new EventSource(prefix + 'changes');
      for (const name of ['upserted', 'removed', 'clusters', 'reset']) {
        feed.addEventListener(name, event => changed(name, JSON.parse(event.data)));
      }
      feed.onopen = () => { if (isLost) { isLost = false; back(); } else opened(); };
      feed.onerror = () => {
        if (!isLost) { isLost = true; lost(); }
        // The browser gives up if the server answers with an error, such as a missing session.
        if (feed.readyState === EventSource.CLOSED) setTimeout(connect, 2_000);
      };
    };
    connect();
  },
};
