/// Texts for which characters of a plane for private use stand, while the rest of a line is converted.
struct PrivateCharacters {
    /// A plane for private use, so that different texts of a line have different characters.
    enum Plane: UInt32 {
        case first = 0xF0000
        case second = 0x100000

        /// The first byte of its characters in UTF-8.
        fileprivate var byte: UInt8 { self == .first ? 0xF3 : 0xF4 }
    }

    private let plane: Plane
    /// The texts, in the order of the characters that stand for them.
    private var texts: [String] = []

    init(_ plane: Plane) { self.plane = plane }

    /// Returns whether a line contains characters of the plane itself, which would be replaced, too.
    func occur(in line: some Collection<UInt8>) -> Bool { line.contains(plane.byte) }

    /// Adds a text and returns the character that stands for it.
    mutating func character(for text: String) -> String {
        guard let scalar = Unicode.Scalar(plane.rawValue + UInt32(texts.count)) else { return text }
        texts.append(text)
        return String(Character(scalar))
    }

    /// Returns a text with the added texts in place of the characters that stand for them.
    func restored(_ text: String) -> String {
        guard !texts.isEmpty else { return text }
        var output = ""
        for scalar in text.unicodeScalars {
            if scalar.value >= plane.rawValue, scalar.value - plane.rawValue < UInt32(texts.count) {
                output += texts[Int(scalar.value - plane.rawValue)]
            } else {
                output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
