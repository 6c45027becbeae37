import Foundation

/// A secret text, such as an API key. Its descriptions and its mirror do not reveal the text.
public struct Secret: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let text: String

    /// Creates a secret.
    ///
    /// - Parameter text: Printable ASCII. Surrounding white space, such as the line feed at the end of a
    ///   file, is removed.
    /// - Returns: `nil` if the text is empty or contains other characters.
    public init?(_ text: String) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        // A line feed would allow the injection of HTTP headers.
        guard !trimmed.isEmpty, trimmed.utf8.allSatisfy({ $0 > 31 && $0 < 127 }) else { return nil }
        self.text = trimmed
    }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
