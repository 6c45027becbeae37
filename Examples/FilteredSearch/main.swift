// Searches entries that match conditions on their metadata and tags:
//
//     swift run FilteredSearch
//
// `.lexical` compares texts by their words and needs no model files.

import Foundation
import Roost

let folder = URL.temporaryDirectory.appending(path: "FilteredSearch.roost")
let store = try await KnowledgeStore.openOrCreate(at: folder, model: .lexical)
try await store.add("Repairing a slate roof", tags: ["house"], metadata: ["year": 2014])
try await store.add("Planting a green roof", tags: ["house", "garden"], metadata: ["year": 2021])
try await store.add("A roof for the bird feeder", tags: ["garden"], metadata: ["year": 2023])

// The conditions are applied before the limit, so entries that do not match do not count toward the limit.
let search = EntrySearch("roof", matching: [.metadata("year") >= 2020, .tag("garden")], limit: 5)
for hit in try await store.search(search).hits { print(hit.rank, hit.entry.content) }

// All other settings are properties. This search finds entries similar to another entry and compares all
// vectors instead of using an index.
if let hit = try await store.search("green roof").hits.first {
    var similar = EntrySearch(.entries([hit.entry.id]), matching: [.metadata("year") < 2020])
    similar.isExact = true
    for other in try await store.search(similar).hits { print("similar:", other.entry.content) }
}
try await store.close()
