import Foundation
import Roost

let folder = try FileManager.default
    .url(for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
    .appending(path: "Notes")
let store = try await KnowledgeStore.openOrCreate(at: folder, model: .miniLM)

try await store.add("The swifts are back above the roof.")
try await store.add("Swallows and martins return in April.")
try await store.add("Feed the sourdough on Friday evening.")
try await store.add("The baguettes need fifteen minutes of steam.")

for hit in try await store.search("birds in spring", limit: 2).hits {
    print(hit.score, hit.entry.content)
}

let report = try await store.recluster()
for cluster in report.clusters {
    print("\(cluster.label): \(cluster.members.count) notes")
}
