import RoostFiles

/// Encodes chunk identifiers as file names.
///
/// Lower-case ASCII letters, digits, `-` and `_` are written unchanged. Every other byte of the UTF-8 form is
/// written as `%` and two lower-case hexadecimal digits. A name therefore contains no separator, dot or
/// upper-case letter, so different chunks have different names even on file systems that ignore case. A name
/// that is too long for one file name is divided into path components; all components except the last end in
/// `+`.
enum ChunkName {
    /// The maximum length of a component, in bytes. File systems allow 255; the remainder is reserved for the
    /// prefix and suffix that a temporary file adds to the name.
    private static let maximumComponentLength = 180

    /// Returns the path components of an identifier's encoded name; only a long name has more than one.
    static func components(of identifier: ChunkIdentifier) -> [String] {
        var (components, component) = ([String](), [UInt8]())
        for byte in identifier.id.utf8 {
            let escaped = isUnescaped(byte) ? [byte] : [UInt8(ascii: "%")] + Hexadecimal.digits(of: byte)
            if component.count + escaped.count > maximumComponentLength {
                components.append(String(decoding: component + [UInt8(ascii: "+")], as: UTF8.self))
                component = []
            }
            component += escaped
        }
        if !component.isEmpty { components.append(String(decoding: component, as: UTF8.self)) }
        return components
    }

    /// Returns the identifier for which ``components(of:)`` returns exactly the given components, or `nil` if
    /// it returns them for no identifier.
    static func identifier(of components: ArraySlice<Substring>) -> ChunkIdentifier? {
        var bytes: [UInt8] = []
        for (index, component) in components.enumerated() {
            var rest = Substring(component)
            if index + 1 < components.count {
                guard rest.last == "+" else { return nil }
                rest.removeLast()
            }
            var iterator = rest.utf8.makeIterator()
            while let byte = iterator.next() {
                if byte == UInt8(ascii: "%") {
                    guard let high = iterator.next().flatMap(Hexadecimal.value),
                        let low = iterator.next().flatMap(Hexadecimal.value)
                    else { return nil }
                    bytes.append(high << 4 | low)
                } else {
                    guard isUnescaped(byte) else { return nil }
                    bytes.append(byte)
                }
            }
        }
        guard !bytes.isEmpty, let id = String(validating: bytes, as: UTF8.self) else { return nil }
        let identifier = ChunkIdentifier(id: id)
        // Unnecessary escapes and upper-case digits can be decoded too, but only the canonical encoding is
        // accepted.
        guard
            self.components(of: identifier).elementsEqual(
                components, by: { $0.utf8.elementsEqual($1.utf8) })
        else { return nil }
        return identifier
    }

    private static func isUnescaped(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
