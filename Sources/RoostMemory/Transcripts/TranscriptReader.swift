public import Foundation
import Roost
import RoostModel

/// Reads conversations from files: Claude Code transcripts, exports from ChatGPT and Claude.ai, and JSON
/// Lines files of messages.
///
/// A record that cannot be read is reported with its location and skipped.
public struct TranscriptReader: Sendable {
    /// The maximum size of a file in bytes. It is limited because the whole file is read into memory.
    public var maximumFileSize = 1 << 30

    /// The parsers for the records of JSON Lines files, most specific first. The last one is the default.
    private static let recordParsers: [any TranscriptParser.Type] = [
        ClaudeCodeTranscript.self, JSONLinesTranscript.self,
    ]
    /// The parsers for exported conversations. The last one is the default.
    private static let exportParsers: [any TranscriptParser.Type] = [ChatGPTExport.self, ClaudeExport.self]

    /// The number of bytes at the beginning of a file that are searched for a zero byte. Text files contain
    /// none, so a zero byte identifies a binary file.
    private static let binaryProbeSize = 8192

    /// Creates a reader.
    public init() {}

    /// Reads a file.
    ///
    /// - Throws: `RoostError` with `.noInput` if the file cannot be read, `.badInput` if it is not in a
    ///   supported format.
    public func read(_ url: URL) throws -> TranscriptFile {
        var reader = RecordReader()
        reader.maximumFileSize = maximumFileSize
        return try read(try reader.load(url), name: url.path)
    }

    /// Reads the contents of a file.
    ///
    /// - Parameters:
    ///   - data: The contents.
    ///   - name: The name of the file for error messages.
    /// - Throws: `RoostError` with `.badInput` if the contents are not in a supported format.
    public func read(_ data: Data, name: String) throws -> TranscriptFile {
        guard !data.prefix(Self.binaryProbeSize).contains(0) else {
            throw RoostError(.badInput, "cannot read \(name): it is a binary file")
        }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = data.starts(with: byteOrderMark) ? Data(data.dropFirst(byteOrderMark.count)) : data
        guard let start = text.first(where: { !$0.isJSONSpace }) else {
            throw RoostError(.badInput, "cannot read \(name): the file is empty")
        }
        // An export is a single JSON document, which may span several lines.
        if start == UInt8(ascii: "[") {
            if let file = try Self.readDocument(text, name) { return file }
            // The first line of JSON Lines can be damaged, or from another program.
            if let file = try? Self.readRecords(Self.lines(of: text), name) { return file }
            let fault =
                JSONFault.notANumber(in: text) ?? "the syntax of its JSON is invalid, or it is truncated"
            throw RoostError(.badInput, "cannot read \(name): \(fault); nothing was imported")
        }

        let lines = Self.lines(of: text)
        let line = lines.first.flatMap { JSONValue($0.data) }
        if let object = line ?? (lines.count > 1 ? JSONValue(text) : nil) {
            if object["mapping"] != nil || object["chat_messages"] != nil {
                return try Self.readExport(Elements([object]), name)
            }
            // In JSON Lines, the other lines would be lost.
            let isDocument = lines.count == 1 || line == nil
            if isDocument, object["role"] == nil,
                case .array(let elements)? = object.first("messages", "conversations")
            {
                return try Self.readArray(Elements(elements), name)
            }
        }
        return try Self.readRecords(lines, name)
    }

    private struct Line {
        /// The line number, starting at 1.
        var number: Int
        var data: Data
    }

    /// Returns the lines that are not blank. The data is split before it is decoded, so invalid UTF-8 affects
    /// only the line that contains it.
    private static func lines(of data: Data) -> [Line] {
        data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated().compactMap {
            $0.element.allSatisfy(\.isJSONSpace)
                ? nil : Line(number: $0.offset + 1, data: Data($0.element))
        }
    }

    /// The elements of an array.
    private struct Elements {
        let count: Int
        /// Returns an element.
        ///
        /// - Throws: ``InvalidElement``.
        let value: (_ index: Int) throws -> JSONValue

        init(_ values: [JSONValue]) { (count, value) = (values.count, { values[$0] }) }

        /// Finds the elements of a JSON array, and decodes each when it is requested: the values of a large
        /// file need many times its size in memory.
        ///
        /// - Returns: `nil` if the text is not an array.
        init?(_ text: Data) {
            let parts = JSONParts(text)
            guard let ranges = parts.elements(in: parts.all) else { return nil }
            count = ranges.count
            value = { index in
                guard let value = JSONValue(parts.data(ranges[index])) else { throw InvalidElement() }
                return value
            }
        }
    }

    private struct InvalidElement: Error {}

    /// Reads a file that is a JSON array; returns `nil` if its JSON is invalid.
    private static func readDocument(_ text: Data, _ name: String) throws -> TranscriptFile? {
        guard let elements = Elements(text) else { return nil }
        do {
            return try readArray(elements, name)
        } catch is InvalidElement {
            return nil
        }
    }

    /// Reads an array of exported conversations, or of messages in the form of JSON Lines.
    private static func readArray(_ elements: Elements, _ name: String) throws -> TranscriptFile {
        let first = elements.count > 0 ? try elements.value(0) : nil
        guard first?.first("role", "sender") != nil else { return try readExport(elements, name) }
        var builder = TranscriptBuilder()
        for index in 0..<elements.count {
            JSONLinesTranscript.parse(
                try elements.value(index), at: "message \(index + 1)", into: &builder)
        }
        return try checked(builder.file(in: .jsonLines), name)
    }

    private static func readRecords(_ lines: [Line], _ name: String) throws -> TranscriptFile {
        var builder = TranscriptBuilder()
        var format = TranscriptFile.Format.jsonLines
        for line in lines {
            let location = "line \(line.number)"
            guard let record = JSONValue(line.data),
                let parser = recordParsers.first(where: { $0.recognizes(record) }),
                case .object = record
            else {
                let fault = JSONFault.description(of: line.data, fallback: "its format is unknown")
                builder.skip(location, "is not a valid JSON object: \(fault)")
                continue
            }
            if parser.format != .jsonLines { format = parser.format }
            parser.parse(record, at: location, into: &builder)
        }
        return try checked(builder.file(in: format), name)
    }

    /// Returns a file, or throws the error for one from which nothing could be read.
    private static func checked(_ file: TranscriptFile, _ name: String) throws -> TranscriptFile {
        if file.transcripts.isEmpty, file.omitted == 0, let problem = file.problems.first {
            throw RoostError(
                .badInput,
                "cannot read \(name): \(problem.location) \(problem.reason); nothing was imported")
        }
        return file
    }

    private static func readExport(_ conversations: Elements, _ name: String) throws -> TranscriptFile {
        var builder = TranscriptBuilder()
        var format = TranscriptFile.Format.claude
        for index in 0..<conversations.count {
            let conversation = try conversations.value(index)
            let location = "conversation \(index + 1)"
            guard let parser = exportParsers.first(where: { $0.recognizes(conversation) }) else {
                builder.skip(
                    location,
                    "is neither from ChatGPT (no \"mapping\") nor from Claude.ai (no \"chat_messages\")")
                continue
            }
            if parser.format != .claude { format = parser.format }
            parser.parse(conversation, at: location, into: &builder)
        }
        let file = builder.file(in: format)
        if file.transcripts.isEmpty, conversations.count > 0, format == .claude {
            throw RoostError(
                .badInput,
                "cannot read \(name): it is not an export from ChatGPT or Claude.ai; nothing was imported")
        }
        return file
    }
}
