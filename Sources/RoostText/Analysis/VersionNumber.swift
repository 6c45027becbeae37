/// Version numbers such as `v1.2.3`, which people write with and without the initial letter.
enum VersionNumber {
    private static let letter = UInt8(ascii: "v")

    /// Returns the same version number without the initial letter, or with it if the version number has none;
    /// `nil` for other identifiers.
    ///
    /// - Parameter identifier: The UTF-8 of an identifier in lower case. It is a version number if it begins
    ///   with two numbers that a period separates.
    static func variant(of identifier: [UInt8]) -> [UInt8]? {
        let hasLetter = identifier.first == letter
        let rest = identifier.dropFirst(hasLetter ? 1 : 0).drop(while: isDigit)
        let digits = identifier.count - rest.count - (hasLetter ? 1 : 0)
        guard digits > 0, rest.first == UInt8(ascii: "."), let next = rest.dropFirst().first, isDigit(next)
        else { return nil }
        return withOrWithoutLetter(identifier)
    }

    /// Returns a word without an initial `v`, or with it if the word does not begin with it.
    static func withOrWithoutLetter(_ word: [UInt8]) -> [UInt8] {
        word.first == letter ? Array(word.dropFirst()) : [letter] + word
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
