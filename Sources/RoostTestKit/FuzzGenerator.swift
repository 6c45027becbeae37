import Foundation
import RoostModel
import RoostVectors

/// An operation that the fuzzer performs on a store.
///
/// An operation contains all its arguments and does not depend on earlier ones, so the fuzzer can remove
/// arbitrary operations from a sequence.
enum FuzzOperation: Sendable {
    case commit(WriteBatch)
    /// A commit that expects the current revisions of entries and clusters or, if `isStale`, different ones.
    case conditional(WriteBatch, entries: [Entry.ID], clusters: Bool, isStale: Bool)
    case saveEntry(Entry)
    case updateCluster(Cluster)
    case deleteEntry(Entry.ID)
    case renewEpoch
    case compact
    /// Takes a snapshot, which is compared at the end.
    case keepSnapshot
    /// Reads the changes since the previous operation of this kind, in pages of the given size.
    case followChanges(Int)
    /// Opens a new handle after closing or abandoning the current one.
    case reopen(closing: Bool)
}

/// Generates operations from a seed.
///
/// It uses only a few different ids and texts, so operations often concern the same objects.
struct FuzzGenerator {
    private var generator: SeededGenerator
    let level: StorageLevel
    private static let texts = [
        "", "a", "b", "a\0b", "e\u{301}", "\u{E9}", "\u{1F468}\u{200D}\u{1F469}", "../x", "'\"\\",
        String(repeating: "long ", count: 300),
    ]
    private static let dates = [0, 1, 1_700_000_000_123, -1].map { Date(milliseconds: $0) }

    init(seed: UInt64, level: StorageLevel) {
        generator = SeededGenerator(seed: seed)
        self.level = level
    }

    private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
    private mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }
    private mutating func text() -> String { Self.texts[number(0..<Self.texts.count)] }
    private mutating func date() -> Date { Self.dates[number(0..<Self.dates.count)] }
    private mutating func entryID() -> UUID { StorageJob.id(number(1..<13)) }
    private mutating func clusterID() -> UUID { StorageJob.id(100 + number(0..<4)) }

    private mutating func unique<Value: Hashable>(_ maximum: Int, _ make: (inout Self) -> Value) -> [Value] {
        var seen = Set<Value>()
        var values: [Value] = []
        for _ in 0..<number(0..<maximum + 1) {
            let value = make(&self)
            if seen.insert(value).inserted { values.append(value) }
        }
        return values
    }

    private mutating func vector(_ dimension: Int) -> [Float] {
        (0..<dimension).map { _ in Float(number(-2..<3)) / 2 }
    }

    private mutating func entry(_ id: UUID) -> Entry {
        // Most vectors have the same dimension, so most batches are accepted.
        let dimension = chance(80) ? 2 : chance(90) ? 0 : 3
        let content = text()
        let vector = vector(dimension)
        var passages: [Passage] = []
        if dimension > 0, chance(40) {
            for ordinal in 0..<number(1..<4) {
                let end = number(0..<content.utf8.count + 1)
                passages.append(
                    Passage(
                        ordinal: ordinal, utf8Range: number(0..<end + 1)..<end, tokenCount: number(0..<5),
                        vector: chance(30) ? vector : self.vector(dimension)))
            }
        }
        var metadata: [String: MetadataValue] = [:]
        if chance(40) {
            let values: [MetadataValue] = [
                nil, true, 1, 1.5, .string(text()), [1, ["a": nil]], .integer(.max), 1e300, .number(1),
            ]
            metadata[text()] = values[number(0..<values.count)]
        }
        return Entry(
            id: id, content: content, structure: chance(30) ? structure(of: content) : nil,
            embeddings: vector,
            passages: passages,
            source: chance(40) ? text() : nil, key: chance(20) ? text() : nil,
            location: chance(30) ? location() : nil, metadata: metadata,
            tags: chance(40) ? [text(), text()] : [], createdAt: date(), updatedAt: date())
    }

    private mutating func structure(of content: String) -> TextStructure {
        let length = content.utf8.count
        let middle = number(0..<length + 1)
        return TextStructure(
            format: chance(50) ? .markdown : .code, title: chance(50) ? text() : nil,
            sections: [
                .init(headings: [], range: 0..<middle), .init(headings: [text()], range: middle..<length),
            ],
            hiddenParts: middle > 0 ? [.init(kind: .comment, range: 0..<middle)] : [],
            blocks: middle < length ? [middle..<length] : [],
            links: chance(20) ? [DocumentLink(kind: .wiki, target: text(), text: text())] : [])
    }

    private mutating func location() -> EntryLocation {
        let line = chance(60) ? number(1..<4) : nil
        return EntryLocation(
            line: line, lastLine: chance(50) ? line.map { $0 + number(0..<3) } : nil,
            page: chance(20) ? number(1..<4) : nil, headings: chance(20) ? [text(), text()] : [])
    }

    private mutating func cluster(_ id: UUID) -> Cluster {
        Cluster(
            id: id, label: text(), keywords: chance(50) ? [text()] : [],
            centroid: chance(50) ? vector(2) : [],
            representatives: chance(30) ? [entryID()] : [], cohesion: Float(number(0..<5)) / 4,
            parent: chance(20) ? clusterID() : nil, createdAt: date(), updatedAt: date())
    }

    private mutating func assignment(_ entry: UUID, of clusters: [UUID]) -> Assignment {
        let isOutlier = clusters.isEmpty || chance(20)
        return Assignment(
            entry: entry,
            target: isOutlier ? .outlier(.distant) : .cluster(clusters[number(0..<clusters.count)]),
            run: chance(50) ? StorageJob.id(200) : nil, similarity: Float(number(0..<5)) / 4,
            confidence: Float(number(0..<5)) / 4)
    }

    private mutating func batch() -> WriteBatch {
        var batch = WriteBatch()
        if chance(60) { batch.upserts = unique(4) { $0.entryID() }.map { entry($0) } }
        if chance(25) { batch.removals = unique(3) { $0.entryID() } }
        if chance(20) {
            batch.sources = unique(2) { $0.text() }.map {
                Source(id: $0, fingerprint: text(), ingestedAt: date())
            }
        }
        if chance(10) { batch.removedSources = unique(2) { $0.text() } }
        if chance(15) {
            let ids = unique(3) { $0.clusterID() }
            var run: ClusteringRun?
            if chance(60) {
                let stamp = Stamp(
                    store: StorageJob.id(0), epoch: StorageJob.id(0), revision: .zero, entryCount: 0,
                    clusterCount: 0)
                run = ClusteringRun(
                    id: StorageJob.id(200 + number(0..<2)), algorithm: text(), parameters: ["k": 2],
                    seed: UInt64(number(0..<3)), stamp: stamp, createdAt: date())
            }
            batch.clustering = .init(
                run: run, clusters: ids.map { cluster($0) },
                assignments: unique(5) { $0.entryID() }.map { assignment($0, of: ids) })
        }
        if chance(15) { batch.clusters = unique(2) { $0.clusterID() }.map { cluster($0) } }
        if chance(20) {
            let all = (0..<4).map { StorageJob.id(100 + $0) }
            batch.assignments = unique(3) { $0.entryID() }.map { assignment($0, of: all) }
        }
        if chance(10) {
            let assigned = Set(batch.assignments.map(\.entry))
            batch.unassignments = unique(2) { $0.entryID() }.filter { !assigned.contains($0) }
        }
        if chance(2) { batch.newEpoch = StorageJob.id(300 + number(0..<3)) }
        return batch
    }

    mutating func operation() -> FuzzOperation {
        let kind = number(0..<100)
        if level == .simple {
            return kind < 70 ? .saveEntry(entry(entryID())) : .updateCluster(cluster(clusterID()))
        }
        switch kind {
        case ..<50: return .commit(batch())
        case ..<60:
            return .conditional(
                batch(), entries: unique(2) { $0.entryID() }, clusters: chance(50), isStale: chance(40))
        case ..<67: return .saveEntry(entry(entryID()))
        case ..<73:
            var cluster = cluster(clusterID())
            cluster.members = unique(3) { $0.entryID() }
            return .updateCluster(cluster)
        case ..<78: return .deleteEntry(entryID())
        case ..<80: return .renewEpoch
        case ..<83: return .compact
        case ..<88: return .keepSnapshot
        case ..<94: return .followChanges(number(1..<4))
        default:
            return level >= .durable ? .reopen(closing: chance(50)) : .followChanges(1)
        }
    }
}
