import Foundation
internal import HashTreeCollections
package import RoostVectors

/// A snapshot that contains a copy of a `StoreState`. Later commits do not affect the copy, because the state
/// is a value type.
package struct InMemorySnapshot: StorageSnapshot {
    package let state: StoreState

    package init(state: StoreState) { self.state = state }

    package var stamp: Stamp { state.stamp }

    package func entries(_ ids: [Entry.ID]) throws -> [Entry] { try ids.compactMap { try state.entry($0) } }

    package func entries(after row: UInt32?, limit: Int, matching filter: EntryFilter) throws -> EntryPage {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        var page = EntryPage(entries: [], rows: [], next: nil)
        for row in state.candidates(for: filter, after: row) where try state.matches(row, filter) {
            if page.entries.count == limit {
                page.next = page.rows.last
                break
            }
            page.entries.append(try state.entry(of: row))
            page.rows.append(row.row)
        }
        return page
    }

    package func rows(matching filter: EntryFilter) throws -> RowSet {
        var rows = RowSet()
        for row in state.candidates(for: filter, after: nil) where try state.matches(row, filter) {
            rows.insert(row.row)
        }
        return rows
    }

    package func vectors(of kind: VectorPage.Kind, after row: UInt32?, limit: Int) throws -> VectorPage {
        precondition(limit >= 1, "the limit of a page must be at least 1, not \(limit)")
        var rows: [UInt32] = []
        var ids: [UUID] = []
        var ordinals: [UInt32] = []
        var elements: [Float] = []
        var dimension = 0
        var count = 0
        var next: UInt32?
        for stored in state.rows(after: row) where state.record(of: stored).dimension > 0 {
            if count == limit {
                next = rows.last
                break
            }
            count += 1
            let (row, entry) = (stored.row, try state.entry(of: stored))
            dimension = entry.embeddings.count
            func append(_ vector: [Float], _ ordinal: Int) {
                rows.append(row)
                ids.append(entry.id)
                ordinals.append(UInt32(ordinal))
                elements += vector
            }
            switch kind {
            case .entries: append(entry.embeddings, 0)
            case .passages:
                for passage in entry.searchablePassages { append(passage.vector, passage.ordinal) }
            }
        }
        let vectors = Matrix(rows: rows.count, columns: dimension, elements: elements)
        return VectorPage(rows: rows, ids: ids, ordinals: ordinals, vectors: vectors, next: next)
    }

    package func revisions(of ids: [Entry.ID]) -> [Entry.ID: Revision] {
        Dictionary(ids.compactMap { id in state.rows[id].map { (id, $0.position.revision) } }) {
            first, _ in first
        }
    }

    package func embeddedEntries(withContent digests: Set<ContentDigest>) throws -> [ContentDigest: Entry] {
        var found: [ContentDigest: Entry] = [:]
        for digest in digests { found[digest] = try state.embeddedEntry(withContent: digest) }
        return found
    }

    package func sources(_ ids: [Source.ID]) -> [Source] {
        ids.compactMap { id in
            guard var source = state.sourceRecords[ExactText(id)] else { return nil }
            source.entryIDs = state.ids(ofSource: id)
            return source
        }
    }

    package func sources() -> [Source] { state.sources }

    package func sourceCount() -> Int { state.sourceCount }

    package func clusters() -> [Cluster] { state.clustersWithMembers() }

    package func assignments(of ids: [Entry.ID]?) -> [Assignment] {
        guard let ids else { return state.assignments }
        let rows = ids.compactMap { state.rows[$0] }.sorted { $0.row < $1.row }
        return rows.compactMap { state.assignmentsByEntry[state.record(of: $0).id] }
    }

    package func clusteringRun() -> ClusteringRun? { state.run }

    package func clustersRevision() -> Revision { state.clustersRevision }
}
