public import Foundation
public import RoostDocuments
import RoostFiles
import RoostModel

/// Reads files into drafts. A document becomes one entry, or several entries if its text is larger than 2 MB
/// or it contains several documents, such as the messages of a mailbox; a JSON Lines, CSV or TSV file becomes
/// one entry per row.
public struct RecordReader: Sendable {
    /// The readers of documents. A file that none of them supports is read as plain text if it contains text.
    public var readers = DocumentReaders.standard
    /// The column, or JSON key, that contains the text; `nil` for `text` or `content`.
    public var textColumn: String?
    /// The column, or JSON key, that contains the name of a row; `nil` for `id`.
    public var idColumn: String?
    /// Whether drafts contain the files themselves, so that the store keeps them byte for byte.
    public var keepsOriginals = false
    /// The maximum size of a file in bytes, which is read into memory as a whole. Files that are not text in
    /// UTF-8 have lower limits (`DocumentLimits`): 256 MB, and 64 MB if they are text in UTF-16.
    public var maximumFileSize = 1 << 30

    /// Creates a reader.
    public init(textColumn: String? = nil, idColumn: String? = nil) {
        self.textColumn = textColumn
        self.idColumn = idColumn
    }

    /// The extensions of the files whose rows become entries.
    public static let rowExtensions: Set<String> = ["jsonl", "ndjson", "csv", "tsv"]

    /// Reads a file. Rows that cannot be read are skipped, and listed in ``SourceDraft/skipped``.
    ///
    /// - Returns: A draft with the file's `file:` URL as its id.
    /// - Throws: ``RoostError`` with `.noInput`, or with `.badInput` if the file or all of its rows cannot be
    ///   read; `CancellationError`.
    @concurrent
    public func read(_ url: URL) async throws -> SourceDraft {
        try await read(url) { _ in nil }
    }

    /// Reads a file for an ingest into a store. A document that the store contains unchanged is not parsed.
    package func read(_ url: URL, for store: KnowledgeStore) async throws -> SourceDraft {
        try await read(url) { try await store.storage.snapshot().sources([$0]).first }
    }

    private func read(
        _ url: URL, stored: (Source.ID) async throws -> Source?
    ) async throws -> SourceDraft {
        let record = try await stored(Self.sourceID(url)).flatMap { $0.entryIDs.isEmpty ? nil : $0 }
        if Self.rowExtensions.contains(url.pathExtension.lowercased()) {
            return try await BlockingWork.run { _ in try rows(of: url, replacing: record) }
        }
        let file = try await BlockingWork.run { _ in
            try DocumentFile(url, readers: readers, maximumSize: maximumFileSize)
        }
        try Self.refuseEmpty(file.data, of: url, replacing: record)
        var draft = SourceDraft(
            id: Self.sourceID(url), fingerprint: file.fingerprint, entries: [],
            original: keepsOriginals ? file.data : nil)
        draft.isUnread = record?.isUnchanged(draft.fingerprint) ?? false
        if !draft.isUnread { try await file.read(into: &draft) }
        return draft
    }

    static let emptyReason = "it is empty; its former entries are kept"

    /// Refuses an empty file whose source has entries. Programs empty a file before they write it, and some fail
    /// in between: removing its entries would remove their tags and dates, too.
    private static func refuseEmpty(_ data: Data, of url: URL, replacing record: Source?) throws {
        // A reader can return a document for an empty file.
        guard let record, !record.fingerprint.hasPrefix(SourceDraft.fingerprint(of: data)),
            data.allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) })
        else { return }
        throw RoostError(.badInput, "cannot read \(url.path): \(emptyReason)")
    }

    private func rows(of url: URL, replacing record: Source?) throws -> SourceDraft {
        let data = try FileContents.read(url, maximumSize: maximumFileSize) { start in
            FileContents.isUTF16(start) ? DocumentLimits().maximumTextBytes : nil
        }
        try Self.refuseEmpty(data, of: url, replacing: record)
        return try rows(data, as: url.pathExtension.lowercased(), of: Self.sourceID(url), name: url.path)
    }

    /// Reads an export of another program with an importer, whose rows become entries. The id of the source consists of
    /// the importer and the path, so that a later export at the same path updates its entries.
    ///
    /// If the importer fails after it has written rows, these are in the draft, and an ingest removes no entry.
    ///
    /// - Parameter show: Receives the messages of the importer.
    /// - Throws: ``RoostError`` with `.noInput` if the export does not exist, or with `.badInput` if the importer writes
    ///   no valid row; `CancellationError`.
    @concurrent
    public func read(
        _ export: URL, with importer: ImporterProgram, show: @Sendable (_ messages: String) -> Void
    ) async throws -> SourceDraft {
        let failure = "cannot import \(export.path): the importer \(importer.name)"
        guard let path = FileSystem.resolvedPath(export.path) else {
            throw RoostError(.noInput, "cannot import \(export.path): it does not exist")
        }
        let output: ImporterProgram.Output
        do {
            output = try await importer.run(URL(fileURLWithPath: path))
        } catch let error as DocumentError {
            throw RoostError(.badInput, "\(failure) failed: \(error); its former entries are kept")
        }
        show(output.messages)
        let fault = output.status == 0 ? nil : "failed with exit status \(output.status)"
        guard !output.rows.isEmpty else {
            throw RoostError(.badInput, "\(failure) \(fault ?? "wrote no rows"); its former entries are kept")
        }
        var draft = try rows(
            output.rows, as: "jsonl", of: "import:\(importer.name):\(Self.sourceID(export))",
            name: "\(export.path), imported")
        if let fault {
            // A complete import with the same rows removes the entries that this one keeps.
            draft.fingerprint += ";incomplete"
            draft.skipped.append(
                .init(
                    source: export.path, reason: "the importer \(importer.name) \(fault); nothing is removed")
            )
        }
        return draft
    }

    private func rows(
        _ data: Data, as type: String, of id: Source.ID, name: String
    ) throws -> SourceDraft {
        let rowReader = RowReader(textColumn: textColumn, idColumn: idColumn, name: name)
        let rows: RowReader.Rows
        var encodingName: String?
        if ["csv", "tsv"].contains(type) {
            let text = try Self.readingUTF8(data, &encodingName) { try Self.text($0, name: name) }
            let separator = type == "tsv" ? "\t" : DelimitedRows.separator(of: text)
            rows = try rowReader.table(text, separator: separator)
        } else {
            rows = try rowReader.jsonLines(Self.jsonText(data, name: name))
        }
        let fingerprint =
            SourceDraft.fingerprint(of: data)
            + (textColumn.map { ";text=\($0)" } ?? "") + (idColumn.map { ";id=\($0)" } ?? "")
        var draft = SourceDraft(
            id: id, fingerprint: fingerprint, entries: rows.entries, original: keepsOriginals ? data : nil)
        draft.skipped = rows.skipped
        draft.notices = rows.notices
        if let notice = TextDecoder.notice(about: encodingName) {
            draft.notices.append(.init(kind: .encoding, source: name, reason: notice))
        }
        return draft
    }

    /// Reads a file, or its text in UTF-8 if it is in an older encoding. The file is decoded only if it cannot be
    /// read as UTF-8.
    static func readingUTF8<Result>(
        _ data: Data, _ encodingName: inout String?, _ read: (Data) throws -> Result
    ) throws -> Result {
        do {
            return try read(data)
        } catch {
            guard let decoded = TextDecoder.decode(data), decoded.encodingName != nil else { throw error }
            encodingName = decoded.encodingName
            return try read(Data(decoded.text.utf8))
        }
    }

    /// Returns the text of JSON Lines: UTF-8, or UTF-16 with a byte order mark. JSON has no other encodings, so a
    /// line that is not UTF-8 becomes one that is not JSON, and does not keep the others from being read.
    private static func jsonText(_ data: Data, name: String) throws -> String {
        if FileContents.isUTF16(data), let decoded = TextDecoder.decode(data) { return decoded.text }
        do {
            return try text(data, name: name)
        } catch {
            let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let texts = lines.map { String(validating: $0, as: UTF8.self) }
            guard !data.contains(0), texts.contains(where: { $0 != nil }) else { throw error }
            return texts.map { $0 ?? "\u{FFFD}" }.joined(separator: "\n")
        }
    }

    /// Returns the id of a file's source: its path as a `file:` URL, with symbolic links resolved.
    ///
    /// The id of a file that no longer exists equals its former id, provided that a parent folder exists.
    public static func sourceID(_ url: URL) -> String {
        URL(fileURLWithPath: resolvedPath(url)).absoluteString
    }

    /// Returns the path of a file with symbolic links resolved. Those above a missing file are the links in the path of
    /// the nearest folder that exists.
    static func resolvedPath(_ url: URL) -> String {
        if let resolved = FileSystem.resolvedPath(url.path) { return resolved }
        let path = url.standardizedFileURL.path
        var folder = path[...]
        var resolved: String?
        while resolved == nil, let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) {
            folder = folder[..<slash]
            // The system cannot resolve longer paths, and the path of a link in a text can have any length.
            guard folder.utf8.count < Int(PATH_MAX) else { continue }
            resolved = folder.isEmpty ? "" : FileSystem.resolvedPath(String(folder))
        }
        // A link can lead to the root, whose path already ends with the slash.
        return (resolved == "/" ? "" : resolved ?? "") + path[folder.endIndex...]
    }

    /// Returns the prefix with which the source ids of all files below a folder begin.
    package static func folderID(_ url: URL) -> String {
        let id = sourceID(url)
        return id.hasSuffix("/") ? id : id + "/"
    }

    /// Returns one draft per line that is not blank.
    public static func lines(_ text: String) -> [EntryDraft] {
        var drafts: [EntryDraft] = []
        text.enumerateLines { line, _ in
            if !line.allSatisfy(\.isWhitespace) { drafts.append(EntryDraft(content: line)) }
        }
        return drafts
    }

    package func load(_ url: URL) throws -> Data {
        try FileContents.read(url, maximumSize: maximumFileSize) { _ in nil }
    }

    static func invalidText(_ bytes: UnsafeRawBufferPointer, from line: Int, _ name: String) -> RoostError {
        var (rest, line) = (bytes[...], line)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")),
            String(validating: rest[..<end], as: UTF8.self) != nil
        { (rest, line) = (rest[(end + 1)...], line + 1) }
        let fault = "line \(line) is not valid UTF-8; convert the file first, for example with iconv"
        return RoostError(.badInput, "cannot read \(name): \(fault)")
    }

    /// Decodes UTF-8 text and removes a byte order mark.
    ///
    /// - Parameter name: The name of the input, for messages.
    /// - Throws: ``RoostError`` with `.badInput` for binary data and for other encodings.
    public static func text(_ data: Data, name: String) throws -> String {
        guard !data.prefix(FileContents.binaryTestLength).contains(0) else {
            throw RoostError(.badInput, "cannot read \(name): it is a binary file")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw data.withUnsafeBytes { invalidText($0, from: 1, name) }
        }
        return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }
}
