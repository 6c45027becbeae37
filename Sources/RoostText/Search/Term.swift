import Foundation

/// A word in lower case without accents, and its stem, as the index stores them.
struct Term: Sendable, Hashable {
    /// The UTF-8 of the word in lower case without accents.
    var word: [UInt8]
    /// The UTF-8 of the stem, by which the term is looked up. Only English words differ from their stem.
    var stem: [UInt8]

    /// The number of bytes after which a word is truncated. Longer words are usually encoded data, which
    /// nobody searches for in full.
    static let maximumLength = 128

    /// Creates the term of a word in a text.
    init(_ utf8: some Collection<UInt8>) {
        var utf8 = utf8.prefix(Self.maximumLength)
        if utf8.allSatisfy({ $0 < 128 }) {
            word = utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
        } else {
            // Truncation must not split a character.
            if utf8.count == Self.maximumLength { utf8 = Self.wholeCharacters(utf8) }
            word = Array(Self.folded(String(decoding: utf8, as: UTF8.self)).utf8)
        }
        stem = EnglishStemmer.stem(word)
    }

    /// Returns the bytes without an incomplete character at the end.
    private static func wholeCharacters<Bytes: Collection<UInt8>>(_ utf8: Bytes) -> Bytes.SubSequence
    where Bytes.SubSequence == Bytes {
        let bytes = Array(utf8)
        let start = bytes.lastIndex { $0 & 0xC0 != 0x80 } ?? 0
        let lead = bytes[start]
        let width = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        return start + width <= bytes.count ? utf8 : utf8.prefix(start)
    }

    /// Returns the word in lower case, with ligatures decomposed and without combining accents (U+0300 to
    /// U+036F). The combining marks of other scripts distinguish words and are kept.
    private static func folded(_ word: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in word.decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars {
            switch scalar.value {
            case 0x300...0x36F: continue
            case 0x2019: scalars.append("'")
            default: scalars.append(scalar)
            }
        }
        return String(scalars).precomposedStringWithCanonicalMapping
    }
}

/// A hash table that numbers distinct byte strings in order of insertion, from 0.
struct ByteStringTable: Sendable {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// The string numbers plus 1, indexed by hash; 0 marks a free slot. The count is a power of two.
    private var slots = [UInt32](repeating: 0, count: 1024)
    private var hashes: [UInt64] = []
    /// Random in each process, so nobody can construct a text whose words all collide.
    private static let seed = UInt64.random(in: .min ... .max) | 1

    var count: Int { ends.count }

    subscript(number: Int) -> ArraySlice<UInt8> {
        bytes[(number == 0 ? 0 : ends[number - 1])..<ends[number]]
    }

    /// Returns the number of a string, adding the string if it is new.
    ///
    /// - Complexity: O(length).
    mutating func insert(_ string: UnsafeBufferPointer<UInt8>) -> (number: Int, isNew: Bool) {
        let hash = Self.hash(string)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if hashes[number] == hash, self[number].elementsEqual(string) { return (number, false) }
            slot = (slot + 1) & (slots.count - 1)
        }
        bytes.append(contentsOf: string)
        ends.append(bytes.count)
        hashes.append(hash)
        slots[slot] = UInt32(ends.count)
        if ends.count * 2 > slots.count { grow() }
        return (ends.count - 1, true)
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 4)
        for number in hashes.indices {
            var slot = Int(truncatingIfNeeded: hashes[number]) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(number + 1)
        }
    }

    private static func hash(_ string: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash = seed ^ UInt64(string.count)
        var offset = 0
        func mix(_ word: UInt64) {
            let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            hash = product.high ^ product.low ^ seed
        }
        while offset < string.count {
            var word: UInt64 = 0
            for index in offset..<min(offset + 8, string.count) { word = word << 8 | UInt64(string[index]) }
            mix(word)
            offset += 8
        }
        mix(UInt64(string.count))
        return hash
    }
}
