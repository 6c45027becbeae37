/// The words of a text: runs of letters, digits and marks, with apostrophes inside them. Scripts written
/// without spaces come character by character (Han, kana) where a character is a word's worth of meaning.
public struct Words: Sequence, Sendable {
    public struct Word: Sendable, Hashable {
        /// Lower-cased, without diacritics' differences of composition folded further.
        public var folded: String
        /// Where it stands, in UTF-8 bytes.
        public var utf8Range: Range<Int>
    }

    private let text: String

    public init(_ text: String) { self.text = text }

    /// - Complexity: O(length of text) for the whole iteration.
    public func makeIterator() -> AnyIterator<Word> {
        let scalars = text.unicodeScalars
        var place = scalars.startIndex
        var offset = 0
        func isWord(_ scalar: Unicode.Scalar) -> Bool {
            if scalar.isASCII {
                let value = scalar.value
                return (48...57).contains(value) || (65...90).contains(value) || (97...122).contains(value)
            }
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
                .decimalNumber,
                .letterNumber, .nonspacingMark, .spacingMark, .enclosingMark:
                return true
            default: return false
            }
        }
        func isAlone(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.value {
            case 0x3040...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x2FA1F: true
            default: false
            }
        }
        return AnyIterator {
            while place < scalars.endIndex, !isWord(scalars[place]) {
                offset += UTF8.width(scalars[place])
                place = scalars.index(after: place)
            }
            guard place < scalars.endIndex else { return nil }
            let start = offset
            var word = String.UnicodeScalarView()
            while place < scalars.endIndex {
                let scalar = scalars[place]
                let next = scalars.index(after: place)
                if !isWord(scalar) {
                    // don't, o’clock: an apostrophe between letters belongs to the word.
                    guard scalar == "'" || scalar == "\u{2019}", next < scalars.endIndex,
                        isWord(scalars[next]),
                        !isAlone(scalars[next])
                    else { break }
                    word.append("'")
                } else if isAlone(scalar), !word.isEmpty {
                    break
                } else {
                    word.append(scalar)
                }
                offset += UTF8.width(scalar)
                place = next
                if isAlone(scalar) { break }
            }
            return Word(folded: String(word).lowercased(), utf8Range: start..<offset)
        }
    }
}
