/// The reason why a passage does not match the content of its entry.
///
/// Imports and the inspection of a store use this check, so a store accepts no passages that the inspection
/// reports.
package enum PassageDefect: Sendable, Hashable {
    /// The ordinal is not the position of the passage in the entry.
    case ordinal(Int)
    /// The range ends after the content.
    case isOutsideContent
    /// The range begins or ends inside a character.
    case splitsCharacter

    /// The defect as a predicate, such as `begins or ends inside a character`.
    package var predicate: String {
        switch self {
        case .ordinal(let number): "has the ordinal \(number)"
        case .isOutsideContent: "is outside the text of the entry"
        case .splitsCharacter: "begins or ends inside a character"
        }
    }
}

extension Entry {
    /// Returns the passages that do not match the content, by their positions, with the reasons.
    package func passageDefects() -> [(position: Int, defect: PassageDefect)] {
        var content = content
        return content.withUTF8 { bytes in
            // In UTF-8, all bytes of a character except the first have the bits 10 at their beginning.
            func isBoundary(_ offset: Int) -> Bool { offset == bytes.count || bytes[offset] & 0xC0 != 0x80 }
            return passages.enumerated().compactMap { position, passage in
                let range = passage.utf8Range
                if passage.ordinal != position { return (position, .ordinal(passage.ordinal)) }
                guard range.lowerBound >= 0, range.upperBound <= bytes.count else {
                    return (position, .isOutsideContent)
                }
                let isAligned = isBoundary(range.lowerBound) && isBoundary(range.upperBound)
                return isAligned ? nil : (position, .splitsCharacter)
            }
        }
    }
}
