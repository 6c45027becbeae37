import Foundation
import Roost
import RoostServer

struct NamedEntries {
    /// The ids, in the order of the file if there are several.
    var ids: [Entry.ID]
    /// The source whose entries these are; `nil` if the argument is an id.
    var source: Source.ID?
}

extension StoreOptions {
    static let entryHelp = """
        An entry's id, the beginning of its id, the key of an added text, or the path of an ingested \
        file.
        """

    /// The rule for arguments that name entries, for the discussion of a command.
    static let entryRule = """
        The path of an ingested file, or its URL, selects all of its entries, and KEY the entry of `roost \
        add --key KEY`. If a name is both the path of an ingested file and the beginning of an id, it \
        selects the file. A complete id always selects the entry, and ./NAME always selects the file.
        """

    /// Returns the entries that a full id, the path of an ingested file, the address of an ingested page, the
    /// key of an added text, or a unique id prefix names. The first of
    /// these that exists counts.
    func namedEntries(_ text: String, _ store: KnowledgeStore) async throws -> NamedEntries {
        let snapshot = try await store.storage.snapshot()
        let keyed = EntryID.added(withKey: text)
        if let id = UUID(uuidString: text) {
            // Keys of other programs are often ids.
            let known = try await snapshot.revisions(of: [id, keyed])
            return NamedEntries(ids: [known[id] == nil && known[keyed] != nil ? keyed : id])
        }
        let source =
            if WebSource.isAddress(text) {
                WebSource.id(text)
            } else {
                text.contains("://") ? text : RecordReader.sourceID(URL(fileURLWithPath: text))
            }
        let ids = try await snapshot.ids(matching: EntryFilter(sources: [source]))
        guard ids.isEmpty else {
            // The record has the order of the file.
            let recorded = try await snapshot.sources([source]).first?.entryIDs ?? []
            let present = Set(ids)
            let ordered = recorded.filter(present.contains)
            let listed = Set(ordered)
            return NamedEntries(ids: ordered + ids.filter { !listed.contains($0) }, source: source)
        }
        if try await snapshot.revisions(of: [keyed])[keyed] != nil { return NamedEntries(ids: [keyed]) }
        try requireIDOrKnownFile(text)
        return NamedEntries(ids: [try await entryID(beginning: text.lowercased(), snapshot)])
    }

    func namedEntry(_ text: String, _ store: KnowledgeStore) async throws -> Entry.ID {
        let named = try await namedEntries(text, store)
        guard named.ids.count == 1, let id = named.ids.first else {
            let shown = Terminal.line(text, limit: 200)
            throw CommandError(
                .usage,
                "\(shown) has \(named.ids.count) entries; give the id of one, which "
                    + "`roost list --source '\(shown)'` lists")
        }
        return id
    }

    /// Throws an error if a text is no id, and so a key or the path or address of a file without entries.
    private func requireIDOrKnownFile(_ text: String) throws {
        let isID = text.allSatisfy { $0.isHexDigit && $0.isASCII || $0 == "-" }
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: text, isDirectory: &isFolder)
        guard !isID else { return }
        let shown = Terminal.line(text, limit: 200)
        if isFolder.boolValue {
            throw CommandError(
                .usage, "\(shown) is a folder; run `roost list --source '\(shown)'` to list its entries")
        }
        guard !exists else {
            throw RoostError(
                .notFound,
                "the store has no entries from the file \(shown); add it with `roost ingest '\(shown)'`")
        }
        throw RoostError(
            .notFound, "no entry has the id, path or key '\(shown)'; run `roost list` to list the entries")
    }
}

extension StoreOptions {
    /// The minimum number of digits of an id that identify an entry: fewer digits are rarely unique, and
    /// often a mistake.
    private static let minimumIDLength = 4

    /// Returns the id of the only entry whose id begins with the given digits.
    private func entryID(
        beginning digits: String, _ snapshot: any StorageSnapshot
    ) async throws -> Entry.ID {
        guard digits.count >= Self.minimumIDLength else {
            throw CommandError(
                .usage, "invalid id '\(digits)'; give at least \(Self.minimumIDLength) digits of the id")
        }
        let page = try await snapshot.entries(after: nil, limit: 2, matching: EntryFilter(idPrefix: digits))
        guard let first = page.entries.first else {
            throw RoostError(
                .notFound,
                "no entry has the id \(Terminal.line(digits, limit: 40)); run `roost list` to list entries")
        }
        guard page.entries.count == 1 else {
            throw CommandError(.usage, "several ids begin with \(digits); give more digits of the id")
        }
        return first.id
    }

    static let clusterHelp = Operations.help("cluster", of: "cluster")

    func cluster(_ text: String, _ store: KnowledgeStore) async throws -> Cluster {
        try await store.storage.snapshot().clusterRecords().named(text)
    }
}
