/// Chooses labels: a few words and phrases that occur in most texts of a group but not in the texts of other
/// groups.
extension GroupVocabularies {
    /// The limits of a label.
    private enum Limit {
        /// The maximum numbers of phrases, words and characters in a label.
        static let (phrases, words, characters) = (3, 6, TextTitle.displayLength)
        /// The maximum number of phrases in a label if they were embedded.
        static let embeddedPhrases = 4
        /// The number of specific phrases before the first central one.
        static let specificPhrases = 3
        /// The maximum number of words in a title that is combined with other titles.
        static let shortTitle = 2
        /// The minimum lift of a central phrase. Words with a lower lift, such as "code" in notes about
        /// programming, are central in many groups.
        static let minimumCentralLift = 1.3
        /// The number of best phrases among which each phrase of a previous label must be for the label to be
        /// kept.
        static let keptCandidates = 8
    }

    /// The data about a group, other than its texts, that affects its label.
    package struct LabelContext: Sendable {
        /// Titles of entries of the group, the most central first. If no word distinguishes the group, one of
        /// them, or several short ones, become the label.
        package var titles: [String] = []
        /// The label that the group had before its texts changed slightly. It is kept while its phrases are
        /// still among the best, so that labels do not alternate between words of similar weight.
        package var previous: String?
        /// The label that the group has in any case, for example because a person set it. No other group gets
        /// this label.
        package var fixed: String?
        /// The meaning of each of the group's phrases; empty if the phrases were not embedded.
        package var meanings: [PhraseMeaning] = []

        package init(titles: [String] = [], previous: String? = nil, fixed: String? = nil) {
            (self.titles, self.previous, self.fixed) = (titles, previous, fixed)
        }
    }

    /// Returns a label for each group. No two groups get the same label, except fixed ones.
    ///
    /// If the phrases were embedded, a label consists of the three most specific phrases and the most central
    /// one, which often is the general name of the subject; otherwise, of the three phrases with the highest
    /// weights. Phrases that would make the label too long are omitted.
    ///
    /// - Parameters:
    ///   - phrases: The phrases of each group (``labelPhrases(limit:)``).
    ///   - contexts: The other data about each group.
    /// - Complexity: O(phrases).
    package func labels(from phrases: [[LabelPhrase]], _ contexts: [LabelContext]) -> [String] {
        var labels = [String](repeating: "", count: totals.count)
        var used = Set(contexts.compactMap { $0.fixed.map(Self.key) })
        var numbers: [String: Int] = [:]
        // Labels are chosen for parents before their children, and for larger groups before smaller ones.
        let order = totals.indices.sorted {
            let (isParent, isOtherParent) = (groups[$0].textCount == 0, groups[$1].textCount == 0)
            if isParent != isOtherParent { return isParent }
            return (totals[$1].textCount, $0) < (totals[$0].textCount, $1)
        }
        for group in order {
            let context = contexts[group]
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
                    ranked.map(\.spelling), limit, context.titles, &used, &numbers)
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
        let central = order(\.centrality).filter { phrases[$0].lift >= Limit.minimumCentralLift }
        var (ranked, taken): ([Int], Set<Int>) = ([], [])
        for index in specific.prefix(Limit.specificPhrases) {
            ranked.append(index)
            taken.insert(index)
        }
        // The remaining ranks alternate between central and specific phrases.
        let remaining = central.filter { !taken.contains($0) }
        let others = specific.dropFirst(Limit.specificPhrases)
        for index in 0..<max(remaining.count, others.count) {
            for list in [remaining[...], others] where index < list.count {
                let phrase = list[list.startIndex + index]
                if taken.insert(phrase).inserted { ranked.append(phrase) }
            }
        }
        return ranked.map { phrases[$0] }
    }

    /// Returns a previous label, if it can be kept: its phrases are still among the best or, if there are no
    /// phrases, it consists of titles. A word also stays if another form of it, such as its plural, has
    /// become more frequent.
    private func kept(_ label: String, _ phrases: [LabelPhrase], _ titles: [String]) -> String? {
        let parts = label.split(separator: ", ").map(String.init)
        guard !parts.isEmpty else { return nil }
        if phrases.isEmpty {
            let known = Set(titles.map { TextTitle.shortened($0) })
            return known.contains(label) || parts.allSatisfy(known.contains) ? label : nil
        }
        let best = phrases.prefix(Limit.keptCandidates)
        let found = parts.map { part -> String? in
            let text = part.lowercased()
            if let phrase = best.first(where: { $0.text == text }) { return phrase.spelling }
            let stem = stem(of: text)
            return best.contains { $0.stem == stem } ? part : nil
        }
        return found.contains(nil) ? nil : found.compactMap(\.self).joined(separator: ", ")
    }

    /// Returns a label made of the first phrases that fit and form a label that no other group has.
    ///
    /// - Parameter numbers: For each name that groups share, the number that the next group tries first.
    private static func choose(
        _ phrases: [String], _ limit: Int, _ titles: [String], _ used: inout Set<String>,
        _ numbers: inout [String: Int]
    ) -> String {
        // Each attempt omits the last phrase of the previous attempt.
        var skipped = Set<Int>()
        for _ in 0..<max(1, phrases.count) {
            var (chosen, words, characters): ([Int], Int, Int) = ([], 0, 0)
            for (index, phrase) in phrases.enumerated() where !skipped.contains(index) {
                let count = phrase.split(separator: " ").count
                guard chosen.count < limit, words + count <= Limit.words,
                    characters + phrase.count + 2 <= Limit.characters + 2
                else { continue }
                chosen.append(index)
                (words, characters) = (words + count, characters + phrase.count + 2)
            }
            guard let last = chosen.last else { break }
            let label = chosen.map { phrases[$0] }
            if used.insert(key(label.joined(separator: ", "))).inserted {
                return label.joined(separator: ", ")
            }
            skipped.insert(last)
        }
        for label in titleLabels(titles) where used.insert(key(label)).inserted { return label }
        let name = titles.first.map { TextTitle.shortened($0) } ?? wordless
        if titles.isEmpty, used.insert(key(name)).inserted { return name }
        var number = numbers[name] ?? 2
        while !used.insert(key("\(name) (\(number))")).inserted { number += 1 }
        numbers[name] = number + 1
        return "\(name) (\(number))"
    }

    /// Returns the labels that can be made of titles, the best first. The title of the most central text is
    /// one of them. If it is only a word or two, further titles of this kind follow it in the best label,
    /// because one of many single words says little about the group.
    private static func titleLabels(_ titles: [String]) -> [String] {
        let labels = titles.map { TextTitle.shortened($0) }
        func isShort(_ label: String) -> Bool { label.split(separator: " ").count <= Limit.shortTitle }
        guard let first = labels.first, isShort(first) else { return labels }
        var (chosen, keys): ([String], Set<String>) = ([], [])
        for label in labels where isShort(label) && chosen.count < Limit.phrases {
            if keys.insert(key(label)).inserted { chosen.append(label) }
        }
        let joined = chosen.joined(separator: ", ")
        return joined.count <= Limit.characters ? [joined] + labels : labels
    }

    /// The label of a group whose texts have no usable words and no titles.
    package static let wordless = "texts without words"

    /// Returns a key that is equal for labels with the same words, regardless of order and case.
    package static func key(_ label: String) -> String {
        label.lowercased().split { $0 == " " || $0 == "," }.sorted().joined(separator: " ")
    }
}
