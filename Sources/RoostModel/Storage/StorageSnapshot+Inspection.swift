import Foundation

extension StorageSnapshot {
    /// Looks at everything that a store holds: vectors of another dimension or length than the space's,
    /// passages outside their text, assignments and parents that point to nothing.
    ///
    /// - Parameter space: what the vectors should be; `nil` leaves the comparison out.
    /// - Throws: ``StorageError`` where something cannot be read at all.
    /// - Complexity: O(n) in the size of the store.
    public func inspectContents(space: EmbeddingSpace?) async throws -> [StorageFinding] {
        var inspection = ContentInspection(space: space)
        var row: UInt32?
        repeat {
            let page = try await entries(after: row, limit: 1000, matching: .all)
            for entry in page.entries { inspection.look(at: entry) }
            row = page.next
        } while row != nil
        inspection.look(at: try await clusters(), try await assignments(of: nil))
        if inspection.ids.count != stamp.entryCount {
            inspection.add(
                "entries",
                "the store says that it has \(stamp.entryCount) entries; \(inspection.ids.count) are there")
        }
        return inspection.findings
    }
}

/// What an inspection has found so far.
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

    mutating func look(at entry: Entry) {
        let name = "entry \(entry.id.uuidString.lowercased())"
        if !ids.insert(entry.id).inserted { add(name, "is there twice") }
        if entry.embeddings.isEmpty {
            findings.append(.note(name, "has no vector and is not found by meaning"))
        }
        look(at: entry.embeddings, name)
        let utf8 = entry.content.utf8
        for passage in entry.passages {
            let part = "\(name), passage \(passage.ordinal)"
            look(at: passage.vector, part)
            let range = passage.utf8Range
            guard range.lowerBound >= 0, range.upperBound <= utf8.count else {
                add(part, "lies outside the text")
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

    private mutating func look(at vector: [Float], _ name: String) {
        guard !vector.isEmpty else { return }
        if let dimension, vector.count != dimension {
            add(name, "has a vector of \(vector.count) numbers where the others have \(dimension)")
        }
        dimension = dimension ?? vector.count
        let square = vector.reduce(0) { $0 + Double($1) * Double($1) }
        if !square.isFinite {
            add(name, "has a vector with a number that is not finite")
        } else if space != nil, abs(square - 1) > 0.01, square != 0 {
            add(name, "has a vector of length \(square.squareRoot()) where stored ones have unit length")
        }
    }

    mutating func look(at clusters: [Cluster], _ assignments: [Assignment]) {
        let known = Set(clusters.map(\.id))
        for assignment in assignments {
            let name = "the assignment of entry \(assignment.entry.uuidString.lowercased())"
            if !ids.contains(assignment.entry) { add(name, "is of an entry that is not there") }
            if let cluster = assignment.cluster, !known.contains(cluster) {
                add(name, "names cluster \(cluster.uuidString.lowercased()), which is not there")
            }
        }
        for cluster in clusters {
            let name = "cluster \(cluster.id.uuidString.lowercased())"
            if let parent = cluster.parent, !known.contains(parent) {
                add(name, "names a parent that is not there")
            }
            if let dimension, !cluster.centroid.isEmpty, cluster.centroid.count != dimension {
                add(
                    name, "has a centroid of \(cluster.centroid.count) numbers; the vectors have \(dimension)"
                )
            }
        }
    }
}
