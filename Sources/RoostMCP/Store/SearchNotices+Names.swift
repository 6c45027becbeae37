package import RoostModel

extension SearchNotices {
    /// Returns sentences about the tags, the keys of metadata and the sources that a filter requires, but
    /// that no visible entry has.
    ///
    /// - Parameters:
    ///   - filter: The filter that the client wrote.
    ///   - visible: Returns a filter that also selects only visible entries, so that the sentences do not
    ///     depend on others.
    /// - Throws: `StorageError`; `CancellationError`.
    package static func unknownNames(
        in filter: EntryFilter, _ snapshot: any StorageSnapshot,
        among visible: (EntryFilter) -> EntryFilter = { $0 }
    ) async throws -> [String] {
        func isUnknown(_ filter: EntryFilter) async throws -> Bool {
            try await snapshot.headers(after: nil, limit: 1, matching: visible(filter)).headers.isEmpty
        }
        var texts: [String] = []
        for tag in filter.tags.sorted() where texts.count < maximumWords {
            guard try await isUnknown(EntryFilter(tags: [tag])) else { continue }
            texts.append("no entry has the tag '\(short(tag))'")
        }
        let keys = Set(filter.conditions.compactMap(\.requiredKey))
        for key in keys.sorted() where texts.count < maximumWords {
            guard try await isUnknown([.metadata(key).exists]) else { continue }
            texts.append("no entry has metadata with the key '\(short(key))'")
        }
        if let sources = filter.sources, try await isUnknown(EntryFilter(sources: sources)) {
            texts.append("no entry is from the named sources")
        }
        return texts
    }
}

extension EntryCondition {
    /// The key of metadata that an entry must have to satisfy the condition.
    fileprivate var requiredKey: String? {
        guard case .metadata(let key) = field else { return nil }
        switch test {
        case .differs, .isMissing: return nil
        default: return key
        }
    }
}
