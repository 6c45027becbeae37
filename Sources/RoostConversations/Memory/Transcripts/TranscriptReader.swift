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
            let fault = "the syntax of its JSON is invalid, or it is truncated"
            throw RoostError(.badInput, "cannot read \(name): \(fault); nothing was imported")
        }

        if let file = try Self.readObject(text, name) { return file }
        let lines = Self.lines(of: text)
        if lines.count > 1, let object = JSONValue(lines[0].data), Self.isExport(object) {
            return try Self.readExport(Elements(lines), name)
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

    /// The elements of an array, or the values of lines.
    private struct Elements {
        let count: Int
        /// Returns an element.
        ///
        /// - Throws: ``InvalidElement``.
        let value: (_ index: Int) throws -> JSONValue
        /// Whether the other elements can be read if one of them is invalid.
        var areIndependent = false

        init(_ values: [JSONValue]) { (count, value) = (values.count, { values[$0] }) }

        init(_ lines: [Line]) {
            count = lines.count
            value = { index in
                guard let value = JSONValue(lines[index].data) else { throw InvalidElement() }
                return value
            }
            areIndependent = true
        }

        /// Finds the elements of a JSON array, and decodes each when it is requested: the values of a large
        /// file need many times its size in memory.
        ///
        /// - Returns: `nil` if the value in the range is not an array.
        init?(_ parts: JSONParts, in range: Range<Int>) {
            guard let ranges = parts.elements(in: range) else { return nil }
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
        let parts = JSONParts(text)
        guard let elements = Elements(parts, in: parts.all) else { return nil }
        do {
            return try readArray(elements, name)
        } catch is InvalidElement {
            return nil
        }
    }

    /// Reads a file that is a JSON object: an exported conversation, or an object with an array of
    /// conversations or messages. Returns `nil` for other files.
    private static func readObject(_ text: Data, _ name: String) throws -> TranscriptFile? {
        let parts = JSONParts(text)
        guard let members = parts.members(in: parts.all) else { return nil }
        if members["mapping"] != nil || members["chat_messages"] != nil {
            return try JSONValue(text).map { try readExport(Elements([$0]), name) }
        }
        let lists = ["messages", "conversations"].compactMap { members[$0] }
        guard members["role"] == nil,
            let range = lists.first(where: { parts.first(in: $0) != UInt8(ascii: "n") }),
            let elements = Elements(parts, in: range)
        else { return nil }
        do {
            return try readArray(elements, name)
        } catch is InvalidElement {
            return nil
        }
    }

    /// Whether an object is a conversation that ChatGPT or Claude.ai has exported.
    private static func isExport(_ object: JSONValue) -> Bool {
        object["mapping"] != nil || object["chat_messages"] != nil
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
            let location = "conversation \(index + 1)"
            let conversation: JSONValue
            do {
                conversation = try conversations.value(index)
            } catch {
                guard conversations.areIndependent else { throw error }
                builder.skip(location, "is not a valid JSON object")
                continue
            }
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
