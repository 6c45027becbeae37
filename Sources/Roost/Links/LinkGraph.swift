import Foundation
import RoostDocuments
import RoostModel

/// Resolves the links between the entries of a snapshot.
struct LinkGraph {
    private let snapshot: any StorageSnapshot
    private let resolver: LinkResolver
    /// The sources that links can lead to, in the order of the resolver's notes.
    private let sources: [Source.ID]
    /// The elements of ``sources``.
    private let known: Set<Source.ID>

    /// Reads the names of all files.
    ///
    /// - Complexity: O(number of sources).
    init(_ snapshot: any StorageSnapshot) async throws {
        self.snapshot = snapshot
        var aliases: [Source.ID: [String]] = [:]
        var named = EntryFilter()
        named.conditions = [EntryCondition(.metadata(DocumentKey.aliases), .exists)]
        for try await page in snapshot.entryPages(matching: named) {
            for entry in page.entries {
                guard let source = entry.source else { continue }
                aliases[source] = entry.metadata[DocumentKey.aliases]?.comparableTexts
            }
        }
        sources = try await snapshot.sources().map(\.id).filter { $0.hasPrefix("file://") }.sorted()
        known = Set(sources)
        resolver = LinkResolver(
            notes: sources.map {
                LinkResolver.Note(path: URL(string: $0)?.path ?? $0, aliases: aliases[$0] ?? [])
            })
    }

    func links(of entry: Entry) async throws -> [EntryLink] {
        let file = LinkingFile(of: entry)
        var links: [EntryLink] = []
        for link in Self.documentLinks(of: entry) where !file.isInternal(link) {
            let destination = try await destination(of: link, from: file)
            let shown = destination == .external ? file.completed(link) : link
            links.append(EntryLink(link: shown, destination: destination))
        }
        return links
    }

    /// Returns the links to an entry, sorted by the paths of the entries that contain them.
    func backlinks(to target: Entry) async throws -> [LinkedEntry] {
        let file = target.sourcePath.map { URL(fileURLWithPath: $0).lastPathComponent }
        let aliases = target.metadata[DocumentKey.aliases]?.comparableTexts ?? []
        let names = Set(aliases.map { $0.lowercased() } + [file].compactMap { $0.map(Self.name(ofFile:)) })
        return try await linkedEntries {
            // Only links with the name of the entry are resolved.
            $0.contains {
                names.contains(Self.name(of: $0)) || names.contains($0.lowercased())
            }
        } matching: {
            $0.destination == .entry(target.id)
        }
    }

    /// Returns the links that lead neither to an entry nor to a file.
    func brokenLinks() async throws -> [LinkedEntry] {
        try await linkedEntries { _ in
            true
        } matching: {
            $0.destination == .missing
        }
    }

    // MARK: Reading

    private func linkedEntries(
        where mayMatch: ([String]) -> Bool, matching condition: (EntryLink) -> Bool
    ) async throws -> [LinkedEntry] {
        var filter = EntryFilter()
        filter.conditions = [EntryCondition(.metadata(DocumentKey.links), .exists)]
        var found: [LinkedEntry] = []
        for try await page in snapshot.entryPages(matching: filter) {
            for entry in page.entries
            where mayMatch(entry.metadata[DocumentKey.links]?.comparableTexts ?? []) {
                try Task.checkCancellation()
                for link in try await links(of: entry) where condition(link) {
                    found.append(
                        LinkedEntry(id: entry.id, title: entry.title, path: entry.sourcePath, link: link))
                }
            }
        }
        return found.sorted { ($0.path ?? "", $0.link.link.target) < ($1.path ?? "", $1.link.link.target) }
    }

    /// Returns the links of an entry: those in its text if it is Markdown, or else those in its metadata,
    /// which contain neither the kind of a link nor its heading.
    private static func documentLinks(of entry: Entry) -> [DocumentLink] {
        let stored = entry.metadata[DocumentKey.links]?.comparableTexts ?? []
        let links = entry.structure?.links.filter { $0.metadataText != nil } ?? []
        return links.isEmpty || stored.isEmpty
            ? stored.map { DocumentLink(kind: .address, target: $0) } : links
    }

    private func destination(
        of link: DocumentLink, from file: LinkingFile
    ) async throws -> EntryLink.Destination {
        if let path = LinkingFile.path(ofFileURL: link) {
            let url = URL(fileURLWithPath: path)
            if let id = try await firstEntry(of: RecordReader.sourceID(url)) { return .entry(id) }
            return FileManager.default.fileExists(atPath: path) ? .file : .missing
        }
        if link.isExternal { return .external }
        if let id = try await entry(at: link, from: file) { return .entry(id) }
        return file.fileExists(for: link) ? .file : file.destination(ofMissing: link)
    }

    /// Returns the first entry of the file to which a link leads; `nil` if the store does not contain it.
    private func entry(at link: DocumentLink, from file: LinkingFile) async throws -> Entry.ID? {
        let source =
            resolver.resolve(link, from: file.path).map { sources[$0] } ?? rooted(link, from: file.path)
        guard let source else { return nil }
        return try await firstEntry(of: source)
    }

    /// Returns the first entry of a file; `nil` if the store does not contain it.
    private func firstEntry(of source: Source.ID) async throws -> Entry.ID? {
        guard known.contains(source) else { return nil }
        return try await snapshot.sources([source]).first?.entryIDs.first
    }

    /// Returns the source of a link whose path begins at the root of a vault, such as `/Index`, or of the
    /// file system. The root of the vault is the nearest folder above the note that contains the target,
    /// because a store can contain several vaults.
    private func rooted(_ link: DocumentLink, from path: String) -> Source.ID? {
        guard link.target.hasPrefix("/") else { return nil }
        let target = link.target.removingPercentEncoding ?? link.target
        var folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        while path.hasPrefix("/"), folder.path != "/" {
            for name in [target, target + ".md"] {
                let id = URL(fileURLWithPath: folder.path + name).absoluteString
                if known.contains(id) { return id }
            }
            folder = folder.deletingLastPathComponent()
        }
        let absolute = RecordReader.sourceID(URL(fileURLWithPath: target))
        return known.contains(absolute) ? absolute : nil
    }

    /// Returns the last component of the target of a link in lowercase letters, without the extension of a
    /// note, which links can omit.
    private static func name(of target: String) -> String {
        let text = target.removingPercentEncoding ?? target
        return name(ofFile: text.split(separator: "/").last.map(String.init) ?? text)
    }

    private static func name(ofFile file: String) -> String {
        let name = file.lowercased()
        let ending = LinkResolver.noteExtensions.first { name.hasSuffix($0) && name.count > $0.count }
        return String(name.dropLast(ending?.count ?? 0))
    }
}
