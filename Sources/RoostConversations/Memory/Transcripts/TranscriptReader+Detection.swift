package import Foundation
import RoostModel

extension TranscriptReader {
    /// Returns whether a file is probably an export from ChatGPT or Claude.ai, or a transcript of Claude
    /// Code: it has all the keys that identify one of these formats.
    ///
    /// - Parameter head: The first bytes of the file, which contain at least a part of its first message.
    package static func beginsExport(_ head: Data) -> Bool {
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = head.starts(with: byteOrderMark) ? head.dropFirst(byteOrderMark.count) : head
        guard let first = text.first(where: { !$0.isJSONSpace }),
            first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
        else { return false }
        return identifyingKeys.contains { keys in
            keys.allSatisfy { text.range(of: Data("\"\($0)\"".utf8)) != nil }
        }
    }

    /// For each format, the keys that identify it.
    private static let identifyingKeys = [
        ["mapping", "parent", "children"],
        ["chat_messages"],
        ["parentUuid", "sessionId"],
    ]
}
