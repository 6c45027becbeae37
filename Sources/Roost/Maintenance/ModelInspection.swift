import Foundation
import RoostModel
import RoostText

/// Finds entries whose vectors were computed with other files of the model than the present ones.
///
/// The log of models shows since which revision other files may have been used. Later changes of an entry,
/// such as a new tag, keep its vectors, and equal texts share vectors, so the log alone does not show which
/// entries are affected. Their texts are therefore embedded again and the vectors compared, which also shows
/// whether a change of the files has changed any vector at all.
struct ModelInspection {
    /// The store's folder.
    let directory: URL
    /// The embedder of the store's embedding space.
    let embedder: any Embedder

    /// The result of a comparison.
    struct Comparison: Sendable, Hashable {
        /// The number of entries that were compared.
        var compared = 0
        /// The entries whose vectors differ.
        var different: [Entry.ID] = []
    }

    /// The number of entries whose texts are embedded at once.
    private static let batchSize = 256
    /// The maximum Euclidean distance between equal vectors of unit length. Rounding, which depends on the
    /// processor and on the texts that are embedded together, causes smaller distances, also with 8-bit
    /// weights. Another vector of a single word in a passage of 256 words causes a distance of about 0.01,
    /// which is only noticed with weights of full precision.
    private var maximumDistance: Float { embedder.space.revision.hasSuffix("+int8") ? 0.05 : 0.005 }

    /// Compares the vectors of all entries that other files may have computed.
    ///
    /// - Complexity: O(entries changed since other files were used), for each of which the model runs.
    /// - Throws: `EmbedderError`; `StorageError`; `CancellationError`.
    func compare(in snapshot: any StorageSnapshot) async throws -> Comparison {
        var comparison = Comparison()
        guard let current = embedder.fingerprint,
            let start = EmbeddingLog(directory: directory).firstRevision(notOnlyOf: current)
        else { return comparison }
        for try await page in snapshot.entryPages() {
            let embedded = page.entries.filter { !$0.embeddings.isEmpty }
            let revisions = try await snapshot.revisions(of: embedded.map(\.id))
            let affected = embedded.filter { (revisions[$0.id] ?? .zero) > start }
            for first in stride(from: 0, to: affected.count, by: Self.batchSize) {
                try Task.checkCancellation()
                let batch = Array(affected[first..<min(affected.count, first + Self.batchSize)])
                comparison.compared += batch.count
                comparison.different += try await different(batch)
            }
        }
        comparison.different.sort()
        return comparison
    }

    /// Returns the entries whose stored vectors differ from those that the model computes.
    private func different(_ entries: [Entry]) async throws -> [Entry.ID] {
        var texts: [String] = []
        var owners: [(entry: Int, passage: Int)] = []
        let passages = entries.map(\.searchablePassages)
        for (index, entry) in entries.enumerated() {
            let plan = PassagePlan(of: entry, embedder: embedder, splitter: PassageSplitter())
            let isPlanned = plan.parts.map(\.range) == passages[index].map(\.utf8Range)
            for (number, passage) in passages[index].enumerated() {
                // An earlier version embedded the text itself, without headings.
                let verbatim = entry.text(of: passage)
                let planned = isPlanned ? plan.parts[number].text : nil
                for text in Set([verbatim, planned].compactMap(\.self)) {
                    texts.append(text)
                    owners.append((index, number))
                }
            }
        }
        let vectors = try await embedder.checkedEmbeddings(texts, as: .document).vectors
        var matching = passages.map { [Bool](repeating: false, count: $0.count) }
        for (row, owner) in owners.enumerated() {
            let stored = passages[owner.entry][owner.passage].vector
            if areEqual(stored, vectors.row(row)) { matching[owner.entry][owner.passage] = true }
        }
        return zip(entries, matching).filter { !$1.allSatisfy(\.self) }.map(\.0.id)
    }

    private func areEqual(_ first: [Float], _ second: [Float]) -> Bool {
        guard first.count == second.count else { return false }
        let square = zip(first, second).reduce(Float(0)) { sum, pair in
            sum + (pair.0 - pair.1) * (pair.0 - pair.1)
        }
        return square <= maximumDistance * maximumDistance
    }

    /// Reads the model completely, and looks for entries that were embedded with other files of it.
    func findings(in snapshot: any StorageSnapshot) async throws -> [StorageFinding] {
        let subject = "model \(embedder.space.model)"
        let comparison: Comparison
        do {
            try await embedder.checkModel()
            comparison = try await compare(in: snapshot)
        } catch let error as EmbedderError where error.code == .damagedModel || error.code == .badAnswer {
            // Entries must not be compared with, or embedded again by, a damaged model.
            return [.damage(subject, "is damaged: \(error.message)")]
        } catch let error as EmbedderError {
            return [.note(subject, "could not be checked: \(error.message)")]
        }
        guard comparison.compared > 0 else { return [] }
        guard !comparison.different.isEmpty else {
            return [
                .note(
                    subject,
                    "its files have changed, but it computes the same vectors for the "
                        + Count.text(comparison.compared, "entry that was", "entries that were")
                        + " stored since then")
            ]
        }
        let files = (embedder.fingerprint ?? "").prefix(12)
        return [
            .damage(
                Count.text(comparison.different.count, "entry", "entries"),
                (comparison.different.count == 1 ? "has" : "have")
                    + " vectors that differ from those of the model \(embedder.space.model): they were "
                    + "computed with model files other than the current ones (\(files))",
                remedy: "computes their vectors again")
        ]
    }
}
