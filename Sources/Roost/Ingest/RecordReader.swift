public import Foundation
import RoostModel

/// Turns files into drafts: Markdown and text as one entry a file, JSON Lines, CSV and TSV as one a row.
public struct RecordReader: Sendable {
    /// The column of a table that holds the text; `text` or `content` where it is not given.
    public var textColumn: String?
    /// The column of a table that names a row.
    public var idColumn: String?
    /// Whether drafts have their files with them, to be kept byte for byte.
    public var keepsOriginals = false
    /// The largest file that is read, in bytes.
    public var maximumFileSize = 1 << 30

    public init(textColumn: String? = nil, idColumn: String? = nil) {
        self.textColumn = textColumn
        self.idColumn = idColumn
    }

    /// Names of files that are read where a folder is given.
    public static let extensions: Set<String> = [
        "md", "markdown", "txt", "text", "rst", "org", "adoc", "jsonl", "ndjson", "csv", "tsv",
    ]

    /// Reads a file.
    ///
    /// - Returns: a draft with the file's `file:` URL as its id.
    /// - Throws: ``RoostError``: `.noInput`, `.badInput` with the file and what is wrong, by line or row.
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

    /// The id of a file: its standardised real path as a URL.
    public static func sourceID(_ url: URL) -> String {
        let resolved = realpath(url.path, nil).map { pointer in
            defer { free(pointer) }
            return String(cString: pointer)
        }
        if let resolved { return URL(fileURLWithPath: resolved).absoluteString }
        // What is gone had its id by the real path of the folder that it was in.
        let url = url.standardizedFileURL
        let folder = url.deletingLastPathComponent()
        guard folder.path != url.path else { return url.absoluteString }
        let base = sourceID(folder)
        return URL(fileURLWithPath: URL(string: base)?.path ?? folder.path)
            .appendingPathComponent(url.lastPathComponent, isDirectory: false).absoluteString
    }

    /// One text a line.
    public static func lines(_ text: String) -> [EntryDraft] {
        var drafts: [EntryDraft] = []
        text.enumerateLines { line, _ in
            if !line.allSatisfy(\.isWhitespace) { drafts.append(EntryDraft(content: line)) }
        }
        return drafts
    }

    func load(_ url: URL) throws -> Data {
        var status = stat()
        guard stat(url.path, &status) == 0 else {
            throw RoostError(.noInput, "\(url.path): \(String(cString: strerror(errno)))")
        }
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFDIR else { throw RoostError(.badInput, "\(url.path) is a folder") }
        guard kind == S_IFREG else { throw RoostError(.badInput, "\(url.path) is not a regular file") }
        guard Int(status.st_size) <= maximumFileSize else {
            throw RoostError(.badInput, "\(url.path) is larger than \(maximumFileSize >> 20) MB")
        }
        do {
            return try Data(contentsOf: url)
        } catch {
            throw RoostError(.noInput, "\(url.path) cannot be read: permission denied or an I/O error")
        }
    }

    /// Bytes as text, without a byte order mark.
    ///
    /// - Throws: ``RoostError`` with `.badInput` for binary data and for what is not UTF-8.
    public static func text(_ data: Data, name: String) throws -> String {
        guard !data.prefix(8192).contains(0) else { throw RoostError(.badInput, "\(name) is a binary file") }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw RoostError(
                .badInput, "\(name) is not valid UTF-8; convert it first, for example with iconv")
        }
        return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    }

    // MARK: JSON Lines

    /// One object a line: `text` or `content`, optionally `id`, everything else metadata.
    public func jsonLines(_ text: String, name: String) throws -> [EntryDraft] {
        var drafts: [EntryDraft] = []
        let decoder = JSONDecoder()
        // By bytes: to Swift a carriage return and the line feed after it are one character.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let number = index + 1
            guard !Substring(line).allSatisfy(\.isWhitespace) else { continue }
            var object: [String: MetadataValue]
            do {
                object = try decoder.decode([String: MetadataValue].self, from: Data(line))
            } catch {
                throw RoostError(
                    .badInput,
                    "\(name), line \(number): not a JSON object that can be read (\(Self.reason(error))); "
                        + "nothing of the file was taken in")
            }
            let key = textColumn ?? (object["text"] != nil ? "text" : "content")
            guard case .string(let content)? = object.removeValue(forKey: key) else {
                throw RoostError(
                    .badInput,
                    "\(name), line \(number): no "
                        + "\(textColumn.map { "'\($0)'" } ?? "\"text\" or \"content\"") "
                        + "with a string; nothing of the file was taken in")
            }
            let id = Self.name(object.removeValue(forKey: idColumn ?? "id"))
            var tags: [String] = []
            if case .array(let values)? = object["tags"], values.allSatisfy({ $0.string != nil }) {
                tags = values.compactMap(\.string)
                object["tags"] = nil
            }
            drafts.append(
                EntryDraft(
                    key: id.map { "id:\($0)" }, content: content, metadata: object, tags: tags,
                    place: "line \(number)", line: number))
        }
        return drafts
    }

    /// A row's own name; a value that names nothing is none.
    private static func name(_ value: MetadataValue?) -> String? {
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
        func column(_ wanted: String) throws -> Int {
            guard let index = header.fields.firstIndex(of: wanted) else {
                throw RoostError(
                    .badInput,
                    "\(name) has no column '\(wanted)'; it has "
                        + "\(header.fields.prefix(20).joined(separator: ", "))"
                )
            }
            return index
        }
        let textIndex: Int
        if let textColumn {
            textIndex = try column(textColumn)
        } else if let found = ["text", "content"].lazy.compactMap({ header.fields.firstIndex(of: $0) }).first
        {
            textIndex = found
        } else {
            throw RoostError(
                .badInput,
                "\(name) has no column 'text' or 'content'; name the one to take with --text-column "
                    + "(it has \(header.fields.prefix(20).joined(separator: ", ")))")
        }
        let idIndex = try idColumn.map(column) ?? header.fields.firstIndex(of: "id")
        return try rows.map { row in
            guard row.fields.count == header.fields.count else {
                throw RoostError(
                    .badInput,
                    "\(name), row \(row.number): \(row.fields.count) fields where the header has "
                        + "\(header.fields.count); nothing of the file was taken in")
            }
            var metadata: [String: MetadataValue] = [:]
            for (index, field) in row.fields.enumerated() where index != textIndex && index != idIndex {
                metadata[header.fields[index]] = .string(field)
            }
            return EntryDraft(
                key: idIndex.flatMap { row.fields[$0].isEmpty ? nil : "id:\(row.fields[$0])" },
                content: row.fields[textIndex], metadata: metadata, place: "row \(row.number)",
                line: row.line)
        }
    }
}

/// Comma-separated values (RFC 4180) and their relatives: quoted fields may hold separators, quotes
/// (doubled) and line ends.
struct DelimitedText {
    struct Row {
        /// From 1, the header being row 1.
        var number: Int
        /// The file's line, from 1, that it begins on.
        var line: Int
        var fields: [String]
    }

    let separator: Character

    /// - Throws: ``RoostError`` with `.badInput` where a quoted field never ends.
    func rows(of text: String, name: String) throws -> [Row] {
        let bytes = Array(text.utf8)
        let (quote, newline, carriage) = (UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        let comma = separator.asciiValue ?? UInt8(ascii: ",")
        var rows: [Row] = []
        var fields: [String] = []
        var field: [UInt8] = []
        var (place, isQuoted) = (0, false)
        var (line, firstLine) = (1, 1)
        func finish() {
            fields.append(String(decoding: field, as: UTF8.self))
            field.removeAll(keepingCapacity: true)
        }
        func finishRow() {
            finish()
            if fields != [""] { rows.append(Row(number: rows.count + 1, line: firstLine, fields: fields)) }
            fields = []
            firstLine = line
        }
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            if byte == newline || (byte == carriage && (place == bytes.count || bytes[place] != newline)) {
                line += 1
            }
            if isQuoted {
                if byte != quote {
                    field.append(byte)
                } else if place < bytes.count, bytes[place] == quote {
                    field.append(quote)
                    place += 1
                } else {
                    isQuoted = false
                }
            } else if byte == quote, field.isEmpty {
                isQuoted = true
            } else if byte == comma {
                finish()
            } else if byte == newline || byte == carriage {
                if byte == carriage, place < bytes.count, bytes[place] == newline {
                    place += 1
                    line += 1
                }
                finishRow()
            } else {
                field.append(byte)
            }
        }
        guard !isQuoted else {
            throw RoostError(.badInput, "\(name), row \(rows.count + 1): a quoted field that never ends")
        }
        if !field.isEmpty || !fields.isEmpty { finishRow() }
        return rows
    }
}
