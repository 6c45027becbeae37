/// The division of texts into words and the stems of these words.
package enum TextAnalysis {
    /// A number that is increased when the words, the keys or the postings of an index change.
    private static let revision = 1

    /// The version of the analysis. An index can only be searched with the version that it was built with.
    ///
    /// It includes a fingerprint of the stemmers, because they depend on the installed version of libstemmer.
    package static let version = "\(revision)-\(String(Stemmer.fingerprint, radix: 16))"
}
