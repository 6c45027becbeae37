import RoostText

struct LabelPhrase: Sendable, Hashable {
    let text: String
    /// The stem of the word in its language; for a phrase, its text.
    let stem: String
    /// The words as they are usually written in the texts, such as "PostgreSQL".
    let spelling: String
    /// The weight, computed from the frequencies of the words; above 0. See `GroupVocabularies/labelPhrases(limit:)`.
    let weight: Double
    /// The share of the group's texts that contain the phrase, divided by the share of all texts that do.
    let lift: Double
}

/// The meaning of a phrase in relation to the groups, measured by the embedding of the phrase.
struct PhraseMeaning: Sendable, Hashable {
    /// The degree to which the phrase distinguishes its group from the others.
    var specificity: Double
    /// The degree to which the phrase represents all phrases of its group.
    var centrality: Double
    /// Whether the phrase means the same as a more specific phrase of the group.
    var isVariant = false
}

/// Chooses labels: a few words and phrases that occur in most texts of a group but not in the texts of other groups.
extension GroupVocabularies {
    private enum Limit {
        static let (phrases, words, characters) = (3, 6, TextTitle.displayLength)
        /// The maximum number of phrases in a label if they were embedded.
        static let embeddedPhrases = 4
        /// The number of specific phrases before the most central one.
        static let specificPhrases = 3
        /// The minimum lift of a central phrase. Words with a lower lift, such as "code" in notes about
        /// programming, are central in many groups.
        static let minimumCentralLift = 1.3
        /// The number of best phrases among which each phrase of a previous label must be for the label to be kept.
        static let keptCandidates = 8
    }

    /// The data about a group, other than its texts, that affects its label.
    struct LabelContext: Sendable {
        /// Titles of entries of the group, the most central first. If no word distinguishes the group, one of
        /// them becomes the label.
        var titles: [String] = []
        /// The label that the group had before its texts changed slightly. It is kept while its phrases are
        /// still among the best, so that labels do not alternate between words of similar weight.
        var previous: String?
        /// The label that the group has in any case, for example because a person set it. No other group gets
        /// this label.
        var fixed: String?
        /// The meaning of each of the group's phrases; empty if the phrases were not embedded.
        var meanings: [PhraseMeaning] = []
    }

    /// Returns a label for each group. No two groups get the same label, except fixed ones. If a label would differ
    /// from that of a group with the same parent by its last phrase only, a title becomes the label.
    ///
    /// If the phrases were embedded, a label consists of the three most specific phrases and the most central
    /// one, which often is the general name of the subject; otherwise, of the three phrases with the highest
    /// weights. Phrases that would make the label too long are omitted.
    func labels(from phrases: [[LabelPhrase]], _ contexts: [LabelContext]) -> [String] {
        var labels = [String](repeating: "", count: totals.count)
        var used = Set(contexts.compactMap { $0.fixed.map(Self.key) })
        var numbers: [String: Int] = [:]
        // The labels of each parent's groups, also without their last phrases.
        var siblings: [Int?: Set<String>] = [:]
        // Labels are chosen for parents before their children, and for larger groups before smaller ones.
        let order = totals.indices.sorted {
            if isParent[$0] != isParent[$1] { return isParent[$0] }
            return (totals[$1].textCount, $0) < (totals[$0].textCount, $1)
        }
        for group in order {
            let context = contexts[group]
            let parent = parents.isEmpty ? nil : parents[group]
            defer {
                siblings[parent, default: []].formUnion(Self.beginnings(labels[group].split(separator: ", ")))
            }
            if let fixed = context.fixed {
                labels[group] = fixed
                continue
            }
            let ranked = Self.ranked(phrases[group], context.meanings)
            if let kept = context.previous.flatMap({ kept($0, ranked, context.titles) }),
                used.insert(Self.key(kept)).inserted
            {
                labels[group] = kept
            } else {
                let limit = context.meanings.isEmpty ? Limit.phrases : Limit.embeddedPhrases
                labels[group] = Self.choose(
                    ranked.map(\.spelling), limit, context.titles, &used, siblings[parent, default: []],
                    &numbers)
            }
        }
        return labels
    }

    /// Returns the phrases in the order in which they are used for the label.
    private static func ranked(_ phrases: [LabelPhrase], _ meanings: [PhraseMeaning]) -> [LabelPhrase] {
        guard meanings.count == phrases.count else { return phrases }
        func order(_ value: KeyPath<PhraseMeaning, Double>) -> [Int] {
            phrases.indices.filter { !meanings[$0].isVariant }.sorted {
                (meanings[$1][keyPath: value], $0) < (meanings[$0][keyPath: value], $1)
            }
        }
        let specific = order(\.specificity)
        let first = specific.prefix(Limit.specificPhrases)
        let central = order(\.centrality).first {
            phrases[$0].lift >= Limit.minimumCentralLift && !first.contains($0)
        }
        let others = specific.dropFirst(Limit.specificPhrases).filter { $0 != central }
        return (first + [central].compactMap(\.self) + others).map { phrases[$0] }
    }

    /// Returns a previous label, if it can be kept: its phrases are still among the best or, if there are no phrases,
    /// it is a title. A word also stays if another form of it, such as its plural, has become more frequent.
    private func kept(_ label: String, _ phrases: [LabelPhrase], _ titles: [String]) -> String? {
        if phrases.isEmpty { return titles.contains { TextTitle.shortened($0) == label } ? label : nil }
        let best = phrases.prefix(Limit.keptCandidates)
        let found = label.split(separator: ", ").map(String.init).map { part -> String? in
            let text = part.lowercased()
            if let phrase = best.first(where: { $0.text == text }) { return phrase.spelling }
            let stem = stem(of: text)
            return best.contains { $0.stem == stem } ? part : nil
        }
        return found.isEmpty || found.contains(nil) ? nil : found.compactMap(\.self).joined(separator: ", ")
    }

    /// Returns a label made of the first phrases that fit and form a label that no other group has.
    ///
    /// - Parameter numbers: For each name that groups share, the number that the next group tries first.
    private static func choose(
        _ phrases: [String], _ limit: Int, _ titles: [String], _ used: inout Set<String>,
        _ siblings: Set<String>, _ numbers: inout [String: Int]
    ) -> String {
        // Each attempt omits the last phrase of the previous attempt.
        var skipped = Set<Int>()
        for _ in 0..<max(1, phrases.count) {
            var (chosen, words, characters): ([Int], Int, Int) = ([], 0, 0)
            for (index, phrase) in phrases.enumerated() where !skipped.contains(index) {
                let count = phrase.split(separator: " ").count
                guard chosen.count < limit, words + count <= Limit.words,
                    characters + phrase.count <= Limit.characters
                else { continue }
                chosen.append(index)
                (words, characters) = (words + count, characters + phrase.count + 2)
            }
            guard let last = chosen.last else { break }
            let parts = chosen.map { phrases[$0] }
            guard titles.isEmpty || siblings.isDisjoint(with: beginnings(parts)) else { break }
            let label = parts.joined(separator: ", ")
            if used.insert(key(label)).inserted { return label }
            skipped.insert(last)
        }
        for title in titles.map({ TextTitle.shortened($0) }) where used.insert(key(title)).inserted {
            return title
        }
        let name = titles.first.map { TextTitle.shortened($0) } ?? wordless
        if titles.isEmpty, used.insert(key(name)).inserted { return name }
        var number = numbers[name] ?? 2
        while !used.insert(key("\(name) (\(number))")).inserted { number += 1 }
        numbers[name] = number + 1
        return "\(name) (\(number))"
    }

    /// Returns the keys of a label and, if it has several phrases, of the label without the last one.
    private static func beginnings(_ phrases: [some StringProtocol]) -> [String] {
        [phrases.count, phrases.count - 1].filter { $0 > 0 }
            .map { key(phrases.prefix($0).joined(separator: ", ")) }
    }

    /// The label of a group whose texts have no usable words and no titles.
    package static let wordless = "texts without words"

    /// Returns a key that is equal for labels with the same words, regardless of order and case.
    package static func key(_ label: String) -> String {
        label.lowercased().split { $0 == " " || $0 == "," }.sorted().joined(separator: " ")
    }
}
