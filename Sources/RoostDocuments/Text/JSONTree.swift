import Foundation

/// A JSON value (RFC 8259) whose objects keep the order of their members.
///
/// The enumeration is not `indirect`, because a separate allocation for each value would need several times
/// the memory of a file with many short values.
enum JSONTree {
    /// A member of an object.
    struct Member {
        var name: String
        var value: JSONTree
    }

    case object([Member])
    case array([JSONTree])
    case string(String)
    /// A number, Boolean value or `null`, as written.
    case literal(String)

    /// Parses a document.
    ///
    /// - Throws: ``JSONTreeError`` if it is not valid or too deep.
    init(_ data: Data, maximumDepth: Int) throws {
        guard let (text, _) = TextDecoder.decode(data) else {
            throw JSONTreeError(description: "it is not text")
        }
        var parser = JSONTreeParser(Array(text.utf8), maximumDepth: maximumDepth)
        self = try parser.document()
    }

    /// The value of a string or literal; `nil` for others.
    var string: String? {
        switch self {
        case .string(let text), .literal(let text): text
        default: nil
        }
    }

    /// The elements of an array; empty for others.
    var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }

    /// The members of an object; empty for others.
    var members: [Member] { if case .object(let members) = self { members } else { [] } }

    /// Returns the value of the first member with a name.
    subscript(_ name: String) -> JSONTree? { members.first { $0.name == name }?.value }
}
