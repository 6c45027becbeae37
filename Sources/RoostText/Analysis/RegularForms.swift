/// The regular inflected forms of English words.
enum RegularForms {
    /// Returns whether two words can be forms of one word, as in "prefixes" and "prefixed", or "reply" and
    /// "replies".
    ///
    /// - Parameters: The ASCII of words in lower case.
    static func areRelated(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        !bases(of: first).isDisjoint(with: bases(of: second))
    }

    /// Returns a word, and the words of which it can be a regular form.
    private static func bases(of word: [UInt8]) -> Set<[UInt8]> {
        var bases: Set = [word]
        func stem(_ ending: String) -> ArraySlice<UInt8>? {
            let length = word.count - ending.utf8.count
            return length >= 2 && word.suffix(ending.utf8.count).elementsEqual(ending.utf8)
                ? word.prefix(length) : nil
        }
        if let stem = stem("s"), stem.last != UInt8(ascii: "s") { bases.insert(Array(stem)) }
        if let stem = stem("es"), hasSibilant(stem) { bases.insert(Array(stem)) }
        for ending in ["ies", "ied"] {
            if let stem = stem(ending) { bases.insert(stem + [UInt8(ascii: "y")]) }
        }
        for ending in ["ed", "ing"] {
            guard let stem = stem(ending) else { continue }
            bases.formUnion([Array(stem), stem + [UInt8(ascii: "e")]])
            // The final consonant is doubled, as in "planned".
            if stem.count > 2, stem.last == stem.dropLast().last { bases.insert(Array(stem.dropLast())) }
        }
        return bases
    }

    /// Returns whether a word takes the ending "es" instead of "s".
    private static func hasSibilant(_ word: ArraySlice<UInt8>) -> Bool {
        ["s", "x", "z", "ch", "sh", "o"].contains { word.suffix($0.utf8.count).elementsEqual($0.utf8) }
    }
}
