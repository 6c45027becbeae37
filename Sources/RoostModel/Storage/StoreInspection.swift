package import Foundation

/// A fact that the inspection of a store found, or an action that a repair took.
public struct StorageFinding: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The severity of a finding.
    public enum Severity: String, Sendable, Codable, CaseIterable {
        /// The finding is for information only. The store is complete and consistent.
        case note
        /// Data is corrupt, inconsistent or lost.
        case damage
    }

    /// The severity of the finding.
    public var severity: Severity
    /// The file, table or entry that the finding is about.
    public var subject: String
    /// A predicate about the subject, such as "is missing" or "has an invalid checksum at byte 120".
    public var message: String
    /// The action that a repair takes, phrased as a predicate such as "moves the file to damaged-20260401";
    /// `nil` if there is nothing to repair.
    public var remedy: String?

    /// Creates a finding.
    public init(_ severity: Severity, _ subject: String, _ message: String, remedy: String? = nil) {
        (self.severity, self.subject, self.message, self.remedy) = (severity, subject, message, remedy)
    }

    /// Returns a finding of severity `.note`.
    public static func note(_ subject: String, _ message: String, remedy: String? = nil) -> StorageFinding {
        StorageFinding(.note, subject, message, remedy: remedy)
    }

    /// Returns a finding of severity `.damage`.
    public static func damage(_ subject: String, _ message: String, remedy: String? = nil) -> StorageFinding {
        StorageFinding(.damage, subject, message, remedy: remedy)
    }

    public var description: String { "\(subject): \(message)" + (remedy.map { "; a repair \($0)" } ?? "") }
}

extension StorageFinding {
    /// Returns the note about a file or folder with damaged or unfinished data, which a repair kept.
    package static func kept(_ url: URL) -> StorageFinding {
        .note(url.path, "was kept for inspection; delete it when you no longer need it")
    }
}

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
        var inspection = ContentInspection(space: space, dimension: space?.dimension)
        for try await page in entryPages() { for entry in page.entries { inspection.inspect(entry) } }
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
    var dimension: Int?

    mutating func add(_ subject: String, _ message: String, remedy: String? = nil) {
        findings.append(.damage(subject, message, remedy: remedy))
    }

    mutating func inspect(_ entry: Entry) {
        let name = "entry \(entry.id.text)"
        if !ids.insert(entry.id).inserted { add(name, "is stored twice") }
        if entry.embeddings.isEmpty {
            let message = "has no vector, so searches by meaning do not find it"
            findings.append(.note(name, message, remedy: "computes its vectors"))
        }
        inspect(entry.embeddings, name)
        for passage in entry.passages { inspect(passage.vector, "\(name), passage \(passage.ordinal)") }
        for (position, defect) in entry.passageDefects() {
            add(
                "\(name), passage \(position)", defect,
                remedy: space == nil ? nil : "computes the passages of the entry again")
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
        case .isNotFinite: add(name, "has a vector with an element that is not finite", remedy: remedy)
        case .length(let length) where space != nil:
            add(name, "has a vector of length \(length); stored vectors have length 1", remedy: remedy)
        default: break
        }
    }

    mutating func inspect(_ clusters: [Cluster], _ assignments: [Assignment]) {
        let known = Set(clusters.map(\.id))
        for assignment in assignments {
            let name = "the assignment of entry \(assignment.entry.text)"
            if !ids.contains(assignment.entry) { add(name, "refers to an entry that is not in the store") }
            if let cluster = assignment.cluster, !known.contains(cluster) {
                add(name, "refers to cluster \(cluster.text), which is not in the store")
            }
        }
        for cluster in clusters {
            let name = "cluster \(cluster.id.text)"
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

/// The reason why a stored vector cannot be used.
package enum VectorDefect: Sendable, Hashable {
    /// The vector has a component that is infinite or not a number.
    case isNotFinite
    /// The vector has the given length instead of 1.
    case length(Double)

    /// The maximum difference between 1 and the squared length of a unit vector. It is far above the rounding
    /// error of Float32 at any dimension, and far below the difference for a typical vector that was never
    /// normalized.
    private static let lengthTolerance = 0.01

    /// Returns the defect of a vector; `nil` if it is valid. A vector of zeros belongs to a text without
    /// words and is valid.
    package init?(of vector: [Float]) {
        let square = vector.reduce(0) { $0 + Double($1) * Double($1) }
        if !square.isFinite {
            self = .isNotFinite
        } else if square != 0, abs(square - 1) > Self.lengthTolerance {
            self = .length(square.squareRoot())
        } else {
            return nil
        }
    }
}

extension Entry {
    /// Returns whether the vector of the entry or of a passage is not finite, is not of unit length, or has
    /// another dimension, or whether a passage does not match the content.
    package func hasInvalidVector(dimension: Int) -> Bool {
        if !passageDefects().isEmpty { return true }
        return ([embeddings] + passages.map(\.vector)).contains { vector in
            !vector.isEmpty && (vector.count != dimension || VectorDefect(of: vector) != nil)
        }
    }

    /// Returns the passages that do not match the content, by their positions, with the defects as predicates.
    ///
    /// Imports and the inspection of a store use this check, so a store accepts no passages that the
    /// inspection reports.
    package func passageDefects() -> [(position: Int, defect: String)] {
        var content = content
        return content.withUTF8 { bytes in
            // In UTF-8, all bytes of a character except the first have the bits 10 at their beginning.
            func isBoundary(_ offset: Int) -> Bool { offset == bytes.count || bytes[offset] & 0xC0 != 0x80 }
            return passages.enumerated().compactMap { position, passage in
                let range = passage.utf8Range
                if passage.ordinal != position { return (position, "has the ordinal \(passage.ordinal)") }
                guard range.lowerBound >= 0, range.upperBound <= bytes.count else {
                    return (position, "is outside the text of the entry")
                }
                let isAligned = isBoundary(range.lowerBound) && isBoundary(range.upperBound)
                return isAligned ? nil : (position, "begins or ends inside a character")
            }
        }
    }
}
