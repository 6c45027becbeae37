public import Foundation
import RoostDocuments
public import RoostModel

/// The links between the entries of a snapshot (``KnowledgeStore/links``).
///
/// Links to notes are resolved as Obsidian does: by the name of the file, by its path, or by an alias.
public struct LinkGraph: Sendable {
    private let snapshot: any StorageSnapshot
    private let resolver: LinkResolver
    /// The sources that links can lead to, in the order of the resolver's notes.
    private let sources: [Source.ID]
    private let known: Set<Source.ID>

    /// Reads the names of all files.
    ///
    /// - Throws: `StorageError`.
    /// - Complexity: O(number of sources).
    @concurrent
    public init(_ snapshot: any StorageSnapshot) async throws {
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

    /// Returns the links in the text of an entry, in order.
    ///
    /// - Throws: ``RoostError`` with `.notFound` if the snapshot does not contain the entry; `StorageError`.
    @concurrent
    public func of(_ id: Entry.ID) async throws -> [EntryLink] { try await links(of: entry(id)) }

    private func entry(_ id: Entry.ID) async throws -> Entry {
        guard let entry = try await snapshot.entries([id]).first else {
            throw RoostError(.notFound, "cannot read the links of entry \(id.text): it was not found")
        }
        return entry
    }

    private func links(of entry: Entry) async throws -> [EntryLink] {
        let file = LinkingFile(of: entry)
        let links = Self.documentLinks(of: entry)
        let targets = links.map { source(of: $0, from: file) }
        var firstEntries: [Source.ID: Entry.ID] = [:]
        for source in try await snapshot.sources(Array(Set(targets.compactMap(\.self)))) {
            firstEntries[source.id] = source.entryIDs.first
        }
        return zip(links, targets).map { link, target in
            let entry = target.flatMap { firstEntries[$0] }
            return EntryLink(
                link: link, destination: entry.map { .entry($0) } ?? file.destination(withoutEntry: link))
        }
    }

    /// Returns the links to an entry, in the order of the paths of the entries that contain them.
    ///
    /// - Throws: ``RoostError`` with `.notFound` if the snapshot does not contain the entry; `StorageError`.
    @concurrent
    public func to(_ id: Entry.ID) async throws -> [LinkedEntry] {
        // A link to a file leads to its first entry.
        guard let source = try await entry(id).source,
            try await snapshot.sources([source]).first?.entryIDs.first == id
        else { return [] }
        return try await linkedEntries { entry in
            let file = LinkingFile(of: entry)
            return Self.documentLinks(of: entry).filter { self.source(of: $0, from: file) == source }
                .map { EntryLink(link: $0, destination: .entry(id)) }
        }
    }

    /// Returns the links that lead neither to an entry of the store nor to a file, in the order of the paths
    /// of the entries that contain them. Web pages are not requested.
    ///
    /// - Throws: `StorageError`; `CancellationError`.
    @concurrent
    public func broken() async throws -> [LinkedEntry] {
        try await linkedEntries { try await links(of: $0).filter { $0.destination == .missing } }
    }

    // MARK: Reading

    private func linkedEntries(_ links: (Entry) async throws -> [EntryLink]) async throws -> [LinkedEntry] {
        var filter = EntryFilter()
        filter.conditions = [EntryCondition(.metadata(DocumentKey.links), .exists)]
        var found: [LinkedEntry] = []
        for try await page in snapshot.entryPages(matching: filter) {
            for entry in page.entries {
                try Task.checkCancellation()
                found += try await links(entry).map {
                    LinkedEntry(id: entry.id, title: entry.title, path: entry.sourcePath, link: $0)
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

    /// Returns the source to which a link leads; `nil` if the store does not contain it.
    private func source(of link: DocumentLink, from file: LinkingFile) -> Source.ID? {
        if let path = LinkingFile.path(ofFileURL: link) {
            let source = RecordReader.sourceID(URL(fileURLWithPath: path))
            return known.contains(source) ? source : nil
        }
        guard !link.isExternal else { return nil }
        return resolver.resolve(link, from: file.path).map { sources[$0] } ?? rooted(link, from: file.path)
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
}

/// A link in the text of an entry.
public struct EntryLink: Sendable, Hashable {
    /// The kind of the target of a link.
    public enum Destination: Sendable, Hashable {
        /// An entry of the store.
        case entry(Entry.ID)
        /// A web page, a mail address, or another address outside of the files of the store.
        case external
        /// A file that the store does not contain, such as an image.
        case file
        /// Neither an entry nor a file: the link is broken.
        case missing
    }

    /// The link as the text contains it.
    public var link: DocumentLink
    /// The target of the link.
    public var destination: Destination
}

/// A link together with the entry that contains it.
public struct LinkedEntry: Sendable, Hashable {
    /// The id of the entry that contains the link.
    public var id: Entry.ID
    /// The title of the entry; `nil` if it has none.
    public var title: String?
    /// The path of the entry's file; `nil` if it did not come from a file.
    public var path: String?
    /// The link.
    public var link: EntryLink
}

/// The file of an entry that contains links. Those of web pages and books are never broken: they are relative to
/// an address or a part of the book that is unknown.
struct LinkingFile {
    /// The path of the file; empty if the entry did not come from one.
    let path: String
    private let isPage: Bool

    init(of entry: Entry) {
        path = entry.sourcePath ?? ""
        let fileExtension = URL(fileURLWithPath: path).pathExtension.lowercased()
        isPage = fileExtension == "epub" || HTMLReader.type.extensions.contains(fileExtension)
    }

    /// Returns the path that a `file:` URL names on this computer; `nil` for other links.
    static func path(ofFileURL link: DocumentLink) -> String? {
        guard link.kind != .wiki, link.target.lowercased().hasPrefix("file://"),
            let url = URL(string: link.target), ["", "localhost"].contains(url.host()?.lowercased() ?? "")
        else { return nil }
        return url.path
    }

    /// Returns the destination of a link that leads to no entry.
    func destination(withoutEntry link: DocumentLink) -> EntryLink.Destination {
        if let path = Self.path(ofFileURL: link) {
            return FileManager.default.fileExists(atPath: path) ? .file : .missing
        }
        if link.isExternal { return .external }
        if fileExists(for: link) { return .file }
        guard !isPage else { return .external }
        // A vault has folders for attachments, which the names in its links do not contain.
        return link.kind == .wiki && link.namesAttachment ? .file : .missing
    }

    private func fileExists(for link: DocumentLink) -> Bool {
        var target = link.target.removingPercentEncoding ?? link.target
        guard !target.isEmpty else { return true }
        if !target.hasPrefix("/") {
            // An entry without a file has no folder.
            guard !path.isEmpty else { return false }
            target = URL(fileURLWithPath: path).deletingLastPathComponent().path + "/" + target
        }
        return FileManager.default.fileExists(atPath: target)
    }
}
