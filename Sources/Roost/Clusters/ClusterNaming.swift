public import Foundation
public import RoostModel
import RoostText

// Labels from a labeler, such as a language model.
extension StoreClusters {
    /// The limits on the data about one cluster. Ten keywords and five excerpts suffice for a short label,
    /// and fit into the context window of small models.
    static let labelingLimits = (keywords: 10, texts: 5, charactersPerText: 400)

    private static let concurrency = 4
    /// An excerpt is made from the beginning of a text by collapsing white space. This is the maximum length
    /// of that beginning, as a multiple of the maximum length of an excerpt.
    private static let prefixFactor = 16

    /// Returns the data that ``label(with:_:)`` would send, so that a person can review it first.
    ///
    /// - Parameters:
    ///   - ids: The clusters; `nil` for all. Clusters that a person labeled are omitted.
    ///   - labeler: The name of a labeler. Clusters with a label of this labeler are omitted; `nil` includes
    ///     them.
    /// - Throws: ``RoostError`` with `.notFound`; `StorageError`.
    public func labelingRequests(
        of ids: [Cluster.ID]? = nil, unlessLabeledBy labeler: String? = nil
    ) async throws -> [ClusterLabelingRequest] {
        let snapshot = try await storage.snapshot()
        let all = try await snapshot.clusterRecords()
        let known = Set(all.map(\.id))
        for id in ids ?? [] where !known.contains(id) { throw Self.notFound(id) }
        let selected = ids.map(Set.init)
        let clusters = all.filter {
            selected?.contains($0.id) ?? true && !$0.isLabelPinned
                && (labeler == nil || $0.labeledBy != labeler)
        }
        let representatives = clusters.flatMap { $0.representatives.prefix(Self.labelingLimits.texts) }
        let texts = try await snapshot.entries(representatives).byID.mapValues(\.visibleText)
        return clusters.map { cluster in
            let excerpts = cluster.representatives.prefix(Self.labelingLimits.texts).compactMap { texts[$0] }
            return ClusterLabelingRequest(
                cluster: cluster.id, label: cluster.label,
                excerpt: ClusterExcerpt(
                    keywords: Array(cluster.keywords.prefix(Self.labelingLimits.keywords)),
                    texts: excerpts.map(Self.excerpt)))
        }
    }

    private static func excerpt(of text: String) -> String {
        String(
            text.prefix(prefixFactor * labelingLimits.charactersPerText).split(whereSeparator: \.isWhitespace)
                .joined(separator: " ").prefix(Self.labelingLimits.charactersPerText))
    }

    /// Labels clusters with a labeler, such as a language model.
    ///
    /// Only the excerpts in the requests are sent to the labeler. If two clusters get the same label, a
    /// keyword is added to one of them. A cluster that a person labels in the meantime keeps that label.
    /// Later runs keep the labels while most members of a cluster are the same.
    ///
    /// - Atomicity: All labels are written in one commit at the end.
    /// - Throws: `StorageError`; `CancellationError`. If an error is thrown, no label is changed. Errors of
    ///   the labeler are not thrown, but included in the report.
    public func label(
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
    private func commit(
        _ labels: [Cluster.ID: String], by labeler: String, in order: [Cluster.ID]
    ) async throws -> [Cluster] {
        try await storage.commitClusterChange { snapshot in
            let all = try await snapshot.clusterRecords()
            let selected = Set(all.lazy.filter { !$0.isLabelPinned && labels[$0.id] != nil }.map(\.id))
            var used = Set(
                all.lazy.filter { !selected.contains($0.id) }.map { GroupVocabularies.key($0.label) })
            let byID = all.byID
            var changed: [Cluster] = []
            for id in order {
                guard let label = labels[id], selected.contains(id), var cluster = byID[id] else { continue }
                cluster.label = Self.unique(label, cluster.keywords, &used)
                cluster.labeledBy = labeler
                cluster.updatedAt = Date()
                changed.append(cluster)
            }
            return (WriteBatch(clusters: changed), changed)
        }
    }
}

/// The result of labeling clusters with a labeler.
public struct ClusterLabelingReport: Sendable {
    /// A cluster for which the labeler gave no usable label.
    public struct Refusal: Sendable, Hashable {
        /// The id of the cluster.
        public var cluster: Cluster.ID
        /// The reason why it has no new label.
        public var reason: String
    }

    /// The clusters with a new label, without their members.
    public var labeled: [Cluster] = []
    /// The clusters for which the labeler gave no usable label.
    public var refused: [Refusal] = []
    /// The number of clusters that were deleted or that a person labeled while the labeler worked. They are
    /// not changed.
    public var outdatedCount = 0
    /// The error that made the labeling end early; `nil` if there was none. Labels that were received before
    /// the error are kept.
    public var failure: EmbedderError?

    /// Creates an empty report.
    public init() {}
}

/// The data about one cluster that is sent to a labeler.
public struct ClusterLabelingRequest: Sendable {
    /// The id of the cluster.
    public var cluster: Cluster.ID
    /// The current label.
    public var label: String
    /// The keywords and excerpts of texts that the labeler receives.
    public var excerpt: ClusterExcerpt
}

enum ClusterLabelText {
    /// The maximum length of a label in characters. A longer answer is prose, not a label.
    static let maximumLength = 80
    static let maximumWords = 8

    /// Words with which models introduce a label, such as "Label: Birds".
    private static let introductions = ["label", "name", "topic", "title"]

    /// Returns the label in an answer: its first line, without the reasoning that some models print, and
    /// without quotation marks, markup and an introduction. Returns `nil` if what remains is not a usable
    /// label.
    static func label(in answer: String) -> String? {
        var text = answer
        while let start = text.range(of: "<think>") {
            let end = text.range(of: "</think>", range: start.upperBound..<text.endIndex)
            text.removeSubrange(start.lowerBound..<(end?.upperBound ?? text.endIndex))
        }
        // Some servers omit the opening tag.
        if let end = text.range(of: "</think>") { text.removeSubrange(text.startIndex..<end.upperBound) }
        let lines = text.split(whereSeparator: \.isNewline).map { trimmed(String($0)) }
        guard var label = lines.first(where: { !$0.isEmpty }) else { return nil }
        for word in introductions where label.lowercased().hasPrefix(word + ":") {
            label = trimmed(String(label.dropFirst(word.count + 1)))
        }
        let isPrintable = label.unicodeScalars.allSatisfy { scalar in
            ![.control, .format, .surrogate, .privateUse, .unassigned].contains(
                scalar.properties.generalCategory)
        }
        guard isPrintable, label.contains(where: { $0.isLetter || $0.isNumber }),
            label.count <= maximumLength, label.utf8.count <= StoreClusters.maximumLabelLength,
            label.split(whereSeparator: \.isWhitespace).count <= maximumWords
        else { return nil }
        return label
    }

    private static func trimmed(_ text: String) -> String {
        let edges = CharacterSet.whitespaces.union(CharacterSet(charactersIn: "\"'`*_#“”„‘’«»."))
        return text.trimmingCharacters(in: edges).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
