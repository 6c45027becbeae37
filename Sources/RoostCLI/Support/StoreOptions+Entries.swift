import Foundation
import Roost

/// The entries that an argument of a command names.
struct NamedEntries {
    /// The ids, in the order of the file if there are several.
    var ids: [Entry.ID]
    /// The source whose entries these are; `nil` if the argument is an id.
    var source: Source.ID?
}

extension StoreOptions {
    /// The help of arguments that name entries.
    static let entryHelp = """
        An entry's id, the beginning of its id, the key of an added text, or the path of an ingested \
        file, also with the number of a line (FILE:LINE).
        """

    /// The rule for arguments that name entries, for the discussion of a command.
    static let entryRule = """
        The path of an ingested file, or its URL, selects all of its entries, and FILE:LINE, as searches \
        print it, the entry on this line. KEY selects the entry of `roost add --key KEY`. If a name is \
        both the path of an ingested file and the beginning of an id, it selects the file. A complete id \
        always selects the entry, and ./NAME always selects the file.
        """

    /// Returns the entries that a full id, the path of an ingested file, the address of an ingested page, the
    /// key of an added text, a path with the number of a line, or a unique id prefix names. The first of
    /// these that exists counts.
    ///
    /// - Throws: ``CommandError`` or ``RoostError`` if the text names no entry, or several ids begin with it.
    func namedEntries(_ text: String, _ store: KnowledgeStore) async throws -> NamedEntries {
        let snapshot = try await store.storage.snapshot()
        let keyed = KnowledgeStore.id(ofKey: text)
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
        var ids: [Entry.ID] = []
        for try await page in snapshot.headerPages(matching: EntryFilter(sources: [source])) {
            ids += page.headers.map(\.id)
        }
        guard ids.isEmpty else {
            // The record has the order of the file.
            let recorded = try await snapshot.sources([source]).first?.entryIDs ?? []
            let present = Set(ids)
            let ordered = recorded.filter(present.contains)
            let listed = Set(ordered)
            return NamedEntries(ids: ordered + ids.filter { !listed.contains($0) }, source: source)
        }
        if try await snapshot.revisions(of: [keyed])[keyed] != nil { return NamedEntries(ids: [keyed]) }
        if let entry = try await entry(onLine: text, in: snapshot) { return NamedEntries(ids: [entry]) }
        try await requireIDOrKnownFile(text, in: snapshot)
        return NamedEntries(ids: [try await entryID(text, store)])
    }

    /// Returns the entry on a line of an ingested file; `nil` if a text is not the path of such a file and a
    /// number.
    ///
    /// - Throws: ``RoostError`` with `.notFound` if no entry of the file is on the line.
    private func entry(onLine text: String, in snapshot: any StorageSnapshot) async throws -> Entry.ID? {
        guard let match = text.wholeMatch(of: /(?<path>.+):(?<line>[0-9]+)/), let line = Int(match.line),
            !text.contains("://")
        else { return nil }
        let path = String(match.path)
        let filter = EntryFilter(sources: [RecordReader.sourceID(URL(fileURLWithPath: path))])
        var found: Entry.ID?
        var count = 0
        var withoutLine: Entry.ID?
        for try await page in snapshot.entryPages(matching: filter) {
            for entry in page.entries {
                guard let lines = entry.sourceLines else {
                    withoutLine = entry.id
                    continue
                }
                if lines.contains(line) { found = entry.id }
            }
            count += page.entries.count
        }
        // Documents without lines, such as PDF, are usually one entry.
        if count == 1, let withoutLine { return withoutLine }
        guard count == 0 || found != nil else {
            let shown = Terminal.line(path, limit: 200)
            throw RoostError(
                .notFound,
                "no entry is on line \(line) of \(shown); run `roost show '\(shown)'` for its entries")
        }
        return found
    }

    /// Returns the entry that an argument names.
    ///
    /// - Throws: ``CommandError`` or ``RoostError`` if it names no entry, or a file with several entries.
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
    ///
    /// - Throws: ``RoostError`` with `.notFound`, whose message names the only file with this name in another
    ///   folder; ``CommandError`` for a folder.
    private func requireIDOrKnownFile(_ text: String, in snapshot: any StorageSnapshot) async throws {
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
        let name = (text as NSString).lastPathComponent.lowercased()
        let similar = try await snapshot.sources().filter { source in
            URL(string: source.id).map { $0.isFileURL && $0.lastPathComponent.lowercased() == name } ?? false
        }
        let path = similar.count == 1 ? URL(string: similar[0].id)?.path : nil
        throw RoostError(
            .notFound,
            "no entry has the id, path or key '\(shown)'; "
                + (path.map { "did you mean '\(Terminal.line($0, limit: 200))'?" }
                    ?? "run `roost list` to list entries with ids and paths"))
    }
}

extension Entry {
    /// The numbers of the lines of the source on which the text is; `nil` if they are unknown.
    fileprivate var sourceLines: ClosedRange<Int>? {
        guard let first = location?.line else { return nil }
        let breaks = content.utf8.count { $0 == UInt8(ascii: "\n") }
        return first...max(first, location?.lastLine ?? first + breaks)
    }
}
