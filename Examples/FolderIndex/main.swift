// Indexes the text files below a folder, and brings the index up to date when it runs again:
//
//     swift run FolderIndex ~/Notes
//
// Each Markdown or text file becomes one entry, and so does each row of a CSV, TSV or JSON Lines file.
// Unchanged files are not embedded again, and the entries of deleted files are removed.

import Foundation
import Roost

guard let path = CommandLine.arguments.dropFirst().first else {
    print("usage: FolderIndex FOLDER")
    exit(64)
}
let folder = URL(filePath: path)
let store = try await KnowledgeStore.openOrCreate(at: folder.appending(path: ".roost"), model: .miniLM)

let report = try await store.ingest(folder: folder, pruning: true) { progress in
    print("\(progress.entries) entries")
}
print("\(report.new) new, \(report.updated) changed, \(report.removed) removed")
for skip in report.skipped { print("skipped \(skip.source): \(skip.reason)") }
try await store.close()
