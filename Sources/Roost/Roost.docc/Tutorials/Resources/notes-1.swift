import Foundation
import Roost

let folder = try FileManager.default
    .url(for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
    .appending(path: "Notes")
let store = try await KnowledgeStore.openOrCreate(at: folder, model: .miniLM)
