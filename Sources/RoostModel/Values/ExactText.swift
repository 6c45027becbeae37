/// A text that is compared by its UTF-8 bytes, for use as a key.
///
/// Swift strings are equal even if they differ in Unicode normalization. File systems and databases
/// distinguish such strings.
package struct ExactText: Hashable, Comparable, Sendable {
    package let text: String

    /// Creates a key from a text.
    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(UInt8.max)
    }

    /// Returns whether two texts have the same bytes, or are both `nil`.
    package static func areSame(_ left: String?, _ right: String?) -> Bool {
        left.map(ExactText.init) == right.map(ExactText.init)
    }
}
