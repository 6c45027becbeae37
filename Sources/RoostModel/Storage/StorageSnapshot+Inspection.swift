import Foundation

extension StorageSnapshot {
    /// Checks the consistency of everything that the store contains.
    ///
    /// The inspection finds duplicate entries, vectors whose dimension or length does not match the embedding
    /// space, passages that extend beyond the text, and assignments and parents that refer to missing entries
    /// or clusters.
    ///
    /// - Parameter space: The embedding space of the vectors; `nil` to compare the vectors only with each
    ///   other.
    /// - Returns: The findings in the order in which they were found; empty for a consistent store.
    /// - Throws: ``StorageError`` if a part of the store cannot be read.
    /// - Complexity: O(n), where n is the size of the store.
    public func inspectContents(space: EmbeddingSpace?) async throws -> [StorageFinding] {
        var inspection = ContentInspection(space: space)
        for try await page in entryPages() {
            for entry in page.entries { inspection.inspect(entry) }
        }
        inspection.inspect(try await clusters(), try await assignments(of: nil))
        if inspection.ids.count != stamp.entryCount {
            inspection.add(
                "entries",
                "the store should have \(stamp.entryCount), but \(inspection.ids.count) were found")
        }
        return inspection.findings
    }
}

/// The state of an inspection: the ids that have been seen so far, and the findings.
private struct ContentInspection {
    let space: EmbeddingSpace?
    var ids = Set<Entry.ID>()
    var findings: [StorageFinding] = []
    private var dimension: Int?

    init(space: EmbeddingSpace?) {
        self.space = space
        dimension = space?.dimension
    }

    mutating func add(_ subject: String, _ message: String) { findings.append(.damage(subject, message)) }

    mutating func inspect(_ entry: Entry) {
        let name = "entry \(entry.id.uuidString.lowercased())"
        if !ids.insert(entry.id).inserted { add(name, "is stored twice") }
        if entry.embeddings.isEmpty {
            findings.append(
                .note(
                    name, "has no vector, so searches by meaning do not find it",
                    remedy: "computes its vectors"))
        }
        inspect(entry.embeddings, name)
        for passage in entry.passages { inspect(passage.vector, "\(name), passage \(passage.ordinal)") }
        for (position, defect) in entry.passageDefects() {
            findings.append(
                .damage(
                    "\(name), passage \(position)", defect.predicate,
                    remedy: space == nil ? nil : "computes the passages of the entry again"))
        }
    }

    private mutating func inspect(_ vector: [Float], _ name: String) {
        guard !vector.isEmpty else { return }
        if let dimension, vector.count != dimension {
            add(name, "has a vector of dimension \(vector.count); the others have dimension \(dimension)")
        }
        dimension = dimension ?? vector.count
        let remedy = space == nil ? nil : "computes its vectors again"
        switch VectorDefect(of: vector) {
        case .isNotFinite:
            findings.append(
                .damage(name, "has a vector with an element that is not finite", remedy: remedy))
        case .length(let length) where space != nil:
            findings.append(
                .damage(
                    name, "has a vector of length \(length); stored vectors have length 1", remedy: remedy))
        default: break
        }
    }

    mutating func inspect(_ clusters: [Cluster], _ assignments: [Assignment]) {
        let known = Set(clusters.map(\.id))
        for assignment in assignments {
            let name = "the assignment of entry \(assignment.entry.uuidString.lowercased())"
            if !ids.contains(assignment.entry) { add(name, "refers to an entry that is not in the store") }
            if let cluster = assignment.cluster, !known.contains(cluster) {
                add(name, "refers to cluster \(cluster.uuidString.lowercased()), which is not in the store")
            }
        }
        for cluster in clusters {
            let name = "cluster \(cluster.id.uuidString.lowercased())"
            if let parent = cluster.parent, !known.contains(parent) {
                add(name, "refers to a parent that is not in the store")
            }
            if let dimension, !cluster.centroid.isEmpty, cluster.centroid.count != dimension {
                add(
                    name,
                    "has a centroid of dimension \(cluster.centroid.count); the vectors have dimension "
                        + "\(dimension)")
            }
        }
    }
}
