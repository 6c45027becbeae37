public import RoostClustering
public import RoostModel

/// The groups and topics of the passages of entries. They show the subjects of a long text, and are not saved.
public struct PassageClusters: Sendable {
    /// The result of the run. The members and representatives of its clusters are ids of passages.
    public var report: ReclusterReport
    /// The entry and the passage of each representative; these hits have no score.
    public var passages: [Entry.ID: QueryHit]
}

extension StoreClusters {
    /// Clusters the passages of entries in place of entries, and changes nothing in the store.
    ///
    /// The texts and vectors of the passages are held in memory.
    ///
    /// - Parameter filter: The entries whose passages are clustered, such as those of one book. The others are
    ///   those of a run.
    /// - Throws: ``RoostError`` with `.notFound` if no entry with a vector matches the filter; the errors of a run.
    @concurrent
    public func ofPassages(
        among filter: EntryFilter = .all, clusters: Int? = nil,
        granularity: LeidenClusterer.Granularity = .medium, seed: UInt64 = 0,
        maximumVectors: Int = KnowledgeStore.maximumVectors, stopWords: Set<String> = [],
        progress: @escaping @Sendable (ReclusterProgress) -> Void = { _ in }
    ) async throws -> PassageClusters {
        let snapshot = try await storage.snapshot()
        // A store whose entries are the passages.
        let passages = InMemoryStorageProvider()
        var places: [Entry.ID: (entry: Entry.ID, ordinal: Int)] = [:]
        let filter = try await filter.expandingParentCluster(in: snapshot)
        for try await page in snapshot.entryPages(matching: filter) {
            var batch = WriteBatch()
            for entry in page.entries {
                let treatment = TextTreatment(of: entry)
                for passage in entry.searchablePassages where !passage.vector.isEmpty {
                    let heading = treatment.structure.section(at: passage.utf8Range.lowerBound)?.headings.last
                    let part = Entry(
                        id: EntryID.derived(source: entry.id.text, key: "\(passage.ordinal)"),
                        content: treatment.visibleText(in: passage.utf8Range), embeddings: passage.vector,
                        metadata: heading.map { [DocumentKey.title: .string($0)] } ?? [:])
                    places[part.id] = (entry.id, passage.ordinal)
                    batch.upserts.append(part)
                }
            }
            _ = try await passages.commit(batch)
        }
        guard !places.isEmpty else {
            throw RoostError(.notFound, "cannot cluster passages: no entry with a vector matches the filter")
        }
        let report = try await KnowledgeStore(storage: passages, embedder: boilerplate.embedder).recluster(
            clusters: clusters, granularity: granularity, seed: seed, maximumVectors: maximumVectors,
            stopWords: stopWords, isDryRun: true, progress: progress)
        var result = PassageClusters(report: report, passages: [:])
        let shown = report.clusters.flatMap(\.representatives)
        let entries = try await snapshot.entries(Array(Set(shown.compactMap { places[$0]?.entry }))).byID
        for id in shown {
            guard let place = places[id], let entry = entries[place.entry] else { continue }
            let passage = entry.searchablePassages.first { $0.ordinal == place.ordinal }
            result.passages[id] = passage.map { QueryHit(entry: entry, similarity: 0, passage: $0) }
        }
        return result
    }
}
