import Foundation
import RoostModel

/// The result of a call in the form of the protocol.
struct ToolAnswer: Sendable {
    private let value: JSONValue
    private let isFailure: Bool

    init(_ value: JSONValue) { (self.value, isFailure) = (value, false) }

    init(failure message: String) { (value, isFailure) = (.string(message), true) }

    /// Returns the answer in the form of a revision of the protocol.
    ///
    /// The text holds the same data as the structured content, because some hosts show the model only one of
    /// the two.
    func json(for version: ProtocolVersion) -> [String: JSONValue] {
        let text = value.asString ?? String(decoding: value.serialized(), as: UTF8.self)
        var members: [String: JSONValue] = [
            "content": [["type": "text", "text": .string(text)]], "isError": .bool(isFailure),
        ]
        if !isFailure, version.hasStructuredContent { members["structuredContent"] = value }
        return members
    }
}
