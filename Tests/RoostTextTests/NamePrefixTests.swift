import RoostText
import Testing

/// Tests of stop words that are part of names in labels and keywords.
struct NamePrefixTests {
    private func vocabularies(_ groups: [[String]]) -> GroupVocabularies {
        var extractor = KeywordExtractor(groups: groups.count)
        for (group, texts) in groups.enumerated() {
            for text in texts { extractor.add(text, to: group, isRepresentative: true) }
        }
        return extractor.vocabularies()
    }

    /// Returns the label of the first of two groups.
    private func label(_ texts: [String]) -> String {
        let vocabularies = vocabularies([texts, numbered("a sail and a keel")])
        return vocabularies.labels(from: vocabularies.labelPhrases(limit: 24), [.init(), .init()])[0]
    }

    private func numbered(_ text: String, _ count: Int = 8) -> [String] {
        (0..<count).map { "\(text) \($0)" }
    }

    @Test(arguments: [
        ("they moved to New York City in a year", "New York City"),
        ("they moved to New Zealand in a year", "New Zealand"),
        ("they saw Will Smith in a film", "Will Smith"),
        ("they walked across Great Britain and back", "Great Britain"),
        ("they cited the First Amendment again", "First Amendment"),
        ("they counted the US dollars again", "US dollars"),
        ("they flew over Rio de Janeiro and saw De Niro. They saw De Niro and De Niro again", "De Niro"),
        ("The New-York paper came. They read the New York paper", "New York"),
    ])
    func `a stop word that is part of a name stays in the label`(text: String, name: String) {
        let found = label(numbered(text))
        #expect(found.contains(name), "\(found)")
        #expect(!found.contains("New New"))
    }

    @Test(arguments: [
        // At the beginning of a sentence, every word has a capital letter.
        ("New York is big. New York is loud", "York"),
        // Most sentences write the stop word in lower case.
        ("They like the Beatles, and the Beatles like them. They saw The Beatles", "Beatles"),
        ("They asked if I Googled it, and then I Googled it", "Googled"),
        ("They met Mr Lindqvist, and Mr Lindqvist met them", "Lindqvist"),
        ("They sail in May, Lindqvist said, and in May, Lindqvist said, they row", "Lindqvist"),
        ("Wir senden Ihnen Ihre Rechnung, denn Ihre Rechnung ist hier bei uns", "Rechnung"),
        ("They bought a new Volvo and then a new Volvo", "Volvo"),
    ])
    func `other stop words are not part of a label`(text: String, name: String) {
        let words = label(numbered(text)).split(separator: ", ").map(String.init)
        #expect(words.contains { $0.split(separator: " ").first.map(String.init) == name }, "\(words)")
    }

    @Test func `a name of a few texts does not change a phrase without the stop word`() {
        let others = numbered("they sailed to York in a day", 6)
        let found = label(others + numbered("they flew to New York in a day", 3))
        #expect(found.contains("York") && !found.contains("New"), "\(found)")
    }

    @Test func `keywords have the stop words of names`() {
        let groups = [numbered("they moved to New York City in a year"), numbered("a sail and a keel")]
        #expect(vocabularies(groups).keywords(limit: 4)[0].contains("new york city"))
    }

    @Test func `a previous label without the stop word is replaced`() {
        let texts = [numbered("they moved to New York City"), numbered("a sail and a keel")]
        let vocabularies = vocabularies(texts)
        let found = vocabularies.labels(
            from: vocabularies.labelPhrases(limit: 24), [.init(previous: "York City, moved"), .init()])
        #expect(found[0].contains("New York City"))
    }
}
