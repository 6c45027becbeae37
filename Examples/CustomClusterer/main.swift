// Clusters entries with a clusterer of your own, and undoes the result:
//
//     swift run CustomClusterer
//
// The store is in memory. `.lexical` compares texts by their words and needs no model files.

import Foundation
import Roost

/// Leader clustering: a row joins the first group whose leader is similar enough, or becomes a new leader.
struct LeaderClusterer: Clusterer {
    let algorithm = "leader"
    /// The minimum cosine similarity between a row and the leader of its group.
    var threshold: Float = 0.3

    func cluster(_ vectors: Matrix) async throws -> Partition {
        var leaders: [Int] = []
        var labels: [Partition.Label] = []
        var similarities: [Float] = []
        for row in 0..<vectors.rows {
            let values = vectors.row(row)
            // Rows have unit length, so their inner product is their cosine.
            func cosine(_ leader: Int) -> Float {
                zip(values, vectors.row(leader)).reduce(0) { $0 + $1.0 * $1.1 }
            }
            let group = leaders.firstIndex { cosine($0) >= threshold }
            if group == nil { leaders.append(row) }
            labels.append(.group(group ?? leaders.count - 1))
            similarities.append(group.map { cosine(leaders[$0]) } ?? 1)
        }
        return Partition(
            labels: labels, centroids: vectors.selecting(leaders), similarities: similarities,
            confidences: similarities)
    }
}

let undo = UndoRecorder(directory: FileManager.default.temporaryDirectory, command: "add")
let store = KnowledgeStore(
    storage: InMemoryStorageProvider(), embedder: LexicalEmbedder(), recording: undo)
try await store.add("The swifts are back above the roof.")
try await store.add("Swifts and swallows nest under the roof.")
try await store.add("The sourdough rises in the oven.")
try await store.add("Bake the sourdough in a hot oven.")

undo.beginGroup("recluster")
let report = try await store.recluster(with: LeaderClusterer())
for cluster in report.clusters { print("\(cluster.label): \(cluster.members.count) entries") }

try await store.undo()
print("after undo: \(try await store.clusters.export().clusters.count) clusters")
