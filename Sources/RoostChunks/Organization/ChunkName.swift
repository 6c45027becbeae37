/// An identifier as names of files.
///
/// Lower-case ASCII letters, digits, `-` and `_` stand for themselves, every other byte of UTF-8 for `%` and
/// two lower-case hexadecimal digits: so that no name has a separator, a dot or an upper-case letter, and
/// file systems that ignore case keep different chunks apart. A name that is too long for a file is cut; the
/// parts before the last end in `+`.
package enum ChunkName {
    /// Of 255 bytes that file systems take, some are left for what is put around a name while it is written.
    private static let longestPart = 180

    /// Whether an identifier is written as it is, in one part: most are, being digests.
    static func isPlain(_ text: Substring) -> Bool {
        let utf8 = text.utf8
        return !utf8.isEmpty && utf8.count <= longestPart && utf8.allSatisfy(isPlain)
    }

    /// The parts of an identifier's name; one where it is not long.
    static func parts(of identifier: ChunkIdentifier) -> [String] {
        var (parts, part) = ([String](), [UInt8]())
        for byte in identifier.id.utf8 {
            let escaped = isPlain(byte) ? [byte] : [UInt8(ascii: "%")] + hexadecimal(byte)
            if part.count + escaped.count > longestPart {
                parts.append(String(decoding: part + [UInt8(ascii: "+")], as: UTF8.self))
                part = []
            }
            part += escaped
        }
        if !part.isEmpty { parts.append(String(decoding: part, as: UTF8.self)) }
        return parts
    }

    /// The identifier of a name's parts; `nil` where they are no name's, exactly as it is written.
    static func identifier(of parts: ArraySlice<Substring>) -> ChunkIdentifier? {
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            var rest = Substring(part)
            if index + 1 < parts.count {
                guard rest.last == "+" else { return nil }
                rest.removeLast()
            }
            var iterator = rest.utf8.makeIterator()
            while let byte = iterator.next() {
                if byte == UInt8(ascii: "%") {
                    guard let high = iterator.next().flatMap(digit), let low = iterator.next().flatMap(digit)
                    else { return nil }
                    bytes.append(high << 4 | low)
                } else {
                    guard isPlain(byte) else { return nil }
                    bytes.append(byte)
                }
            }
        }
        guard !bytes.isEmpty, let id = String(validating: bytes, as: UTF8.self) else { return nil }
        let identifier = ChunkIdentifier(id: id)
        // There is one way to write a name.
        guard self.parts(of: identifier).elementsEqual(parts, by: { $0.utf8.elementsEqual($1.utf8) }) else {
            return nil
        }
        return identifier
    }

    /// What is the same for a chunk wherever an organization of this package puts it: the end of the path,
    /// without the folders that it is sorted into.
    package static func end(of path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        var first = parts.count - 1
        while first > 0, parts[first - 1].hasSuffix("+") { first -= 1 }
        return parts[max(0, first)...].joined(separator: "/")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
        [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    private static func digit(_ byte: UInt8) -> UInt8? { digits.firstIndex(of: byte).map { UInt8($0) } }
}
