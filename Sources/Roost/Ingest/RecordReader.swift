public import Foundation
import RoostFiles
import RoostModel

/// Reads files into drafts. A Markdown or text file becomes one entry, or several entries if it is larger
/// than 2 MB; a JSON Lines, CSV or TSV file becomes one entry per row.
public struct RecordReader: Sendable {
    /// The column, or JSON key, that contains the text; `nil` for `text` or `content`.
    public var textColumn: String?
    /// The column, or JSON key, that contains the name of a row; `nil` for `id`.
    public var idColumn: String?
    /// Whether drafts contain the files themselves, so that the store keeps them byte for byte.
    public var keepsOriginals = false
    /// The maximum size of a file in bytes. Each file is read into memory as a whole, and a single source of
    /// more than 1 GB of text is implausible.
    public var maximumFileSize = 1 << 30

    /// Creates a reader.
    public init(textColumn: String? = nil, idColumn: String? = nil) {
        self.textColumn = textColumn
        self.idColumn = idColumn
    }

    /// The extensions of the files that are read when a folder is ingested.
    public static let extensions: Set<String> = [
        "md", "markdown", "txt", "text", "rst", "org", "adoc", "jsonl", "ndjson", "csv", "tsv",
    ]

    /// The extensions of the files whose rows become entries.
    private static let rowExtensions: Set<String> = ["jsonl", "ndjson", "csv", "tsv"]

    /// The length of a file's beginning that is searched for a zero byte, which text files do not contain.
    /// Git uses the same test and length.
    private static let binaryTestLength = 8192

    /// Reads a file. Rows that cannot be read are skipped, and listed in ``SourceDraft/skipped``.
    ///
    /// - Returns: A draft with the file's `file:` URL as its id.
    /// - Throws: ``RoostError`` with `.noInput`, or with `.badInput` if the file or all of its rows cannot be
    ///   read.
    public func read(_ url: URL) throws -> SourceDraft {
        let data = try load(url)
        var fingerprint =
            SourceDraft.fingerprint(of: data)
            + (textColumn.map { ";text=\($0)" } ?? "") + (idColumn.map { ";id=\($0)" } ?? "")
        let rowReader = RowReader(textColumn: textColumn, idColumn: idColumn, name: url.path)
        let rows: RowReader.Rows
        func text() throws -> String { try Self.text(data, name: url.path) }
        switch url.pathExtension.lowercased() {
        case "jsonl", "ndjson": rows = try rowReader.jsonLines(try text())
        case "csv": rows = try rowReader.table(try text(), separator: ",")
        case "tsv": rows = try rowReader.table(try text(), separator: "\t")
        case _ where data.count > TextParts.maximumEntrySize:
            rows = RowReader.Rows(entries: try TextParts.drafts(of: data, name: url.path))
        default:
            rows = RowReader.Rows(entries: [
                EntryDraft(
                    key: EntryID.wholeFileKey, content: try text(), sourceLocation: EntryLocation(line: 1))
            ])
        }
        // Earlier versions did not record the lines of rows. Because their fingerprints differ, the next
        // ingest records the lines even if the file has not changed.
        if Self.rowExtensions.contains(url.pathExtension.lowercased()) { fingerprint += ";lines" }
        // The suffix distinguishes the file from one that was read completely, so a later version of Roost
        // that can read the skipped rows ingests them.
        if !rows.skipped.isEmpty { fingerprint += ";partial" }
        var draft = SourceDraft(
            id: Self.sourceID(url), fingerprint: fingerprint, entries: rows.entries,
            original: keepsOriginals ? data : nil)
        draft.skipped = rows.skipped
        return draft
    }

    /// Returns the id of a file's source: its path as a `file:` URL, with symbolic links resolved.
    ///
    /// The id of a file that no longer exists equals its former id, provided that a parent folder exists.
    public static func sourceID(_ url: URL) -> String {
        let resolved = realpath(url.path, nil).map { pointer in
            defer { free(pointer) }
            return String(cString: pointer)
        }
        if let resolved { return URL(fileURLWithPath: resolved).absoluteString }
        let url = url.standardizedFileURL
        let folder = url.deletingLastPathComponent()
        guard folder.path != url.path else { return url.absoluteString }
        let base = sourceID(folder)
        return URL(fileURLWithPath: URL(string: base)?.path ?? folder.path)
            .appendingPathComponent(url.lastPathComponent, isDirectory: false).absoluteString
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
        var status = stat()
        guard stat(url.path, &status) == 0 else {
            throw RoostError(.noInput, "cannot read \(url.path): \(String(cString: strerror(errno)))")
        }
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR else { throw RoostError(.badInput, "cannot read \(url.path): it is a folder") }
        guard kind == S_IFREG else {
            throw RoostError(.badInput, "cannot read \(url.path): it is not a regular file")
        }
        guard Int(status.st_size) <= maximumFileSize else {
            throw RoostError(
                .badInput, "cannot read \(url.path): it is larger than \(maximumFileSize >> 20) MB")
        }
        do {
            return try Self.textData(url)
        } catch let error as RoostError {
            throw error
        } catch {
            throw RoostError(.noInput, "cannot read \(url.path): permission denied or an I/O error")
        }
    }

    /// The maximum number of bytes that are reserved before anything has been read.
    private static let largestReservation = 256 << 20
    /// The number of bytes that are read at a time.
    private static let blockSize = 1 << 20
    /// The length of a run of zero bytes, at a multiple of this length, that marks a file as binary. Sparse
    /// files, such as disk images, consist mostly of such runs.
    private static let pageSize = 4096

    /// Returns the contents of a file. A binary file is recognized before the rest of it is read.
    private static func textData(_ url: URL) throws -> Data {
        let file = try FileDescriptor(url.path, O_RDONLY | O_NONBLOCK)
        var data = Data()
        data.reserveCapacity(min(try file.size(), largestReservation))
        while true {
            let isFirst = data.isEmpty
            let block = try file.read(at: data.count, count: isFirst ? binaryTestLength : blockSize)
            if block.isEmpty { return data }
            let isBinary = isFirst ? block.contains(0) : containsZeroPage(block)
            guard !isBinary else {
                throw RoostError(.badInput, "cannot read \(url.path): it is a binary file")
            }
            data += block
        }
    }

    private static func containsZeroPage(_ block: some ContiguousBytes) -> Bool {
        block.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count - pageSize + 1, by: pageSize).contains { start in
                bytes[start] == 0 && bytes[start..<start + pageSize].allSatisfy { $0 == 0 }
            }
        }
    }

    /// Returns the error for a text that is not UTF-8.
    static func invalidEncoding(_ name: String) -> RoostError {
        RoostError(
            .badInput,
            "cannot read \(name): it is not valid UTF-8; convert it first, for example with iconv")
    }

    /// Decodes UTF-8 text and removes a byte order mark.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - name: The name of the input, for messages.
    /// - Throws: ``RoostError`` with `.badInput` for binary data and for other encodings.
    public static func text(_ data: Data, name: String) throws -> String {
        guard !data.prefix(binaryTestLength).contains(0) else {
            throw RoostError(.badInput, "cannot read \(name): it is a binary file")
        }
        guard let text = String(validating: data, as: UTF8.self) else { throw invalidEncoding(name) }
        return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }
}
