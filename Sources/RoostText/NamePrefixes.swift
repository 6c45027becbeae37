/// The stop words before a phrase that are part of its name, such as "New" in "New York" and "Will" in "Will
/// Smith".
///
/// Within a sentence, a stop word has a capital letter only if it is part of a name. At the beginning of a
/// sentence, its spelling says nothing.
struct NamePrefixes: Sendable {
    /// The numbers of occurrences of one stop word before the phrase.
    private struct Count: Sendable {
        /// The number of occurrences with a capital letter within a sentence.
        var certain = 0
        /// The number of occurrences at the beginning of a sentence.
        var uncertain = 0
    }

    /// The occurrences of each stop word, by its spelling.
    private var counts: [String: Count] = [:]
    /// The number of all occurrences of the phrase within sentences.
    var occurrences = 0

    /// Counts an occurrence of the phrase after a stop word.
    ///
    /// - Parameters:
    ///   - spelling: The spelling of the stop word, which has a capital letter.
    ///   - isCertain: Whether the stop word does not have the capital letter because of its position.
    mutating func add(_ spelling: String, isCertain: Bool) {
        if isCertain {
            counts[spelling, default: Count()].certain += 1
        } else {
            counts[spelling, default: Count()].uncertain += 1
        }
    }

    /// Adds the counts of another group of texts.
    mutating func add(_ other: NamePrefixes) {
        for (spelling, count) in other.counts {
            counts[spelling, default: Count()].certain += count.certain
            counts[spelling, default: Count()].uncertain += count.uncertain
        }
        occurrences += other.occurrences
    }

    /// The stop word that is part of the name; `nil` if most occurrences of the phrase are not after one.
    var usual: String? {
        counts.filter { _, count in
            count.certain > 0 && count.certain + count.uncertain > 1
                && 2 * count.certain > occurrences - count.uncertain
        }.max { ($0.value.certain, $1.key) < ($1.value.certain, $0.key) }?.key
    }
}
