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

    /// The maximum difference between 1 and the squared length of a unit vector. It is far above the rounding
    /// error of Float32 at any dimension, and far below the difference for a typical vector that was never
    /// normalized.
    private static let lengthTolerance = 0.01

    init(space: EmbeddingSpace?) {
        self.space = space
        dimension = space?.dimension
    }

    mutating func add(_ subject: String, _ message: String) { findings.append(.damage(subject, message)) }

    mutating func inspect(_ entry: Entry) {
        let name = "entry \(entry.id.uuidString.lowercased())"
        if !ids.insert(entry.id).inserted { add(name, "is stored twice") }
        if entry.embeddings.isEmpty {
            findings.append(.note(name, "has no vector, so searches by meaning do not find it"))
        }
        inspect(entry.embeddings, name)
        let utf8 = entry.content.utf8
        for passage in entry.passages {
            let part = "\(name), passage \(passage.ordinal)"
            inspect(passage.vector, part)
            let range = passage.utf8Range
            guard range.lowerBound >= 0, range.upperBound <= utf8.count else {
                add(part, "is outside the text of the entry")
                continue
            }
            let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
            let end = utf8.index(start, offsetBy: range.count)
            let scalars = entry.content.unicodeScalars
            if start.samePosition(in: scalars) == nil || end.samePosition(in: scalars) == nil {
                add(part, "begins or ends inside a character")
            }
        }
    }

    private mutating func inspect(_ vector: [Float], _ name: String) {
        guard !vector.isEmpty else { return }
        if let dimension, vector.count != dimension {
            add(name, "has a vector of dimension \(vector.count); the others have dimension \(dimension)")
        }
        dimension = dimension ?? vector.count
        let square = vector.reduce(0) { $0 + Double($1) * Double($1) }
        if !square.isFinite {
            add(name, "has a vector with an element that is not finite")
        } else if space != nil, abs(square - 1) > Self.lengthTolerance, square != 0 {
            add(name, "has a vector of length \(square.squareRoot()); stored vectors have length 1")
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
