public import Foundation
import RoostModel

/// Reads files into drafts. A Markdown or text file becomes one entry; a JSON Lines, CSV or TSV file becomes
/// one entry per row.
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

    /// The length of a file's beginning that is searched for a zero byte, which text files do not contain.
    /// Git uses the same test and length.
    private static let binaryTestLength = 8192

    /// The maximum number of column names in a message.
    private static let maximumListedColumns = 20

    /// Reads a file.
    ///
    /// - Returns: A draft with the file's `file:` URL as its id.
    /// - Throws: ``RoostError`` with `.noInput`, or with `.badInput` and a message that names the line or
    ///   row.
    public func read(_ url: URL) throws -> SourceDraft {
        let data = try load(url)
        let fingerprint =
            SourceDraft.fingerprint(of: data)
            + (textColumn.map { ";text=\($0)" } ?? "") + (idColumn.map { ";id=\($0)" } ?? "")
        let text = try Self.text(data, name: url.path)
        let entries: [EntryDraft]
        switch url.pathExtension.lowercased() {
        case "jsonl", "ndjson": entries = try jsonLines(text, name: url.path)
        case "csv": entries = try table(text, separator: ",", name: url.path)
        case "tsv": entries = try table(text, separator: "\t", name: url.path)
        default: entries = [EntryDraft(key: EntryID.wholeFileKey, content: text)]
        }
        return SourceDraft(
            id: Self.sourceID(url), fingerprint: fingerprint, entries: entries,
            original: keepsOriginals ? data : nil)
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
            return try Data(contentsOf: url)
        } catch {
            throw RoostError(.noInput, "cannot read \(url.path): permission denied or an I/O error")
        }
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
        guard let text = String(validating: data, as: UTF8.self) else {
            throw RoostError(
                .badInput,
                "cannot read \(name): it is not valid UTF-8; convert it first, for example with iconv")
        }
        return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }

    // MARK: JSON Lines

    /// Reads JSON Lines: each line is an object with the key `text` or `content`, and optionally `id` and
    /// `tags`. All other keys become metadata.
    ///
    /// - Parameters:
    ///   - text: The contents of the input.
    ///   - name: The name of the input, for messages.
    /// - Throws: ``RoostError`` with `.badInput`.
    public func jsonLines(_ text: String, name: String) throws -> [EntryDraft] {
        var drafts: [EntryDraft] = []
        let decoder = JSONDecoder()
        // Split by bytes: a carriage return and a line feed together form one `Character`.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !Substring(line).allSatisfy(\.isWhitespace) {
            let number = index + 1
            var object: [String: MetadataValue]
            do {
                object = try decoder.decode([String: MetadataValue].self, from: Data(line))
            } catch {
                throw Self.invalid(
                    name, "line \(number)", "is not a valid JSON object (\(Self.reason(error)))")
            }
            let key = textColumn ?? (object["text"] != nil ? "text" : "content")
            guard case .string(let content)? = object.removeValue(forKey: key) else {
                let keys = textColumn.map { "'\($0)'" } ?? "\"text\" or \"content\""
                throw Self.invalid(name, "line \(number)", "has no string for the key \(keys)")
            }
            let id = Self.rowName(object.removeValue(forKey: idColumn ?? "id"))
            var tags: [String] = []
            if case .array(let values)? = object["tags"], values.allSatisfy({ $0.string != nil }) {
                tags = values.compactMap(\.string)
                object["tags"] = nil
            }
            drafts.append(
                EntryDraft(
                    key: id.map { "id:\($0)" }, content: content, metadata: object, tags: tags,
                    location: "line \(number)", line: number))
        }
        return drafts
    }

    private static func invalid(_ name: String, _ location: String, _ fault: String) -> RoostError {
        RoostError(.badInput, "\(name), \(location) \(fault); nothing in the file was ingested")
    }

    /// Returns a value as the name of a row; `nil` for null, an empty text, an array or an object.
    private static func rowName(_ value: MetadataValue?) -> String? {
        guard let value, value != .null, let text = value.text, !text.isEmpty else { return nil }
        return text
    }

    private static func reason(_ error: any Error) -> String {
        guard case .dataCorrupted(let context)? = error as? DecodingError else { return "not an object" }
        let detail = (context.underlyingError as? NSError)?.userInfo[NSDebugDescriptionErrorKey] as? String
        return detail ?? context.debugDescription
    }

    // MARK: Tables

    private func table(_ text: String, separator: Character, name: String) throws -> [EntryDraft] {
        var rows = try DelimitedText(separator: separator).rows(of: text, name: name)[...]
        guard let header = rows.popFirst() else { return [] }
        let textIndex = try textColumnIndex(in: header.fields, name: name)
        let idIndex =
            try idColumn.map { try Self.index(of: $0, in: header.fields, name: name) }
            ?? header.fields.firstIndex(of: "id")
        return try rows.map { row in
            guard row.fields.count == header.fields.count else {
                throw Self.invalid(
                    name, "row \(row.number)",
                    "has \(row.fields.count) fields, but the header has \(header.fields.count)")
            }
            var metadata: [String: MetadataValue] = [:]
            for (index, field) in row.fields.enumerated() where index != textIndex && index != idIndex {
                metadata[header.fields[index]] = .string(field)
            }
            return EntryDraft(
                key: idIndex.flatMap { row.fields[$0].isEmpty ? nil : "id:\(row.fields[$0])" },
                content: row.fields[textIndex], metadata: metadata, location: "row \(row.number)",
                line: row.line)
        }
    }

    private func textColumnIndex(in header: [String], name: String) throws -> Int {
        if let textColumn { return try Self.index(of: textColumn, in: header, name: name) }
        let candidates = ["text", "content"].lazy.compactMap { header.firstIndex(of: $0) }
        guard let index = candidates.first else {
            throw RoostError(
                .badInput,
                "cannot read \(name): it has no column 'text' or 'content' (its columns are "
                    + "\(Self.list(header)))",
                remedy: .nameTextColumn)
        }
        return index
    }

    private static func index(of column: String, in header: [String], name: String) throws -> Int {
        guard let index = header.firstIndex(of: column) else {
            throw RoostError(
                .badInput,
                "cannot read \(name): it has no column '\(column)' (its columns are \(list(header)))")
        }
        return index
    }

    private static func list(_ columns: [String]) -> String {
        columns.prefix(maximumListedColumns).joined(separator: ", ")
    }
}
