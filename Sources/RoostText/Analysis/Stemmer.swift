import CStemmer
import Synchronization

/// The division of texts into words and the stems of these words.
package enum TextAnalysis {
    /// A number that is increased when the words, the keys or the postings of an index change.
    private static let revision = 1

    /// The version of the analysis. An index can only be searched with the version that it was built with.
    ///
    /// It includes a fingerprint of the stemmers, because they depend on the installed version of libstemmer.
    package static let version = "\(revision)-\(String(Stemmer.fingerprint, radix: 16))"
}

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
    static func stem(_ word: [UInt8], in language: TextLanguage) -> [UInt8] {
        guard let stemmer = stemmers[Int(language.rawValue)], !word.isEmpty else { return word }
        return stemmer.handle.withLock { handle in
            guard let handle, let stem = sb_stemmer_stem(handle, word, CInt(word.count)) else { return word }
            return Array(UnsafeBufferPointer(start: stem, count: Int(sb_stemmer_length(handle))))
        }
    }

    /// Returns whether the installed library contains the stemmer of a language.
    static func isInstalled(_ language: TextLanguage) -> Bool {
        stemmers[Int(language.rawValue)]?.handle.withLock { $0 != nil } ?? false
    }

    /// Returns the stem of an English word in lower case.
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
