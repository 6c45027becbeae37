/// A link from a document to another document, a heading, or a web page.
public struct DocumentLink: Sendable, Hashable, Codable {
    /// The kind of a link.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A link by the name of a note, such as `[[Note]]`.
        case wiki
        /// A note or file that is shown in place, such as `![[Note]]`.
        case embed
        /// A link by path or URL, such as `[text](target)`.
        case address
    }

    /// The kind of the link.
    public var kind: Kind
    /// The name, path or URL of the target, without a fragment. Empty for a link within the document.
    public var target: String
    /// The heading or block of the target, without `#`; `nil` if the link names none.
    public var fragment: String?
    /// The text that is shown instead of the target; `nil` if the target itself is shown.
    public var text: String?

    /// Creates a link.
    public init(kind: Kind, target: String, fragment: String? = nil, text: String? = nil) {
        self.kind = kind
        self.target = target
        self.fragment = fragment
        self.text = text
    }
}
