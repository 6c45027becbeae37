import Foundation
import RoostModel
import RoostText

/// Labels clusters with a labeler, such as a language model.
struct ClusterNaming: Sendable {
    let storage: any StorageProvider

    /// The limits on the data about one cluster. Ten keywords and five excerpts suffice for a short label,
    /// and fit into the context window of small models.
    static let limits = ClusterLabelingRequest.Limits(keywords: 10, texts: 5, charactersPerText: 400)

    /// The number of requests that are sent to the labeler at the same time.
    private static let concurrency = 4
    /// An excerpt is made from the beginning of a text by collapsing white space. This is the maximum length
    /// of that beginning, as a multiple of the maximum length of an excerpt.
    private static let prefixFactor = 16

    /// See ``KnowledgeStore/labelingRequests(of:unlessLabeledBy:)``.
    func requests(
        of ids: [Cluster.ID]?, unlessLabeledBy labeler: String?
    ) async throws -> [ClusterLabelingRequest] {
        let snapshot = try await storage.snapshot()
        let all = try await snapshot.clusterRecords()
        let known = Set(all.map(\.id))
        for id in ids ?? [] where !known.contains(id) { throw ClusterEditor.notFound(id) }
        let selected = ids.map(Set.init)
        let clusters = all.filter {
            selected?.contains($0.id) ?? true && !$0.isLabelPinned
                && (labeler == nil || $0.labeledBy != labeler)
        }
        let limits = Self.limits
        let representatives = clusters.flatMap { $0.representatives.prefix(limits.texts) }
        let texts = Dictionary(
            try await snapshot.entries(representatives).map { ($0.id, $0.visibleText) }
        ) { first, _ in first }
        return clusters.map { cluster in
            let excerpts = cluster.representatives.prefix(limits.texts).compactMap { texts[$0] }
            return ClusterLabelingRequest(
                cluster: cluster.id, label: cluster.label,
                excerpt: ClusterExcerpt(
                    keywords: Array(cluster.keywords.prefix(limits.keywords)),
                    texts: excerpts.map(Self.excerpt)))
        }
    }

    /// Returns the beginning of a text with white space collapsed.
    private static func excerpt(of text: String) -> String {
        String(
            text.prefix(prefixFactor * limits.charactersPerText).split(whereSeparator: \.isWhitespace)
                .joined(separator: " ").prefix(limits.charactersPerText))
    }

    /// See ``KnowledgeStore/labelClusters(with:_:)``.
    func label(
        with labeler: some ClusterLabeler, _ requests: [ClusterLabelingRequest]
    ) async throws -> ClusterLabelingReport {
        var report = ClusterLabelingReport()
        let labels = try await labels(from: labeler, for: requests, &report)
        try Task.checkCancellation()
        guard !labels.isEmpty else { return report }
        report.labeled = try await commit(labels, by: labeler.name, in: requests.map(\.cluster))
        report.outdatedCount = labels.count - report.labeled.count
        return report
    }

    // MARK: Asking the labeler

    private struct Answer: Sendable {
        var index: Int
        var text: String?
        var error: EmbedderError?
    }

    private func labels(
        from labeler: some ClusterLabeler, for requests: [ClusterLabelingRequest],
        _ report: inout ClusterLabelingReport
    ) async throws -> [Cluster.ID: String] {
        var result = report
        var labels: [Cluster.ID: String] = [:]
        try await withThrowingTaskGroup(of: Answer.self) { group in
            var next = 0
            func addNext() {
                guard next < requests.count else { return }
                let (index, excerpt) = (next, requests[next].excerpt)
                next += 1
                group.addTask {
                    do {
                        return Answer(index: index, text: try await labeler.label(excerpt))
                    } catch {
                        return Answer(index: index, error: try Self.failure(of: labeler, error))
                    }
                }
            }
            for _ in 0..<Self.concurrency { addNext() }
            while let answer = try await group.next() {
                let id = requests[answer.index].cluster
                if let error = answer.error, error.code != .badAnswer {
                    // Further requests would fail as well. Those already sent may still succeed.
                    result.failure = result.failure ?? error
                } else if let label = answer.text.flatMap(ClusterLabelText.label(in:)) {
                    labels[id] = label
                } else {
                    let reason = answer.error?.message ?? "the answer is not a label"
                    result.refused.append(.init(cluster: id, reason: reason))
                }
                if result.failure == nil { addNext() }
            }
        }
        report = result
        return labels
    }

    /// Returns the error that is reported for one that a labeler threw. A labeler should throw
    /// `EmbedderError`, but any other error must not discard the labels of the clusters before it either.
    ///
    /// - Throws: `CancellationError`, if the labeler threw it.
    private static func failure(
        of labeler: some ClusterLabeler, _ error: any Error
    ) throws -> EmbedderError {
        switch error {
        case let error as EmbedderError: error
        case let error as CancellationError: throw error
        default:
            EmbedderError(
                .unavailable, "cannot get a label from \(labeler.name): \(error.localizedDescription)")
        }
    }

    // MARK: Writing the labels

    /// Commits labels, except for clusters that were deleted or that a person has labeled.
    ///
    /// - Parameters:
    ///   - order: The order in which clusters get their labels. If two labels are equal, only the second one
    ///     is changed.
    /// - Returns: The clusters with their new labels.
    private func commit(
        _ labels: [Cluster.ID: String], by labeler: String, in order: [Cluster.ID]
    ) async throws -> [Cluster] {
        try await storage.commitClusterChange { snapshot in
            let all = try await snapshot.clusterRecords()
            let selected = Set(all.lazy.filter { !$0.isLabelPinned && labels[$0.id] != nil }.map(\.id))
            var used = Set(
                all.lazy.filter { !selected.contains($0.id) }.map { GroupVocabularies.key($0.label) })
            let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
            var changed: [Cluster] = []
            for id in order {
                guard let label = labels[id], selected.contains(id), var cluster = byID[id] else { continue }
                cluster.label = ClusterEditor.unique(label, cluster.keywords, &used)
                cluster.labeledBy = labeler
                cluster.updatedAt = Date()
                changed.append(cluster)
            }
            return ClusterChange(batch: WriteBatch(clusters: changed), value: changed)
        }
    }
}
