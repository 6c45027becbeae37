import Foundation
import RoostModel

/// A value in a file of another program, whose format is only partly known.
typealias JSONValue = MetadataValue

extension MetadataValue {
    func first(_ keys: String...) -> JSONValue? { keys.lazy.compactMap { self[$0] }.first { $0 != .null } }
}

/// Conversions of JSON values that several transcript formats share.
enum TranscriptValue {
    /// The problem that is reported for a record whose time is not in a supported format.
    static let invalidTime = "has a time that cannot be read"

    /// Larger timestamps are interpreted as milliseconds: as seconds, they would be after the year 5138.
    private static let maximumSeconds = 1e11

    /// Returns the role with the given name, and recognizes the different names that programs use for it.
    static func role(_ name: String) -> ConversationRole {
        switch name.lowercased() {
        case "human": .user
        case "ai", "bot", "model": .assistant
        case "user", "assistant", "system", "tool": ConversationRole(rawValue: name.lowercased())
        default: ConversationRole(rawValue: name)
        }
    }

    /// The maximum length of a title in characters. A title is stored with each message.
    private static let maximumTitleLength = 200

    /// Returns the title of a conversation on one line, shortened; `nil` if it has no words.
    static func title(_ text: String) -> String? {
        let words = text.prefix(maximumTitleLength).split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// Returns a string unchanged, or the texts of an array of content blocks joined with empty lines; `nil`
    /// if the value contains no text.
    static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text): return text
        case .array(let blocks):
            let texts = blocks.compactMap { block -> String? in
                if let text = block.string { return text }
                guard block["type"] == nil || block["type"]?.string == "text" else { return nil }
                return block["text"]?.string
            }
            return texts.isEmpty ? nil : texts.joined(separator: "\n\n")
        default: return nil
        }
    }

    /// Returns the date that a value denotes: a text, or a number of seconds or milliseconds since 1970.
    static func date(_ value: JSONValue) -> Date? {
        if let text = value.string { return Date(written: text) }
        guard let number = value.double, number.isFinite else { return nil }
        let seconds = abs(number) > maximumSeconds ? number / 1000 : number
        let date = Date(timeIntervalSince1970: seconds)
        return date.isWritable ? date : nil
    }
}
