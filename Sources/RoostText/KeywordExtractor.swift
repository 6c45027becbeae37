/// Extracts the words and phrases that distinguish groups of texts from each other, using class-based TF-IDF
/// (Grootendorst 2022).
///
/// Keywords and labels are then chosen by `GroupVocabularies`. The weight of a keyword in a group is its
/// frequency in the group times log(1 + A / f), where f is its frequency in all groups and A is the mean
/// number of words in a group. Two or three words form a phrase if they occur together in the representative
/// texts of a group at least as often as separately. Words that occur in many texts of most groups are not
/// used as keywords; this works in any language.
package struct KeywordExtractor: Sendable {
    private var tally: WordTally

    /// Creates an extractor that has not counted any texts yet.
    ///
    /// - Parameters:
    ///   - groups: The number of groups.
    ///   - stopWords: Lowercase words that must not become keywords.
    package init(groups: Int, stopWords: Set<String> = StopWords.english) {
        tally = WordTally(groups: groups, stopWords: stopWords)
    }

    /// Returns the number of representative texts to choose from each group.
    ///
    /// The number limits the memory for phrases. It aims at about 20,000 texts in total, but is at least 20
    /// and at most 200 for each group.
    package static func representativeTextCount(forGroups groups: Int) -> Int {
        min(200, max(20, 20_000 / max(1, groups)))
    }

    /// Counts the words of a text that belongs to a group.
    ///
    /// Addresses, markup, numbers and identifiers such as hashes are not counted.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - group: The index of its group.
    ///   - isRepresentative: Whether phrases are extracted from the text.
    ///   - folders: The names of the folders that contain the text. They count like words of its title.
    /// - Complexity: O(length of text).
    package mutating func add(
        _ text: String, to group: Int, isRepresentative: Bool = false, folders: [String] = []
    ) {
        tally.add(text, to: group, isRepresentative: isRepresentative, folders: folders)
    }

    /// Returns the vocabularies of the groups, from which keywords and labels are chosen.
    ///
    /// - Parameter parents: The parent of each group, or an empty array if the groups do not form a
    ///   hierarchy. A parent group uses the texts of its descendants and is compared with other parents.
    /// - Complexity: O(words of all groups).
    package func vocabularies(parents: [Int?] = []) -> GroupVocabularies {
        GroupVocabularies(tally.counts, parents: parents, languages: tally.languages)
    }

    /// Returns a label that consists of up to three of the first keywords, with at most five words in total.
    ///
    /// - Returns: `nil` if there are no keywords, or if each of them has more than five words.
    package static func label(of keywords: [String]) -> String? {
        var (chosen, words): ([String], Int) = ([], 0)
        for keyword in keywords where chosen.count < 3 {
            let count = keyword.split(separator: " ").count
            guard words + count <= 5 else { continue }
            chosen.append(keyword)
            words += count
        }
        return chosen.isEmpty ? nil : chosen.joined(separator: ", ")
    }
}
