public import Foundation
import Roost
import RoostModel
import RoostText

/// Reads conversations from files: Claude Code transcripts, exports from ChatGPT, Claude.ai and messengers, and
/// JSON Lines files of messages.
///
/// A record that cannot be read is reported with its location and skipped.
public struct TranscriptReader: Sendable {
    /// The parsers, most specific first.
    private static let parsers: [any TranscriptParser.Type] = [
        ChatGPTExport.self, ClaudeExport.self, ClaudeCodeTranscript.self, JSONLinesTranscript.self,
    ]

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
        try read(try RecordReader().load(url), name: url.path)
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
        let parts = JSONParts(text)
        if let elements = Self.elements(of: parts), let file = try Self.file(elements, of: parts, name) {
            return file
        }
        do {
            return try Self.file(Self.lines(of: text), name)
        } catch  where start == UInt8(ascii: "[") {
            // The first line of JSON Lines can be damaged, but this is more probably a damaged array.
            throw RoostError(
                .badInput,
                "cannot read \(name): the syntax of its JSON is invalid, or it is truncated; nothing was imported"
            )
        }
    }

    /// A value of a file; the JSON is `nil` if it is invalid.
    private struct Item {
        var location: String
        var json: JSONValue?
        /// The JSON text, with which a fault is described.
        var text: Data
    }

    /// Returns the ranges of the conversations or messages in a JSON document: the elements of an array or of
    /// the array in an object, or one exported conversation; `nil` for other files.
    private static func elements(of parts: JSONParts) -> [Range<Int>]? {
        if let elements = parts.elements(in: parts.all) { return elements }
        guard let members = parts.members(in: parts.all) else { return nil }
        if members["mapping"] != nil || members["chat_messages"] != nil { return [parts.all] }
        let lists = ["messages", "conversations"].compactMap { members[$0] }
        guard members["role"] == nil,
            let list = lists.first(where: { parts.first(in: $0) != UInt8(ascii: "n") })
        else { return nil }
        return parts.elements(in: list)
    }

    /// Reads the elements of a JSON document, each of which is decoded when it is read: the values of a large
    /// file need many times its size in memory.
    ///
    /// - Returns: `nil` if the JSON of an element is invalid.
    private static func file(
        _ elements: [Range<Int>], of parts: JSONParts, _ name: String
    ) throws -> TranscriptFile? {
        var noun: String?
        var isValid = true
        let items = elements.enumerated().lazy.map { index, range in
            let text = parts.data(range)
            let json = try? JSONValue(json: text)
            if json == nil { isValid = false }
            noun = noun ?? (json?.first("role", "sender", "sender_name") == nil ? "conversation" : "message")
            return Item(location: "\(noun ?? "element") \(index + 1)", json: json, text: text)
        }
        let found = Result { try file(items, name) }
        return isValid ? try found.get() : nil
    }

    /// Returns the lines that are not blank. The data is split before it is decoded, so invalid UTF-8 affects
    /// only the line that contains it.
    private static func lines(of data: Data) -> some Sequence<Item> {
        data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated().lazy
            .filter { !$0.element.allSatisfy(\.isJSONSpace) }
            .map { number, line in
                let text = Data(line)
                return Item(location: "line \(number + 1)", json: try? JSONValue(json: text), text: text)
            }
    }

    private static func file(_ items: some Sequence<Item>, _ name: String) throws -> TranscriptFile {
        var builder = TranscriptBuilder()
        var format = TranscriptFile.Format.jsonLines
        for item in items {
            guard let json = item.json, let parser = parsers.first(where: { $0.recognizes(json) }) else {
                let fault = JSONFault.description(of: item.text, fallback: "its format is unknown")
                builder.skip(item.location, "cannot be read: \(fault)")
                continue
            }
            if parser.format != .jsonLines { format = parser.format }
            parser.parse(json, at: item.location, into: &builder)
        }
        let file = builder.file(in: format)
        if file.transcripts.isEmpty, file.omitted == 0, let problem = file.problems.first {
            throw RoostError(
                .badInput,
                "cannot read \(name): \(problem.location) \(problem.reason); nothing was imported")
        }
        return file
    }
}
