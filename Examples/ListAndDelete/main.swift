// Lists entries and deletes some of them:
//
//     swift run ListAndDelete
//
// `.lexical` compares texts by their words and needs no model files.

import Foundation
import Roost

let folder = URL.temporaryDirectory.appending(path: "ListAndDelete.roost")
let store = try await KnowledgeStore.openOrCreate(at: folder, model: .lexical)
try await store.add("Buy flour", tags: ["done"])
try await store.add("Paint the keel")

// Entries are read page by page, oldest first, and all at the same revision of the store.
for try await entry in store.entries() {
    print(entry.id, entry.content, entry.tags)
}

for try await entry in store.entries(matching: [.tag("done")]) {
    try await store.remove(entry.id)
}
// To remove these entries in a single commit: try await store.remove(matching: [.tag("done")])

for try await entry in store.entries() { print("left:", entry.content) }
try await store.close()
