// All texts of the page. A text is a string with {names}, or a pair for one and for several ({n}).

const english = {
  search: 'Search by meaning and words', groups: 'Groups', results: 'Results', noGroup: 'In no group', map: 'Map',
  mapHelp: 'Map of the entries. Arrow keys move, plus and minus zoom, 0 shows everything, Enter opens the entry in the '
    + 'middle. The table has the same entries.',
  zoomIn: 'Zoom in', zoomOut: 'Zoom out', fit: 'Show everything', lasso: 'Select with a lasso', box: 'Select a box',
  table: 'Table', undo: 'Undo the last change', settings: 'Store', addFiles: 'Add files', close: 'Close',
  regroup: 'Group again', color: 'Color', colorCluster: 'Groups', colorDate: 'Date', colorTag: 'Tag',
  colorSource: 'Folder', colorSimilarity: 'Similarity', more: 'More', rename: 'Rename', pin: 'Keep the label',
  unpin: 'Choose the label automatically', split: 'Split in two', merge: 'Merge into…', remove: 'Remove',
  deleteCluster: 'Delete the group (keeps its entries)', zoomTo: 'Zoom to it', selectMembers: 'Select its entries',
  entries: ['1 entry', '{n} entries'], found: ['1 result', '{n} results'], nothingFound: 'Nothing matches.',
  nearestFound: 'Nothing is close to the search. The nearest entries:',
  selected: ['1 selected', '{n} selected'], moveTo: 'Move to…', addTag: 'Add tag', clear: 'Clear', none: 'None',
  tags: 'Tags', removeTag: 'Remove the tag {tag}', nearest: 'Similar entries', metadata: 'Metadata', edit: 'Edit',
  save: 'Save', cancel: 'Cancel', title: 'Title', text: 'Text', tagName: 'New tag', openObsidian: 'Open in Obsidian',
  openEditor: 'Open in the editor', editHint: 'The stored text is changed, not the file.', group: 'Group',
  created: 'Created', changed: 'Changed', source: 'Source', loading: 'Loading…', line: 'line {n}',
  renamed: 'Renamed to “{label}”.', merged: 'Merged into “{label}”.', deleted: 'Deleted “{label}”.',
  splitDone: 'Split “{label}”.', pinned: 'The label stays.', unpinned: 'The label is chosen automatically.',
  moved: ['1 entry moved.', '{n} entries moved.'], tagged: ['1 entry tagged.', '{n} entries tagged.'],
  removed: ['1 entry removed.', '{n} entries removed.'], saved: 'Saved.', undone: 'Undone.', undoShort: 'Undo',
  undoOther: 'The store has changed since then. Undo “{command}” of {date}?',
  confirmRemove: ['Remove this entry from the store?', 'Remove these {n} entries from the store?'],
  cannotUndo: 'There are too many to undo this: make a backup first.',
  mayNotUndo: 'Perhaps not all of them can be restored afterwards: make a backup first.',
  undonePart: 'Only {n} of {all} parts of the change were undone ({why}). A backup may have the rest.',
  lost: 'The server cannot be reached. Trying again…', back: 'The server is back.',
  conflict: 'The entry was changed elsewhere meanwhile. Your text is kept here; load the other version to compare.',
  loadOther: 'Load the other version', tokenTitle: 'Enter the token',
  tokenHelp: 'The command “roost serve --print-token” prints it. The command “roost open” opens this page with it.',
  token: 'Token', tokenWrong: 'This token is not valid for this server.', open: 'Open',
  emptyTitle: 'This store is empty', emptyHelp: 'Drop text files here, or use a command:',
  choose: 'Choose files', dropHere: 'Drop files to add them', noClusters: 'The entries are not grouped yet.',
  makeGroups: 'Make groups', grouping: 'Grouping…', adding: 'Adding {n} of {all}…',
  added: '{new} new, {updated} updated, {unchanged} unchanged.', notText: ['1 file is not text.',
  '{n} files are not text.'],
  granularity: 'Size of the groups', coarse: 'Larger', medium: 'Usual', fine: 'Smaller', preview: 'Preview',
  previewResult: '{clusters} groups and topics; {continued} stay; {outliers} entries in none. Nothing is saved yet.',
  previewChanges: 'What would change', addedCount: ['1 new group', '{n} new groups'],
  endedCount: '{n} ended', splitCount: '{n} split',
  mergedCount: '{n} merged', links: 'Links', linkedFrom: 'Linked from', missing: 'not found', health: 'Health',
  check: 'Check the store', checking: 'Checking…', intact: 'The store is intact.',
  damaged: 'The store is damaged. The command “roost doctor --repair” repairs it.', damage: 'Damage', note: 'Note',
  regrouped: 'Grouped again.', birth: 'New', death: 'Ended', splitEvent: 'Split', mergeEvent: 'Merged',
  nothingChanged: 'no changes', lastChanges: 'Last grouped on {date}: {changes}', changes: 'Changes of the last run',
  model: 'Model',
  revision: 'Revision', version: 'Version', size: 'Size', lastRun: 'Last grouped', backups: 'Backups',
  backUp: 'Back up now', backedUp: 'Backed up.', noBackups: 'No backups yet.', conversations: 'Conversations',
  messages: ['1 message', '{n} messages'], filters: 'Filters', since: 'Since', until: 'Until',
  anyTag: 'Any tag', folder: 'Folder or file', reset: 'Reset', noTitle: 'Untitled', months: 'By month', tag: 'Tag',
  loadMore: 'Show more', outdated: 'The label may no longer fit.', chosenLabel: 'The label stays',
  failed: 'It failed: {why}',
  renameLabel: 'New label', mergeInto: 'Merge “{label}” into',
  moveInto: 'Move to', filtered: '{n} of {all} shown', other: 'Other', selectRow: 'Select {title}',
  keepIn: 'Search in',
  skip: 'Skip to the map',
};

const german = {
  search: 'Nach Bedeutung und Wörtern suchen', groups: 'Gruppen', results: 'Treffer', noGroup: 'In keiner Gruppe',
  map: 'Karte',
  mapHelp: 'Karte der Einträge. Pfeiltasten bewegen, Plus und Minus zoomen, 0 zeigt alles, Eingabe öffnet den '
    + 'Eintrag in der Mitte. Die Tabelle hat dieselben Einträge.',
  zoomIn: 'Vergrößern', zoomOut: 'Verkleinern', fit: 'Alles zeigen', lasso: 'Mit dem Lasso auswählen',
  box: 'Ein Rechteck auswählen', table: 'Tabelle', undo: 'Letzte Änderung zurücknehmen', settings: 'Speicher',
  addFiles: 'Dateien hinzufügen', close: 'Schließen', regroup: 'Neu gruppieren', color: 'Farbe',
  colorCluster: 'Gruppen',
  colorDate: 'Datum', colorTag: 'Schlagwort', colorSource: 'Ordner', colorSimilarity: 'Ähnlichkeit', more: 'Mehr',
  rename: 'Umbenennen', pin: 'Namen behalten', unpin: 'Namen automatisch wählen', split: 'Zweiteilen',
  merge: 'Vereinigen mit …', remove: 'Entfernen', deleteCluster: 'Gruppe löschen (Einträge bleiben)',
  zoomTo: 'Heranzoomen', selectMembers: 'Einträge auswählen', entries: ['1 Eintrag', '{n} Einträge'],
  found: ['1 Treffer', '{n} Treffer'], nothingFound: 'Nichts passt.',
  nearestFound: 'Nichts ist der Suche ähnlich. Die ähnlichsten Einträge:', selected: ['1 ausgewählt', '{n} ausgewählt'],
  moveTo: 'Verschieben …', addTag: 'Schlagwort hinzufügen', clear: 'Aufheben', none: 'Keine', tags: 'Schlagwörter',
  removeTag: 'Schlagwort {tag} entfernen', nearest: 'Ähnliche Einträge', metadata: 'Metadaten', edit: 'Bearbeiten',
  save: 'Speichern', cancel: 'Abbrechen', title: 'Titel', text: 'Text', tagName: 'Neues Schlagwort',
  openObsidian: 'In Obsidian öffnen', openEditor: 'Im Editor öffnen', group: 'Gruppe', created: 'Erstellt',
  editHint: 'Der gespeicherte Text wird geändert, nicht die Datei.', changed: 'Geändert', source: 'Quelle',
  loading: 'Lädt …', line: 'Zeile {n}', renamed: 'In „{label}“ umbenannt.', merged: 'Mit „{label}“ vereinigt.',
  deleted: '„{label}“ gelöscht.', splitDone: '„{label}“ geteilt.', pinned: 'Der Name bleibt.',
  unpinned: 'Der Name wird automatisch gewählt.', moved: ['1 Eintrag verschoben.', '{n} Einträge verschoben.'],
  tagged: ['1 Eintrag verschlagwortet.', '{n} Einträge verschlagwortet.'],
  removed: ['1 Eintrag entfernt.', '{n} Einträge entfernt.'], saved: 'Gespeichert.', undone: 'Zurückgenommen.',
  undoShort: 'Zurücknehmen', undoOther: 'Der Speicher hat sich seitdem geändert. „{command}“ vom {date} zurücknehmen?',
  confirmRemove: ['Diesen Eintrag aus dem Speicher entfernen?', 'Diese {n} Einträge aus dem Speicher entfernen?'],
  cannotUndo: 'Es sind zu viele, um das zurückzunehmen: Sichern Sie vorher.',
  mayNotUndo: 'Vielleicht lassen sich danach nicht alle wiederherstellen: Sichern Sie vorher.',
  undonePart: 'Nur {n} von {all} Teilen der Änderung sind zurückgenommen ({why}). Den Rest hat vielleicht eine '
    + 'Sicherung.',
  lost: 'Der Server ist nicht erreichbar. Neuer Versuch …', back: 'Der Server ist wieder da.',
  conflict: 'Der Eintrag wurde inzwischen anderswo geändert. Ihr Text bleibt hier; laden Sie die andere Fassung zum '
    + 'Vergleich.',
  loadOther: 'Andere Fassung laden', tokenTitle: 'Schlüssel eingeben', token: 'Schlüssel', open: 'Öffnen',
  tokenHelp: 'Der Befehl „roost serve --print-token“ zeigt ihn. Der Befehl „roost open“ öffnet diese Seite damit.',
  tokenWrong: 'Dieser Schlüssel gilt nicht für diesen Server.', emptyTitle: 'Dieser Speicher ist leer',
  emptyHelp: 'Ziehen Sie Textdateien hierher, oder nutzen Sie einen Befehl:', choose: 'Dateien wählen',
  dropHere: 'Dateien ablegen, um sie hinzuzufügen', noClusters: 'Die Einträge sind noch nicht gruppiert.',
  makeGroups: 'Gruppen bilden', grouping: 'Gruppiert …', adding: '{n} von {all} …',
  added: '{new} neu, {updated} geändert, {unchanged} unverändert.', notText: ['1 Datei ist kein Text.',
  '{n} Dateien sind kein Text.'],
  granularity: 'Größe der Gruppen', coarse: 'Größer', medium: 'Üblich', fine: 'Kleiner', preview: 'Vorschau',
  previewResult: '{clusters} Gruppen und Themen; {continued} bleiben; {outliers} Einträge in keiner. Noch ist nichts '
    + 'gespeichert.',
  previewChanges: 'Das würde sich ändern', addedCount: ['1 neue Gruppe', '{n} neue Gruppen'],
  endedCount: '{n} beendet', splitCount: '{n} geteilt',
  mergedCount: '{n} vereinigt', links: 'Verweise', linkedFrom: 'Verwiesen von', missing: 'nicht gefunden',
  health: 'Zustand', check: 'Speicher prüfen', checking: 'Prüft …', intact: 'Der Speicher ist unbeschädigt.',
  damaged: 'Der Speicher ist beschädigt. Der Befehl „roost doctor --repair“ repariert ihn.', damage: 'Schaden',
  note: 'Hinweis',
  regrouped: 'Neu gruppiert.', birth: 'Neu', death: 'Beendet', splitEvent: 'Geteilt', mergeEvent: 'Vereinigt',
  nothingChanged: 'keine Änderungen', lastChanges: 'Zuletzt gruppiert am {date}: {changes}',
  changes: 'Änderungen des letzten Laufs', model: 'Modell', revision: 'Revision', version: 'Version', size: 'Größe',
  lastRun: 'Zuletzt gruppiert', backups: 'Sicherungen', backUp: 'Jetzt sichern', backedUp: 'Gesichert.',
  noBackups: 'Noch keine Sicherungen.', conversations: 'Gespräche', messages: ['1 Nachricht', '{n} Nachrichten'],
  filters: 'Filter', since: 'Seit', until: 'Bis', anyTag: 'Alle Schlagwörter',
  folder: 'Ordner oder Datei', reset: 'Zurücksetzen', noTitle: 'Ohne Titel', months: 'Nach Monat', tag: 'Schlagwort',
  loadMore: 'Mehr zeigen', outdated: 'Der Name passt vielleicht nicht mehr.', chosenLabel: 'Der Name bleibt',
  failed: 'Fehlgeschlagen: {why}', renameLabel: 'Neuer Name',
  mergeInto: '„{label}“ vereinigen mit', moveInto: 'Verschieben nach', filtered: '{n} von {all} gezeigt',
  other: 'Andere', selectRow: '{title} auswählen',
  keepIn: 'Suchen in', skip: 'Zur Karte springen',
};

export const language = navigator.language.startsWith('de') ? 'de' : 'en';
const texts = language === 'de' ? german : english;

/** Returns a text of the page. */
export function t(key, values = {}) {
  const text = texts[key] ?? english[key] ?? key;
  const form = Array.isArray(text) ? text[values.n === 1 ? 0 : 1] : text;
  return form.replace(/\{(\w+)\}/g, (all, name) => {
    const value = values[name];
    return typeof value === 'number' ? value.toLocaleString(language) : value ?? all;
  });
}

/** Returns a date as a person reads it. */
export function dateText(iso) {
  return iso ? new Date(iso).toLocaleDateString(language, { dateStyle: 'medium' }) : '';
}

/** Returns a number of bytes as a person reads it; an empty text if it is unknown. */
export function sizeText(bytes) {
  if (!bytes) return '';
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, 'kB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${value.toLocaleString(language, { maximumFractionDigits: 1 })} ${unit}`;
}
