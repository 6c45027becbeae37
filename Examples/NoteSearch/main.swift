// Searches notes by meaning:
//
//     swift run NoteSearch birds
//
// The first launch creates the store. Later launches open it; adding the same notes again has no effect.
//
// `Scripts/model` installs the model all-MiniLM-L6-v2 for the current user, where `.miniLM` finds it. To ship
// the model in an app, add the folder `all-MiniLM-L6-v2` to the app's resources as a folder reference (in a
// package: `resources: [.copy("all-MiniLM-L6-v2")]` and `Bundle.module`), and open it by its location:
//
//     model: .folder(Bundle.main.url(forResource: "all-MiniLM-L6-v2", withExtension: nil)!)
//
// The store remembers which model computed its vectors. If an update of the app contains another model, move
// the store to it with `ModelMigration` before opening it.

import Foundation
import Roost

let folder = try FileManager.default
    .url(for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
    .appending(path: "NoteSearch")
let store = try await KnowledgeStore.openOrCreate(at: folder, model: .miniLM)

try await store.add("The swifts are back above the roof.")
try await store.add("Feed the sourdough on Friday evening.")
try await store.add("Keel and rudder need a coat of paint.")

let words = CommandLine.arguments.dropFirst().joined(separator: " ")
for hit in try await store.search(words.isEmpty ? "birds" : words).hits {
    print(String(format: "%.2f", hit.score), hit.entry.content)
}
try await store.close()
