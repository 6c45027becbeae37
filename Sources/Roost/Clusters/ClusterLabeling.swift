public import Foundation
public import RoostModel

/// What would be told of one cluster to a labeler.
public struct ClusterLabelingRequest: Sendable {
    public var cluster: Cluster.ID
    /// What it is called now.
    public var label: String
    public var excerpt: ClusterExcerpt
}

/// What came of asking a labeler.
public struct ClusterLabelingReport: Sendable {
    /// The clusters that have a new name, without their members.
    public var named: [Cluster] = []
    /// Clusters for which nothing came that can be a name, and why.
    public var refused: [(cluster: Cluster.ID, reason: String)] = []
    /// Clusters that a person named, or that went, while the labeler was asked: they stay as they are.
    public var outdatedCount = 0
    /// What ended the asking before its end. What had come by then is kept.
    public var failure: EmbedderError?

    public init() {}
}

/// What can be a name of a cluster.
enum ClusterLabelText {
    /// A chat model that says more than this has not answered with a name.
    static let longestAnswer = 80
    static let mostWords = 8

    /// A name out of a model's answer: its first line, without the thoughts of models that think aloud,
    /// quotation marks, markup, or a colon's introduction.
    static func name(in answer: String) -> String? {
        var text = answer
        while let start = text.range(of: "<think>") {
            let end = text.range(of: "</think>", range: start.upperBound..<text.endIndex)
            text.removeSubrange(start.lowerBound..<(end?.upperBound ?? text.endIndex))
        }
        // Some servers leave out where the thoughts begin.
        if let end = text.range(of: "</think>") { text.removeSubrange(text.startIndex..<end.upperBound) }
        let lines = text.split(whereSeparator: \.isNewline).map { trimmed(String($0)) }
        guard var name = lines.first(where: { !$0.isEmpty }) else { return nil }
        for word in ["label", "name", "topic", "title"] where name.lowercased().hasPrefix(word + ":") {
            name = trimmed(String(name.dropFirst(word.count + 1)))
        }
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            ![.control, .format, .surrogate, .privateUse, .unassigned].contains(
                scalar.properties.generalCategory)
        }
        guard isPlain, name.contains(where: { $0.isLetter || $0.isNumber }), name.count <= longestAnswer,
            name.utf8.count <= KnowledgeStore.longestLabel,
            name.split(whereSeparator: \.isWhitespace).count <= mostWords
        else { return nil }
        return name
    }

    private static func trimmed(_ text: String) -> String {
        let edges = CharacterSet.whitespaces.union(CharacterSet(charactersIn: "\"'`*_#“”„‘’«»."))
        return text.trimmingCharacters(in: edges).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

extension KnowledgeStore {
    /// The most keywords, texts and characters of one text that a labeler is told of a cluster.
    public static let labelingLimits = (keywords: 10, texts: 5, characters: 400)

    /// How many clusters a labeler is asked about at a time.
    private static let labelingConcurrency = 4

    private struct LabelingAnswer: Sendable {
        var index: Int
        var text: String?
        var error: EmbedderError?
    }

    /// What ``labelClusters(with:_:)`` would send, for whoever wants to see it first.
    ///
    /// - Parameters:
    ///   - ids: `nil` for all. Clusters that a person named are left out.
    ///   - name: clusters that have a name of this labeler are left out; `nil` takes them too.
    /// - Throws: ``RoostError`` with `.notFound`; ``StorageError``.
    public func labelingRequests(
        of ids: [Cluster.ID]? = nil, unlessLabeledBy name: String? = nil
    ) async throws -> [ClusterLabelingRequest] {
        let snapshot = try await storage.snapshot()
        let all = try await snapshot.clusterRecords()
        let known = Set(all.map(\.id))
        for id in ids ?? [] where !known.contains(id) {
            throw RoostError(.notFound, "there is no cluster \(id.text); nothing was changed")
        }
        let wanted = ids.map(Set.init)
        let clusters = all.filter {
            wanted?.contains($0.id) ?? true && !$0.isLabelPinned && (name == nil || $0.labeledBy != name)
        }
        let limits = Self.labelingLimits
        let representatives = clusters.flatMap { $0.representatives.prefix(limits.texts) }
        let texts = Dictionary(
            try await snapshot.entries(representatives).map { ($0.id, $0.content) }
        ) { first, _ in first }
        return clusters.map { cluster in
            let excerpts = cluster.representatives.prefix(limits.texts).compactMap { texts[$0] }.map { text in
                // White space says nothing, and what is cut is cut between characters.
                String(
                    text.prefix(16 * limits.characters).split(whereSeparator: \.isWhitespace)
                        .joined(separator: " ").prefix(limits.characters))
            }
            return ClusterLabelingRequest(
                cluster: cluster.id, label: cluster.label,
                excerpt: ClusterExcerpt(
                    keywords: Array(cluster.keywords.prefix(limits.keywords)), texts: excerpts))
        }
    }

    /// Has clusters named by a labeler, such as a chat model.
    ///
    /// Nothing but the excerpts of the requests leaves the process. The names are written in one commit at
    /// the end; a cluster that a person named meanwhile keeps that name. Two clusters that get the same name
    /// are told apart by a keyword. Runs keep the names while most of a cluster's members are those of now.
    ///
    /// - Throws: ``StorageError``; `CancellationError`, and nothing has changed then. What the labeler fails
    ///   in is in the report.
    public func labelClusters(
        with labeler: some ClusterLabeler, _ requests: [ClusterLabelingRequest]
    ) async throws -> ClusterLabelingReport {
        var report = ClusterLabelingReport()
        var names: [Cluster.ID: String] = [:]
        try await withThrowingTaskGroup(of: LabelingAnswer.self) { group in
            var next = 0
            func addNext() {
                guard next < requests.count else { return }
                let (index, excerpt) = (next, requests[next].excerpt)
                next += 1
                group.addTask {
                    do {
                        return LabelingAnswer(index: index, text: try await labeler.label(excerpt))
                    } catch let error as EmbedderError {
                        return LabelingAnswer(index: index, error: error)
                    }
                }
            }
            for _ in 0..<Self.labelingConcurrency { addNext() }
            while let answer = try await group.next() {
                let id = requests[answer.index].cluster
                if let error = answer.error, error.code != .badAnswer {
                    // Others would fail likewise; those under way may still come.
                    report.failure = report.failure ?? error
                } else if let name = answer.text.flatMap(ClusterLabelText.name(in:)) {
                    names[id] = name
                } else {
                    report.refused.append((id, answer.error?.message ?? "the answer is no name"))
                }
                if report.failure == nil { addNext() }
            }
        }
        try Task.checkCancellation()
        guard !names.isEmpty else { return report }
        let told = requests
        (report.named, report.outdatedCount) = try await retrying { [names] snapshot in
            let all = try await snapshot.clusterRecords()
            let free = Set(all.lazy.filter { !$0.isLabelPinned && names[$0.id] != nil }.map(\.id))
            var taken = Set(all.lazy.filter { !free.contains($0.id) }.map { $0.label.lowercased() })
            let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
            var changed: [Cluster] = []
            for request in told {
                guard let name = names[request.cluster], free.contains(request.cluster),
                    var cluster = byID[request.cluster]
                else { continue }
                cluster.label = Self.distinct(name, cluster.keywords, &taken)
                cluster.labeledBy = labeler.name
                cluster.updatedAt = Date()
                changed.append(cluster)
            }
            return (WriteBatch(clusters: changed), (changed, names.count - changed.count))
        }
        return report
    }

    /// A name that no other cluster has, where a keyword can make it so.
    private static func distinct(_ name: String, _ keywords: [String], _ taken: inout Set<String>) -> String {
        var result = name
        if taken.contains(name.lowercased()),
            let keyword = keywords.first(where: { !name.localizedCaseInsensitiveContains($0) })
        {
            let longer = "\(name) (\(keyword))"
            if longer.utf8.count <= longestLabel { result = longer }
        }
        taken.insert(result.lowercased())
        return result
    }
}
