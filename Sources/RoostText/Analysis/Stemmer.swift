import CStemmer
import Synchronization

/// The stemmers of libstemmer (Snowball), one for each language.
///
/// A stemmer of libstemmer has a buffer for its result, so only one thread at a time may use it. Stemming
/// takes less than a microsecond and the index stems each spelling only once, so a lock for each language
/// suffices.
package final class Stemmer: Sendable {
    /// The stemmer of libstemmer. It exists until the process ends.
    private let handle: Mutex<OpaquePointer?>

    private init(_ name: String) { handle = Mutex(sb_stemmer_new(name, "UTF_8")) }

    /// The stemmers by the raw values of the languages.
    private static let stemmers: [Stemmer?] = {
        let last = TextLanguage.allCases.map(\.rawValue).max() ?? 0
        return (0...last).map { TextLanguage(rawValue: $0)?.stemmerName.map(Stemmer.init) }
    }()

    /// Returns the stem of a word in lower case. If the language has no stemmer, or the installed library
    /// does not contain it, the word is returned unchanged.
    ///
    /// - Parameter word: The UTF-8 of the word in lower case, with its diacritics.
    /// - Complexity: O(length).
    package static func stem(_ word: [UInt8], in language: TextLanguage) -> [UInt8] {
        guard let stemmer = stemmers[Int(language.rawValue)], !word.isEmpty else { return word }
        return stemmer.handle.withLock { handle in
            guard let handle, let stem = sb_stemmer_stem(handle, word, CInt(word.count)) else { return word }
            return Array(UnsafeBufferPointer(start: stem, count: Int(sb_stemmer_length(handle))))
        }
    }

    static func isInstalled(_ language: TextLanguage) -> Bool {
        stemmers[Int(language.rawValue)]?.handle.withLock { $0 != nil } ?? false
    }

    package static func stem(of word: String) -> String {
        String(decoding: stem(Array(word.utf8), in: .english), as: UTF8.self)
    }

    /// A number that changes if the installed library computes other stems. It shows that an index has stems
    /// that differ from those of queries.
    package static let fingerprint: UInt32 = {
        let probes = [
            "nationalities", "generously", "häusern", "aufgewachsen", "heureusement", "activités", "ciudades",
            "städerna", "lopende", "lichamelijkheden", "документами", "красивейший", "الكتابات", "καλύτερες",
            "लड़कियाँ", "çocuklarımız", "kirjoissamme", "házakban", "knihovnách", "përmasa",
        ]
        var stems: [UInt8] = []
        for language in TextLanguage.allCases {
            for probe in probes { stems += stem(Array(probe.utf8), in: language) + [0] }
        }
        return FNV1a.hash32(of: stems)
    }()
}

package enum TextAnalysis {
    /// A number that is increased when the words, the keys or the postings of an index change.
    private static let revision = 2

    /// The version of the analysis. An index can only be searched with the version that it was built with.
    ///
    /// It includes a fingerprint of the stemmers, because they depend on the installed version of libstemmer.
    package static let version = "\(revision)-\(String(Stemmer.fingerprint, radix: 16))"
}

/// Separates a word from what is written together with it: an elided article, preposition or pronoun before
/// an apostrophe, as in "l'heure", or the endings after the apostrophe of a Turkish name, as in "Ankara'da".
enum Elision {
    /// The articles, prepositions and pronouns that are written together with the next word.
    private static let elided: [TextLanguage: Set<[UInt8]>] = [
        .french: "l d j m t s n c qu jusqu lorsqu puisqu quoiqu",
        .italian: "l un d c all dall dell nell sull coll quell quest gl dov com",
        .catalan: "l d m t s n",
    ].mapValues { Set($0.split(separator: " ").map { Array($0.utf8) }) }

    /// Returns the range of the word itself.
    ///
    /// - Parameter word: The UTF-8 of the word in lower case, with `'` as the apostrophe.
    static func content(of word: [UInt8], in language: TextLanguage) -> Range<Int> {
        guard let apostrophe = word.firstIndex(of: UInt8(ascii: "'")), apostrophe + 1 < word.count else {
            return word.indices
        }
        if language == .turkish, apostrophe > 0 { return 0..<apostrophe }
        guard elided[language]?.contains(Array(word[..<apostrophe])) == true else { return word.indices }
        return (apostrophe + 1)..<word.count
    }
}

extension Words.Word {
    /// Returns the word without what is written together with it in the given language (``Elision``).
    ///
    /// - Parameter utf8: The text that contains the word.
    package func content(in language: TextLanguage, of utf8: [UInt8]) -> Words.Word {
        let word = Array(folded.utf8)
        let content = Elision.content(of: word, in: language)
        guard content.count < word.count else { return self }
        var result = self
        result.folded = String(decoding: word[content], as: UTF8.self)
        // In the text, the apostrophe may be typographic, which has three bytes.
        let bytes = utf8[utf8Range]
        let start = bytes.indices.first {
            bytes[$0] == UInt8(ascii: "'") || bytes[$0...].starts(with: Self.typographicApostrophe)
        }
        guard let start else { return result }
        let width = bytes[start] == UInt8(ascii: "'") ? 1 : Self.typographicApostrophe.count
        let isBefore = content.lowerBound == 0
        result.utf8Range = isBefore ? utf8Range.lowerBound..<start : (start + width)..<utf8Range.upperBound
        return result
    }

    private static let typographicApostrophe = Array("\u{2019}".utf8)
}
