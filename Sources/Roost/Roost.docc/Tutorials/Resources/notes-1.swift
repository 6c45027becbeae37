import Foundation
import Roost

let folder = URL.applicationSupportDirectory.appending(path: "Notes")
let store = try await KnowledgeStore.openOrCreate(at: folder, model: .miniLM)
